import { type GitHubFailure, isLimited } from './failure.ts';
import { MAX_SINGLE_WAIT_MS, MAX_TOTAL_WAIT_MS, SECONDARY_LIMIT_WAIT_MS } from './limits.ts';

export interface Waits {
  /** Longest single wait; a limit that asks for more is not waited for. */
  readonly maxSingleMs: number;
  /** All waits of the run together. */
  readonly maxTotalMs: number;
  /** First wait after a limit without `retry-after`; doubles with each attempt. */
  readonly withoutHeaderMs: number;
  /** First wait after a server error or a lost connection; doubles with each attempt. */
  readonly afterErrorMs: number;
}

export const DEFAULT_WAITS: Waits = {
  maxSingleMs: MAX_SINGLE_WAIT_MS,
  maxTotalMs: MAX_TOTAL_WAIT_MS,
  withoutHeaderMs: SECONDARY_LIMIT_WAIT_MS,
  afterErrorMs: 1000,
};

/** Sendings of one request, the first included. */
export const MAX_ATTEMPTS = 4;

/** Decides waits and keeps the sum of them. `jitter` gives a number from 0 to 1. */
export class Patience {
  #spentMs = 0;
  readonly #waits: Waits;
  readonly #jitter: () => number;

  constructor(waits: Waits, jitter: () => number) {
    this.#waits = waits;
    this.#jitter = jitter;
  }

  /** Milliseconds to wait before attempt `attempt` + 1 (attempts count from 1), or null when it is time to give up. */
  nextWait(failure: GitHubFailure, attempt: number): number | null {
    if (attempt >= MAX_ATTEMPTS) return null;
    const base = isLimited(failure) ? this.#waits.withoutHeaderMs : this.#waits.afterErrorMs;
    const wait = failure.retryAfterMs ?? Math.round(base * 2 ** (attempt - 1) * (1 + this.#jitter() / 4));
    if (wait > this.#waits.maxSingleMs || this.#spentMs + wait > this.#waits.maxTotalMs) return null;
    this.#spentMs += wait;
    return wait;
  }
}
