import type { AttemptAnswer, AttemptFailure, Meter, Provider } from './attempt.ts';
import type { FailureKind, Model, ModelAnswer, ModelRequest } from './model.ts';
import { NO_USAGE } from './model.ts';

export interface RetryOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Waits; rejects at once when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 ≤ x < 1, for the jitter. */
  readonly random: () => number;
  /** Most milliseconds between two tries, whatever the provider asks for; default 60,000. */
  readonly mostWaitMs?: number;
}

/**
 * The one loop that repeats failed attempts, within the request's deadline. An attempt whose answer had begun is billed
 * and never repeated. The call rejects with the signal's reason as soon as the signal aborts, whatever the attempt does.
 */
export function retryingModel(provider: Provider, options: RetryOptions): Model {
  return {
    prepare: () => provider.prepare(),
    async call(request, signal) {
      for (let tries = 1; ; tries++) {
        signal.throwIfAborted();
        const meter: Meter = { usage: NO_USAGE, started: false };
        const answer = await runUntil(request, signal, options, limited => provider.attempt(request, limited, meter));
        if (answer.status === 'ok') return { ...answer, usage: meter.usage };
        const wait = planWait(answer, tries, meter, options);
        if (wait === null) return toModelFailure(answer, meter, tries);
        if (request.deadline !== undefined && options.now() + wait >= request.deadline) {
          const failure = toModelFailure(answer, meter, tries);
          return { ...failure, reason: `${failure.reason}; the time limit leaves no room for another try` };
        }
        await options.sleep(wait, signal);
      }
    },
  };
}

/** Most attempts by kind of failure; what is not named here is tried once. */
const MOST_TRIES: Partial<Record<FailureKind, number>> = {
  'rate-limit': 5,
  overloaded: 5,
  network: 4,
  server: 4,
  stalled: 2,
};
const FIRST_WAIT_MS = 500;
const MOST_BACKOFF_MS = 8_000;
const MOST_WAIT_MS = 60_000;

/** Milliseconds until the next attempt, null when there is none. */
export function planWait(
  failure: AttemptFailure,
  tries: number,
  meter: Meter,
  { random, mostWaitMs = MOST_WAIT_MS }: Pick<RetryOptions, 'random' | 'mostWaitMs'>,
): number | null {
  if (meter.started || failure.final === true) return null;
  if (tries >= (MOST_TRIES[failure.kind] ?? 1)) return null;
  if (failure.retryAfterMs !== undefined) return Math.min(failure.retryAfterMs, mostWaitMs);
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MOST_BACKOFF_MS, mostWaitMs);
  return Math.round(backoff * (0.5 + random() / 2));
}

function toModelFailure(failure: AttemptFailure, meter: Meter, tries: number): ModelAnswer & { status: 'failed' } {
  const times = tries > 1 ? ` (${tries} tries)` : '';
  return { status: 'failed', kind: failure.kind, reason: `${failure.reason}${times}`, usage: meter.usage };
}

/** The attempt, or its end by the caller's signal (rejects) or the deadline (failed): SDKs do not always obey an abort. */
async function runUntil(
  request: ModelRequest,
  signal: AbortSignal,
  { now }: RetryOptions,
  attempt: (signal: AbortSignal) => Promise<AttemptAnswer>,
): Promise<AttemptAnswer> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let abort = () => {};
  const ended = new Promise<AttemptAnswer>((resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (request.deadline === undefined) return;
    const left = Math.max(0, request.deadline - now());
    const reason = 'the time limit was reached';
    timer = setTimeout(() => resolve({ status: 'failed', kind: 'deadline', reason, final: true }), left);
  });
  try {
    if (request.deadline !== undefined && request.deadline <= now()) return await ended;
    const running = attempt(ending.signal);
    // The loser of the race may still reject, after nobody listens.
    running.catch(() => {});
    return await Promise.race([running, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    ending.abort();
  }
}
