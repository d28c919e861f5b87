/** The result of a part that may fail without ending the run. */
export type Outcome<T> =
  | { readonly status: 'ok'; readonly value: T }
  | { readonly status: 'failed'; readonly reason: string; readonly timedOut?: boolean }
  | { readonly status: 'skipped'; readonly reason: string };

export const ok = <T>(value: T): Outcome<T> => ({ status: 'ok', value });
export const failed = (reason: string, timedOut = false): Outcome<never> =>
  timedOut ? { status: 'failed', reason, timedOut } : { status: 'failed', reason };
export const skipped = (reason: string): Outcome<never> => ({ status: 'skipped', reason });
