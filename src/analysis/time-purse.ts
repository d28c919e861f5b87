import { CypherFixError } from '../core/errors.ts';

/** Time that several works may take together. */
export interface TimePurse {
  /** Milliseconds. */
  left(): number;
  /**
   * The work's result. Rejects with what `toTimeout` gives once the time is up, or `most` milliseconds of it, and as
   * interrupted when the run is; the work's own signal then aborts, and its late end is of no interest.
   */
  spend<T>(work: (signal: AbortSignal) => Promise<T>, most?: number): Promise<T>;
}

export function createTimePurse(totalMs: number, signal: AbortSignal, toTimeout: () => Error): TimePurse {
  let left = totalMs;
  return {
    left: () => left,
    async spend(work, most = left) {
      if (signal.aborted) throw toInterrupted();
      const from = performance.now();
      const controller = new AbortController();
      let fail: (error: Error) => void = () => {};
      const failure = new Promise<never>((_, reject) => {
        fail = error => {
          reject(error);
          controller.abort();
        };
      });
      failure.catch(() => {});
      const onAbort = () => fail(toInterrupted());
      signal.addEventListener('abort', onAbort, { once: true });
      const timer = setTimeout(() => fail(toTimeout()), Math.min(left, most));
      try {
        const result = work(controller.signal);
        result.catch(() => {});
        return await Promise.race([result, failure]);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        left = Math.max(0, left - (performance.now() - from));
      }
    },
  };
}

const toInterrupted = () => new CypherFixError('interrupted', 'interrupted');
