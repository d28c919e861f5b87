import { StallError } from './failure.ts';

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface StallLimits {
  /** Most milliseconds until the headers of an answer are there. */
  readonly headersMs: number;
  /** Most milliseconds between two pieces of the body; any byte counts, a keep-alive ping too. */
  readonly idleMs: number;
}

export const STALL_LIMITS: StallLimits = { headersMs: 60_000, idleMs: 60_000 };

/**
 * A fetch that ends an answer which makes no progress with a StallError. The SDKs' own limits cover the headers alone, and
 * their stream events hide pings, so only the bytes can tell a slow answer from a dead one.
 */
export function watchedFetch(fetch: Fetch, limits: StallLimits): Fetch {
  return async (url, init = {}) => {
    const stall = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, stall.signal]) : stall.signal;
    const late = new StallError(`no answer within ${seconds(limits.headersMs)}`);
    const timer = setTimeout(() => stall.abort(late), limits.headersMs);
    try {
      const response = await fetch(url, { ...init, signal });
      if (response.body === null) return response;
      const { status, statusText, headers } = response;
      return new Response(watchedBody(response.body, limits.idleMs), { status, statusText, headers });
    } catch (error) {
      throw stall.signal.aborted ? late : error;
    } finally {
      clearTimeout(timer);
    }
  };
}

function watchedBody(body: ReadableStream<Uint8Array>, idleMs: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { promise, cancel } = silence(idleMs);
      try {
        const piece = await Promise.race([reader.read(), promise]);
        if (piece.done) controller.close();
        else controller.enqueue(piece.value);
      } catch (error) {
        controller.error(error);
        reader.cancel(error).catch(() => {});
      } finally {
        cancel();
      }
    },
    cancel: reason => reader.cancel(reason),
  });
}

function silence(idleMs: number): { promise: Promise<never>; cancel: () => void } {
  let cancel = () => {};
  const promise = new Promise<never>((_, reject) => {
    const error = new StallError(`the answer stopped: no byte for ${seconds(idleMs)}`);
    const timer = setTimeout(() => reject(error), idleMs);
    cancel = () => clearTimeout(timer);
  });
  return { promise, cancel };
}

const seconds = (ms: number): string => `${ms / 1_000} s`;
