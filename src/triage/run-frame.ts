import { CypherFixError, toMessage } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { RunEnd, TriageStore } from './store.ts';

/** What surrounds the steps of one run: its heartbeat, its phases, and what may end it. */
export interface RunFrame {
  /** Aborts when somebody stops the run or the graph takes it away. */
  readonly signal: AbortSignal;
  /** Why the graph took the run away; null while it has not. */
  lostWith(): CypherFixError | null;
  /** A phase begins; throws when the run is to end. */
  enter(phase: string, progress: number, title: string): void;
  tell(phase: string, progress: number): void;
  /** Stops waiting as soon as the run is to end; what was begun may still come to its end unseen. */
  until<T>(work: Promise<T>): Promise<T>;
  /** From here on nothing ends the run. */
  shield(): void;
  /** Ends the run in the graph, once. Never rejects: a run that cannot be ended is marked as lost by the next one. */
  finish(end: RunEnd): Promise<string[]>;
  close(): Promise<void>;
}

export interface FrameOptions {
  readonly store: TriageStore;
  readonly runId: string;
  readonly heartbeatEvery: number;
  readonly heartbeatLeast: number;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export function openFrame({
  store,
  runId,
  heartbeatEvery,
  heartbeatLeast,
  log,
  signal: given,
}: FrameOptions): RunFrame {
  const lost = new AbortController();
  const signal = AbortSignal.any([given, lost.signal]);
  let loss: CypherFixError | null = null;
  let endStage = () => {};
  let finished = false;
  const heart = startHeartbeat({
    beat: progress => store.heartbeat(runId, progress),
    everyMs: heartbeatEvery,
    leastMs: heartbeatLeast,
    onLost: reason => {
      loss = new CypherFixError('missing', `triage run ${runId} was given up: ${reason}`);
      lost.abort(loss);
    },
  });
  const tell = (phase: string, progress: number) => heart.tell({ phase, progress: Math.round(progress) });

  return {
    signal,
    lostWith: () => loss,
    enter(phase, progress, title) {
      signal.throwIfAborted();
      endStage();
      endStage = log.stage(title);
      tell(phase, progress);
    },
    tell,
    until: work => raceAbort(work, signal),
    shield: () => heart.shield(),
    async finish(end) {
      if (finished) return [];
      finished = true;
      heart.shield();
      try {
        const { late, status } = await store.finish(runId, end);
        return late ? [`The run had been ended by somebody else before: ${status}.`] : [];
      } catch (error) {
        return [`The end of the run could not be written: ${toMessage(error)}.`];
      }
    },
    async close() {
      endStage();
      await heart.stop();
    },
  };
}

async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
