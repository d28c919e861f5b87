import { toMessage } from '../core/errors.ts';
import { redact, type SecretRegistry } from '../core/secrets.ts';
import type { AttemptFailure } from './attempt.ts';
import type { FailureKind } from './model.ts';

/** An answer that does not come: no headers, or no byte for too long. */
export class StallError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StallError';
  }
}

/** Anything an SDK throws as a failure of the attempt. `now` is in milliseconds since the epoch, for retry dates. */
export function toFailure(error: unknown, provider: string, secrets: SecretRegistry, now: number): AttemptFailure {
  const chain = causesOf(error);
  const stalled = chain.find(cause => cause instanceof StallError);
  if (stalled !== undefined) return { status: 'failed', kind: 'stalled', reason: `${provider}: ${stalled.message}` };
  const answered = chain.map(readAnswered).find(found => found !== null) ?? null;
  const text = clean(chain.map(toMessage).join(': '), secrets);
  if (answered === null) return { status: 'failed', kind: kindOfThrown(chain), reason: `${provider}: ${text}` };
  const wait = readRetryAfter(answered.headers, now);
  return {
    status: 'failed',
    kind: kindOf(answered.status, answered.type),
    reason: `${provider} answered ${[answered.status, answered.type].filter(Boolean).join(' ')}: ${text}`,
    ...(wait === null ? {} : { retryAfterMs: wait }),
    ...(answered.headers?.get('x-should-retry') === 'false' ? { final: true } : {}),
  };
}

/** Milliseconds that `retry-after-ms` or `retry-after` (seconds or a date) asks for; null without one. */
export function readRetryAfter(headers: Pick<Headers, 'get'> | null, now: number): number | null {
  const exact = Number(headers?.get('retry-after-ms') || Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const value = headers?.get('retry-after')?.trim() ?? '';
  if (value === '') return null;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** One line of at most 300 characters without a secret. */
export function clean(text: string, secrets: SecretRegistry): string {
  const shown = redact(text.replace(/\s+/g, ' ').trim(), secrets);
  return shown.length > MAX_REASON_CHARS ? `${shown.slice(0, MAX_REASON_CHARS)}…` : shown;
}

const MAX_REASON_CHARS = 300;

interface Answered {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly headers: Headers | null;
}

const KIND_OF_STATUS: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorized',
  402: 'payment',
  403: 'forbidden',
  404: 'not-found',
  408: 'network',
  409: 'server',
  413: 'too-large',
  429: 'rate-limit',
  529: 'overloaded',
};

/** Errors in mid-stream have no status, only the type of the event. */
const KIND_OF_TYPE: Readonly<Record<string, FailureKind>> = {
  overloaded_error: 'overloaded',
  rate_limit_error: 'rate-limit',
  rate_limit_exceeded: 'rate-limit',
  invalid_request_error: 'invalid-request',
  authentication_error: 'unauthorized',
  billing_error: 'payment',
  permission_error: 'forbidden',
  not_found_error: 'not-found',
  request_too_large: 'too-large',
};

/** The kind of failure that an HTTP status, or an error type where there is no status, stands for. */
export function kindOf(status: number | undefined, type: string | undefined): FailureKind {
  if (status === undefined) return KIND_OF_TYPE[type ?? ''] ?? 'server';
  return KIND_OF_STATUS[status] ?? (status >= 500 ? 'server' : 'invalid-request');
}

function kindOfThrown(chain: readonly unknown[]): FailureKind {
  const names = chain.map(cause => (cause instanceof Error ? cause.name : ''));
  if (names.includes('WorkloadIdentityError')) return 'unauthorized';
  return chain.some(cause => cause instanceof SyntaxError) ? 'malformed' : 'network';
}

function readAnswered(error: unknown): Answered | null {
  if (!(error instanceof Error)) return null;
  const { status, statusCode, type, code, headers } = error as unknown as Record<string, unknown>;
  const number = [status, statusCode].find(value => typeof value === 'number');
  const name = [type, code].find(value => typeof value === 'string' && value !== '' && !/^(?:E[A-Z]|UND_)/.test(value));
  if (number === undefined && name === undefined) return null;
  return {
    status: number as number | undefined,
    type: name as string | undefined,
    headers: isHeaders(headers) ? headers : null,
  };
}

const isHeaders = (value: unknown): value is Headers =>
  typeof value === 'object' && value !== null && typeof (value as Headers).get === 'function';

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && chain.length < 6; ) {
    chain.push(at);
    at = at instanceof Error ? at.cause : undefined;
  }
  return chain;
}
