import { writeSync } from 'node:fs';

export const STANDARD_OUTPUT = 1;

/**
 * Writes all bytes before it returns: what two writers put out is never mixed, and nothing is lost when the process exits.
 * process.stdout would have to be loaded first, streams and sockets with it.
 */
export function writeAll(file: number, bytes: Buffer): void {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(file, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
