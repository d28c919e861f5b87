import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CypherFixError } from '../core/errors.ts';
import type { DockerEngine } from './docker.ts';
import type { LiveContainer } from './launch-container.ts';
import { packSnapshot } from './pack-snapshot.ts';
import { MAX_HEADER_BYTES } from './protocol.ts';
import { createResultReader, type ResultReader } from './read-results.ts';
import type { SandboxJob, SandboxLimits, SandboxResult } from './sandbox.ts';

const AFTER_KILL_MS = 10_000;
const WRITE_BYTES = 128 * 1024;
const TAIL_CHARS = 600;

export interface RunningJob {
  readonly engine: DockerEngine;
  readonly container: LiveContainer;
  readonly job: SandboxJob;
  /** After clamping to the machine. */
  readonly limits: SandboxLimits;
  readonly nonce: string;
  /** Hears what the job's own `onSent` hears. */
  readonly onSent: () => void;
  /** `performance.now()` at which the job's wall clock began. */
  readonly startedAt: number;
}

/** Why the container was killed from outside; the first reason counts. */
type Stop = 'timeout' | 'output' | 'violation' | 'abort' | 'snapshot';

/**
 * Feeds one container and reads its results. The container is left for the caller to remove. Rejects when the signal
 * aborts or the snapshot fails; everything else is a flag or the failure of the result.
 */
export async function runJob(running: RunningJob, signal: AbortSignal): Promise<Omit<SandboxResult, 'identity'>> {
  const { container, job, limits } = running;
  const reader = createResultReader(job.phases.flat(), running.nonce);
  const ended = new AbortController();
  let stop: Stop | undefined;
  const end = (reason: Stop): void => {
    if (stop !== undefined) return;
    stop = reason;
    void endContainer(container);
  };

  const timer = setTimeout(() => end('timeout'), Math.max(0, running.startedAt + limits.timeoutMs - performance.now()));
  const onAbort = (): void => end('abort');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  let snapshotError: unknown;
  const archive = packSnapshot(job, running.nonce);
  const onSent = (): void => {
    running.onSent();
    job.onSent?.();
  };
  const feeding = feed(archive, container.input, ended.signal).then(onSent, error => {
    if (ended.signal.aborted) return;
    snapshotError = error;
    end('snapshot');
  });
  let tail = '';
  try {
    tail = await readOutput(container, reader, toOutputLimit(job), reason => end(reason));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    ended.abort();
    // The snapshot's source may be slow or stuck; nobody needs its next file.
    archive.destroy();
    await feeding;
  }
  if (stop === 'abort') throw signal.reason ?? new CypherFixError('interrupted', 'interrupted');
  if (stop === 'snapshot') throw snapshotError;
  const outcome = reader.complete ? { exitCode: 0, oomKilled: false } : await readExit(running);
  const failure = reader.complete ? undefined : toFailure(stop, outcome, reader, limits, tail);
  return {
    purpose: job.purpose,
    exitCode: outcome.exitCode,
    timedOut: stop === 'timeout' && !reader.complete,
    oomKilled: outcome.oomKilled,
    outputTruncated: stop === 'output' || [...reader.steps.values()].some(step => step.truncated),
    durationMs: Math.round(performance.now() - running.startedAt),
    ...(failure === undefined ? {} : { failure }),
    steps: reader.steps,
  };
}

/** Reads until the end record, a reason to stop, or the end of the stream; returns the end of what the guest complained about. */
async function readOutput(
  container: LiveContainer,
  reader: ResultReader,
  maxBytes: number,
  stop: (reason: Stop) => void,
): Promise<string> {
  let bytes = 0;
  let tail = '';
  try {
    for await (const piece of container.output) {
      bytes += piece.bytes.length;
      if (bytes > maxBytes) stop('output');
      else if (piece.source === 'stdout') reader.push(piece.bytes);
      else tail = (tail + piece.bytes.toString('utf8')).slice(-TAIL_CHARS);
      if (reader.violation !== undefined) stop('violation');
      if (reader.complete || bytes > maxBytes || reader.violation !== undefined) break;
    }
  } catch (error) {
    tail = `${tail} ${(error as Error).message}`.slice(-TAIL_CHARS);
  }
  return tail;
}

/** Writes the archive in large pieces at the reader's pace. Stops quietly when the container's end closes the connection. */
async function feed(archive: Readable, input: Writable, ended: AbortSignal): Promise<void> {
  let pieces: Buffer[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const ready = input.write(Buffer.concat(pieces, size));
    pieces = [];
    size = 0;
    if (!ready && !input.destroyed) await once(input, 'drain', { signal: ended }).catch(() => {});
  };
  for await (const piece of archive as AsyncIterable<Buffer>) {
    if (ended.aborted || input.destroyed) return;
    pieces.push(piece);
    size += piece.length;
    if (size >= WRITE_BYTES) await flush();
  }
  if (ended.aborted || input.destroyed) return;
  if (size > 0) await flush();
  input.end();
  // What the system has not taken yet would wait for whatever this process does next.
  await once(input, 'finish', { signal: ended }).catch(() => {});
}

/** Kills the container; when the engine does not end its output in time, the connection is cut. */
async function endContainer(container: LiveContainer): Promise<void> {
  await container.kill().catch(() => {});
  await Promise.race([container.exit, sleep(AFTER_KILL_MS, undefined, { ref: false })]);
  // What the container wrote before its end is on its way and is still read.
  await sleep(200, undefined, { ref: false });
  container.input.destroy();
}

async function readExit({ engine, container }: RunningJob): Promise<{ exitCode: number | null; oomKilled: boolean }> {
  await container.kill().catch(() => {});
  const exitCode = await Promise.race([container.exit, sleep(AFTER_KILL_MS, undefined, { ref: false })]);
  const description = await engine.inspectContainer(container.id).catch(() => undefined);
  const state = description?.['State'] as { OOMKilled?: boolean } | undefined;
  return { exitCode: exitCode ?? null, oomKilled: state?.OOMKilled === true };
}

function toFailure(
  stop: Stop | undefined,
  outcome: { exitCode: number | null; oomKilled: boolean },
  reader: ResultReader,
  limits: SandboxLimits,
  tail: string,
): string {
  if (outcome.oomKilled) return `out of memory: the job needed more than ${limits.memoryMb} MiB`;
  if (stop === 'timeout') return `the job took longer than ${limits.timeoutMs / 1000} s and was killed`;
  if (stop === 'output') return 'the job wrote more than its output limit and was killed';
  if (stop === 'violation') return `the job's output breaks the protocol: ${reader.violation}`;
  const said = tail.replace(/[^\x20-\x7e]+/g, ' ').trim();
  const reason = said === '' ? '' : `; it said: ${said}`;
  if (outcome.exitCode === null)
    return `the job's results are incomplete and the engine did not say how it ended${reason}`;
  // gVisor's own kernel ends with 2 when the container's process limit is reached.
  const guess = { 2: ' (perhaps the process limit)', 137: ' (perhaps out of memory)' }[outcome.exitCode] ?? '';
  return `the job ended with exit code ${outcome.exitCode}${guess} before all results were there${reason}`;
}

/** What the guest may write at most: all bodies, and a header for each step and the end. */
function toOutputLimit(job: SandboxJob): number {
  return job.limits.maxOutputBytes + (job.phases.flat().length + 2) * (MAX_HEADER_BYTES + 4);
}
