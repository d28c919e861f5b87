import { createHash } from 'node:crypto';
import type { SandboxJob, SnapshotEntry } from '../sandbox/sandbox.ts';

/** What a job was given: how much of its snapshot was read, and a digest over that. */
export interface Given {
  readonly entries: number;
  /** The snapshot was read to its end. */
  readonly complete: boolean;
  /** SHA-256 over the paths, modes and contents that were read. */
  readonly digest: Buffer;
}

export interface CountedSnapshot {
  readonly entries: AsyncIterable<SnapshotEntry>;
  given(): Given;
}

/** Passes a snapshot on and notes what was read of it. */
export function countSnapshot(snapshot: SandboxJob['snapshot']): CountedSnapshot {
  const hash = createHash('sha256');
  let entries = 0;
  let complete = false;
  async function* read(): AsyncGenerator<SnapshotEntry> {
    for await (const entry of snapshot) {
      const { path, content, executable = false } = entry;
      hash.update(`${JSON.stringify([path, executable, content.length])}\n`).update(content);
      entries += 1;
      yield entry;
    }
    complete = true;
  }
  return { entries: read(), given: () => ({ entries, complete, digest: hash.copy().digest() }) };
}

/** Reads as much of a snapshot as another run did, for what its reading tells the one who made it. */
export async function rereadSnapshot(
  snapshot: SandboxJob['snapshot'],
  most: { readonly entries: number; readonly complete: boolean },
): Promise<Given> {
  const counted = countSnapshot(snapshot);
  if (most.entries === 0 && !most.complete) return counted.given();
  let read = 0;
  for await (const _ of counted.entries) {
    read += 1;
    if (read >= most.entries && !most.complete) break;
    // More than was recorded is another snapshot, whatever follows.
    if (read > most.entries) break;
  }
  return counted.given();
}

/** What identifies a job: its commands, its limits and what it was given. */
export function hashJob(job: SandboxJob, given: Given): string {
  const { imageClass, phases, limits } = job;
  const plain = JSON.stringify([imageClass, phases, limits, given.entries, given.complete]);
  return createHash('sha256').update(plain).update(given.digest).digest('hex');
}

/** The key that hides secrets in what a job printed: whoever can give the job its files again can derive it. */
export const toSealKey = (given: Given, seed: string): Buffer =>
  createHash('sha256').update(`output of a job\0${seed}\0`).update(given.digest).digest();
