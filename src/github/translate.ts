import { toMessage } from '../core/errors.ts';
import { type FailureKind, GitHubFailure } from './failure.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/**
 * Anything that a client library threw, as a GitHubFailure. `what` is what we were doing ("create the review"); the
 * message holds it, GitHub's own words and nothing of the request. `now` is in milliseconds since 1970.
 */
export function toGitHubFailure(what: string, error: unknown, now: number): GitHubFailure {
  if (error instanceof GitHubFailure) return error;
  const answer = answerOf(error);
  if (answer === undefined) {
    return new GitHubFailure('network', 0, `GitHub did not answer (${what}): ${toMessage(error)}`, { cause: error });
  }
  const kind = kindOf(answer, error);
  return new GitHubFailure(
    kind,
    answer.status,
    `GitHub refused to ${what}: ${answer.status} ${wordsOf(answer, error)}`,
    {
      retryAfterMs: retryAfterOf(answer, now),
      cause: error,
    },
  );
}

function answerOf(error: unknown): Answer | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { response, status, headers, errors } = error as Record<string, unknown>;
  if (Array.isArray(errors) && isRecord(headers)) return { status: 200, headers, body: { errors } };
  if (!isRecord(response) || typeof status !== 'number') return undefined;
  return { status, headers: isRecord(response['headers']) ? response['headers'] : {}, body: response['data'] };
}

function kindOf(answer: Answer, error: unknown): FailureKind {
  const words = wordsOf(answer, error).toLowerCase();
  if (answer.status === 200) return graphqlKindOf(answer, words);
  if (answer.status === 422 && codesOf(answer.body).includes('abuse')) return 'abuse';
  if (answer.status === 403 || answer.status === 429) return limitKindOf(answer, words);
  if (answer.status === 401) return 'forbidden';
  if (answer.status === 404 || answer.status === 410) return 'not-found';
  if (answer.status === 409) return 'conflict';
  // GitHub reports its own time-out of large writes as 422.
  if (answer.status === 422 && words.includes('request timed out')) return 'server';
  return answer.status >= 500 ? 'server' : 'validation';
}

function limitKindOf(answer: Answer, words: string): FailureKind {
  if (words.includes('secondary rate limit') || words.includes('abuse detection')) return 'secondary-limit';
  if (String(answer.headers['x-ratelimit-remaining']) === '0') return 'rate-limit';
  if (words.includes('api rate limit exceeded')) return 'rate-limit';
  if (answer.status === 429 || answer.headers['retry-after'] !== undefined) return 'secondary-limit';
  return 'forbidden';
}

const GRAPHQL_KINDS: Readonly<Record<string, FailureKind>> = {
  FORBIDDEN: 'forbidden',
  INSUFFICIENT_SCOPES: 'forbidden',
  NOT_FOUND: 'not-found',
  RATE_LIMITED: 'rate-limit',
  STALE_DATA: 'conflict',
  SERVICE_UNAVAILABLE: 'server',
};

function graphqlKindOf(answer: Answer, words: string): FailureKind {
  if (words.includes('secondary rate limit')) return 'secondary-limit';
  for (const type of codesOf(answer.body)) {
    const kind = GRAPHQL_KINDS[type];
    if (kind !== undefined) return kind;
  }
  return words.includes('something went wrong') ? 'server' : 'validation';
}

function codesOf(body: unknown): string[] {
  const errors = isRecord(body) && Array.isArray(body['errors']) ? body['errors'] : [];
  return errors
    .filter(isRecord)
    .flatMap(e => [e['type'], e['code']])
    .filter(c => typeof c === 'string');
}

/** GitHub's message and the entries of `errors`, on one line. */
function wordsOf(answer: Answer, error: unknown): string {
  if (!isRecord(answer.body)) return toMessage(error).slice(0, 300);
  const errors = Array.isArray(answer.body['errors']) ? answer.body['errors'] : [];
  const details = errors.map(e => (isRecord(e) ? (e['message'] ?? [e['field'], e['code']].join(' ')) : e));
  const parts = [answer.body['message'], ...details].filter(p => typeof p === 'string' && p.trim() !== '');
  return parts.join('; ').replace(/\s+/g, ' ').slice(0, 600);
}

function retryAfterOf(answer: Answer, now: number): number | undefined {
  const seconds = Number(answer.headers['retry-after']);
  if (answer.headers['retry-after'] !== undefined && Number.isFinite(seconds)) return Math.max(0, seconds) * 1000;
  const reset = Number(answer.headers['x-ratelimit-reset']);
  if (String(answer.headers['x-ratelimit-remaining']) === '0' && Number.isFinite(reset)) {
    return Math.max(0, reset * 1000 - now);
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
