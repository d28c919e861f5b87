import { CypherFixError } from '../core/errors.ts';

/**
 * Runs `call` with a signal that aborts after `ms` or when `signal` does, and rejects at that moment even if the call
 * does not listen: an engine with a stuck container may never answer. The signal is never aborted after the call has
 * settled, since Node would then destroy a connection that the call handed out.
 */
export async function withDeadline<T>(
  what: string,
  ms: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let onAbort: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown): void => {
      reject(reason);
      controller.abort(reason);
    };
    timer = setTimeout(() => end(new CypherFixError('sandbox', `${what} took longer than ${ms / 1000} s`)), ms);
    onAbort = () => end(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([call(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
  }
}
