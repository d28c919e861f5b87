import { stat } from 'node:fs/promises';
import { CypherFixError } from '../core/errors.ts';

/** Throws CypherFixError('usage') for what is no readable file, or too large. */
export async function checkFile(option: string, path: string, maxBytes: number): Promise<void> {
  let size: number;
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new CypherFixError('usage', `${option} ${path} is no file`);
    ({ size } = found);
  } catch (cause) {
    if (cause instanceof CypherFixError) throw cause;
    throw new CypherFixError('usage', `${option} ${path} cannot be read`, { cause });
  }
  if (size > maxBytes) throw new CypherFixError('usage', `${option} ${path} has ${size} bytes, more than ${maxBytes}`);
}
