import { CypherFixError } from '../core/errors.ts';

/** A time limit and a stop signal over several promises. */
export interface Watch {
  /** The promise, or the limit's or signal's error if that comes first. A late failure of the promise is of no interest. */
  race<T>(promise: Promise<T>): Promise<T>;
  ignoreSignal(): void;
  end(): void;
}

/**
 * Starts the clock. At the limit, race rejects with the driver's code for a lost connection, since a server that says
 * nothing for so long is as good as lost; on the signal, with an `interrupted` error.
 */
export function startWatch(limitMs: number, signal?: AbortSignal): Watch {
  let fail: (error: Error) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failure.catch(() => {});
  const onAbort = () => fail(new CypherFixError('interrupted', 'stopped while talking to Neo4j'));
  const timer = setTimeout(
    () => fail(Object.assign(new Error('Neo4j gave no answer in time'), { code: 'ServiceUnavailable' })),
    limitMs,
  );
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const ignoreSignal = () => signal?.removeEventListener('abort', onAbort);
  return {
    race(promise) {
      promise.catch(() => {});
      return Promise.race([promise, failure]);
    },
    ignoreSignal,
    end() {
      clearTimeout(timer);
      ignoreSignal();
    },
  };
}
