import { readFile, stat } from 'node:fs/promises';
import { CypherFixError, toMessage } from '../core/errors.ts';

/**
 * The bytes of a file that an option names. Throws CypherFixError('usage') for what is no readable file, or too large; a
 * pipe or a device may never end.
 */
export async function readNamedFile(option: string, path: string, maxBytes: number): Promise<Buffer> {
  await checkFile(option, path, maxBytes);
  try {
    return await readFile(path);
  } catch (cause) {
    throw unreadable(option, path, cause);
  }
}

/** Throws CypherFixError('usage') for what is no file that can be found, or too large. */
export async function checkFile(option: string, path: string, maxBytes: number): Promise<void> {
  let size: number;
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new CypherFixError('usage', `${option} ${path} is no file`);
    ({ size } = found);
  } catch (cause) {
    if (cause instanceof CypherFixError) throw cause;
    throw unreadable(option, path, cause);
  }
  if (size > maxBytes) throw new CypherFixError('usage', `${option} ${path} has ${size} bytes, more than ${maxBytes}`);
}

const unreadable = (option: string, path: string, cause: unknown) =>
  new CypherFixError('usage', `${option} ${path} cannot be read: ${toMessage(cause)}`, { cause });
