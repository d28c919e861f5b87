import type { HistoricBlob, History } from '../core/tree.ts';
import type { SnapshotEntry } from '../sandbox/sandbox.ts';
import { isKeyStore, secretsExtension } from './gitleaks.ts';
import { FOLDER } from './scanner.ts';
import { type FileRecord, isTextLike, MAX_FILE_BYTES, toSecretsCopy } from './snapshot.ts';

/** A version of a file that a commit of the change added and that is not the head's. */
export interface HistoricCopy {
  readonly jobPath: string;
  readonly blob: HistoricBlob;
}

export function planHistory(history: History | null, records: readonly FileRecord[]): HistoricCopy[] {
  const atHead = new Set(
    records.filter(record => record.skipped === undefined).flatMap(record => record.newBlob ?? []),
  );
  const seen = new Set<string>();
  const copies: HistoricCopy[] = [];
  for (const blob of history?.blobs ?? []) {
    const key = `${blob.blob} ${blob.path}`;
    if (atHead.has(blob.blob) || seen.has(key)) continue;
    seen.add(key);
    const name = `h${String(copies.length).padStart(6, '0')}.${secretsExtension(blob.path)}`;
    copies.push({ jobPath: `${FOLDER.secrets}/history/${name}`, blob });
  }
  return copies;
}

export interface Unread {
  readonly blob: HistoricBlob;
  readonly tooLarge: boolean;
  readonly reason: string;
}

/** Historic versions for gitleaks; `unread` gets those that could not be sent, with the reason. */
export async function* copyHistory(
  copies: readonly HistoricCopy[],
  history: History | null,
  unread: Unread[],
): AsyncGenerator<SnapshotEntry> {
  for (const { jobPath, blob } of copies) {
    const read = await history?.read(blob, MAX_FILE_BYTES);
    if (read?.status === 'ok') {
      if (isTextLike(read.bytes) || isKeyStore(blob.path)) yield { path: jobPath, content: toSecretsCopy(read.bytes) };
    } else unread.push({ blob, tooLarge: read?.status === 'too-large', reason: read?.reason ?? 'no history' });
  }
}
