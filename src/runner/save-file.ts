import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file that only this user may read. It is written beside and moved, so that a run that is killed leaves no half
 * file; what stood there before stays until then.
 */
export function saveFile(path: string, text: string): void {
  const partial = `${path}.${process.pid}.partial`;
  try {
    writeFileSync(partial, text, { mode: 0o600 });
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
