import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CypherFixError, toMessage } from '../core/errors.ts';
import type { Recording } from '../recording/recording.ts';
import { saveFile } from '../runner/save-file.ts';

const MAX_BYTES = 256 * 1024 * 1024;

/** Refuses a place that cannot be written to, before anything is paid for. Throws CypherFixError('usage'). */
export function assertRecordable(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    throw new CypherFixError('usage', `--record ${path} cannot be written: ${toMessage(cause)}`, { cause });
  }
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    throw new CypherFixError('usage', `--record ${path} cannot be written: it is no regular file`);
  }
}

/** Writes the recording for this user alone, whole or not at all. Throws CypherFixError('usage'). */
export function writeRecording(path: string, recording: Recording, maxBytes = MAX_BYTES): void {
  try {
    const text = `${JSON.stringify(recording, null, 1)}\n`;
    if (Buffer.byteLength(text) > maxBytes) throw new Error(`it is larger than ${maxBytes / (1024 * 1024)} MiB`);
    saveFile(path, text);
  } catch (cause) {
    throw new CypherFixError('usage', `the recording ${path} cannot be written: ${toMessage(cause)}`, { cause });
  }
}

/** The recording in a file. Throws CypherFixError('usage') that says why there is none. */
export async function readRecording(path: string): Promise<Recording> {
  const bytes = readBytes(path);
  const { parseRecording } = await import('../recording/recording.ts');
  return parseRecording(bytes, path);
}

function readBytes(path: string): Buffer {
  try {
    const stats = statSync(path);
    // A pipe or a device may never end.
    if (!stats.isFile()) throw new Error('it is no regular file');
    if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / (1024 * 1024)} MiB`);
    return readFileSync(path);
  } catch (cause) {
    throw new CypherFixError('usage', `--replay ${path} cannot be read: ${toMessage(cause)}`, { cause });
  }
}
