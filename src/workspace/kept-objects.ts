import type { GitObject, ObjectReader } from './object-reader.ts';

/** They hold every file of a usual change; of a whole tree little would be gained, and each object has its overhead. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const MAX_KEPT_OBJECTS = 500;
const FULL_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * The reader, with what was read first kept up to a limit: a file is sent to the scanners, looked at for each scanner that
 * found something in it, and shown, and each time it would come through a pipe. Whoever gets bytes must not change them.
 */
export function keepObjects(objects: ObjectReader, maxBytes: number = MAX_KEPT_BYTES): ObjectReader {
  const kept = new Map<string, GitObject>();
  let left = maxBytes;
  return {
    async read(name, most) {
      const known = kept.get(name);
      if (known !== undefined) return known.size <= most ? known : { ...known, bytes: null };
      const object = await objects.read(name, most);
      // Only a full id names the same object for ever.
      const hasRoom = kept.size < MAX_KEPT_OBJECTS && (object?.size ?? 0) <= left;
      if (object?.bytes && hasRoom && FULL_ID.test(name) && !kept.has(name)) {
        kept.set(name, object);
        left -= object.size;
      }
      return object;
    },
    async close() {
      kept.clear();
      await objects.close();
    },
  };
}
