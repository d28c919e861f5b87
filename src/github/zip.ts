import { unzipSync } from 'fflate';
import { CypherFixError, toMessage } from '../core/errors.ts';

/**
 * Those of the named members that an untrusted ZIP holds. The size that the directory states is the size of the buffer
 * that is unpacked into, so a member that lies about it comes out cut and never larger.
 */
export function readZipMembers(zip: Buffer, names: readonly string[], maxBytes: number): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(zip, {
      filter: file => {
        if (!names.includes(file.name)) return false;
        if (file.originalSize > maxBytes) throw new Error(`${file.name} is larger than ${maxBytes} bytes`);
        return true;
      },
    });
  } catch (error) {
    throw new CypherFixError('github', `the artefact is no usable ZIP: ${toMessage(error)}`, { cause: error });
  }
  for (const [name, bytes] of Object.entries(files)) found.set(name, Buffer.from(bytes));
  return found;
}
