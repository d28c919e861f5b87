import type { Entry } from './journal.ts';

/** Which requests are meant: an operation's id, or any test of the journal's entry. */
export type Match = string | ((entry: Entry) => boolean);

export type Trouble =
  | { kind: 'respond'; status: number; headers?: Record<string, string>; body: unknown }
  | { kind: 'delay'; ms: number }
  /** The connection is cut before anything happens. */
  | { kind: 'drop' }
  /** The write takes effect, but the caller sees a 502. */
  | { kind: 'commit-then-502' }
  /** The write takes effect, but the connection is cut. */
  | { kind: 'commit-then-drop' };

export type Fault = { match: Match; times?: number } & Trouble;

export interface FaultQueue {
  /** The first fault whose match fits is used, `times` times (default 1; Infinity for ever). */
  add(fault: Fault): void;
  clear(): void;
  /** Faults that no request has met yet: a test that expects none left can assert on it. */
  pending(): Fault[];
  take(entry: Entry): Fault | undefined;
}

export function createFaultQueue(): FaultQueue {
  const queue: { fault: Fault; left: number }[] = [];
  return {
    add: fault => {
      queue.push({ fault, left: fault.times ?? 1 });
    },
    clear: () => {
      queue.length = 0;
    },
    pending: () => queue.map(item => item.fault),
    take: entry => {
      const index = queue.findIndex(item => matches(item.fault.match, entry));
      const item = queue[index];
      if (item === undefined) return undefined;
      item.left -= 1;
      if (item.left <= 0) queue.splice(index, 1);
      return item.fault;
    },
  };
}

export function matches(match: Match, entry: Entry): boolean {
  return typeof match === 'string' ? entry.operation === match : match(entry);
}

const CONTENT_BLOCK =
  'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.';
const LIMIT_PAGE = 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits';

/** GitHub's limit on writes in its four observed forms; without `retryAfter` no header tells how long it lasts. */
export function secondaryLimit(form: { status?: 403 | 429; retryAfter?: number } = {}): Trouble {
  const headers: Record<string, string> =
    form.retryAfter === undefined ? {} : { 'retry-after': String(form.retryAfter) };
  const status = form.status ?? 403;
  return {
    kind: 'respond',
    status,
    headers,
    body: { message: CONTENT_BLOCK, documentation_url: LIMIT_PAGE, status: String(status) },
  };
}

/** The same limit dressed as a validation error, as seen after some forty quick comments. */
export function abuseLimit(resource = 'PullRequestReviewComment'): Trouble {
  const body = {
    message: 'Validation Failed',
    errors: [{ resource, code: 'abuse', message: 'was submitted too quickly' }],
    documentation_url: LIMIT_PAGE,
    status: '422',
  };
  return { kind: 'respond', status: 422, body };
}

/** The hourly quota is used up until `resetAt` (seconds since 1970). */
export function primaryLimit(resetAt: number): Trouble {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-used': '1000', 'x-ratelimit-reset': String(resetAt) };
  const body = {
    message: 'API rate limit exceeded for installation.',
    documentation_url: 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api',
    status: '403',
  };
  return { kind: 'respond', status: 403, headers, body };
}

/** GraphQL says so in an answer with status 200. */
export function graphLimit(resetAt: number): Trouble {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetAt) };
  const message = 'API rate limit exceeded for installation.';
  return { kind: 'respond', status: 200, headers, body: { errors: [{ type: 'RATE_LIMITED', message }] } };
}

/** What GitHub's front end answers when the application behind it gave up. */
export function badGateway(status: 500 | 502 | 503 | 504 = 502): Trouble {
  return {
    kind: 'respond',
    status,
    headers: { 'content-type': 'text/html' },
    body: '<html><h1>Bad Gateway</h1></html>',
  };
}

export function forbidden(): Trouble {
  const body = {
    message: 'Resource not accessible by integration',
    documentation_url: 'https://docs.github.com/rest',
    status: '403',
  };
  return { kind: 'respond', status: 403, body };
}
