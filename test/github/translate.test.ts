import { describe, expect, test } from 'vitest';
import type { FailureKind } from '../../src/github/failure.ts';
import { toGitHubFailure } from '../../src/github/translate.ts';

const NOW = 1_800_000_000_000;

const restError = (status: number, data: unknown, headers: Record<string, string> = {}) =>
  Object.assign(new Error('library text with https://example.test/secret'), { status, response: { headers, data } });

const graphqlError = (errors: unknown[]) => Object.assign(new Error('graphql'), { headers: {}, errors, response: {} });

describe('the kind of a failure', () => {
  test.each<[string, unknown, FailureKind]>([
    ['bad credentials', restError(401, { message: 'Bad credentials' }), 'forbidden'],
    ['missing permission', restError(403, { message: 'Resource not accessible by integration' }), 'forbidden'],
    ['hidden resource', restError(404, { message: 'Not Found' }), 'not-found'],
    ['gone', restError(410, { message: 'Gone' }), 'not-found'],
    ['conflict', restError(409, { message: 'Git Repository is empty.' }), 'conflict'],
    ['validation', restError(422, { message: 'Unprocessable Entity', errors: ['line must be part'] }), 'validation'],
    ['abuse', restError(422, { message: 'Validation Failed', errors: [{ code: 'abuse', resource: 'X' }] }), 'abuse'],
    ['time-out of a large write', restError(422, { message: 'Sorry, your request timed out.' }), 'server'],
    ['secondary 403', restError(403, { message: 'You have exceeded a secondary rate limit' }), 'secondary-limit'],
    ['secondary 429', restError(429, { message: 'Too many requests' }), 'secondary-limit'],
    ['hourly', restError(403, { message: 'x' }, { 'x-ratelimit-remaining': '0' }), 'rate-limit'],
    ['gateway', restError(502, '<html>Bad Gateway</html>'), 'server'],
    ['no answer', new TypeError('fetch failed'), 'network'],
    ['graphql forbidden', graphqlError([{ type: 'FORBIDDEN', message: 'no' }]), 'forbidden'],
    ['graphql missing', graphqlError([{ type: 'NOT_FOUND', message: 'no' }]), 'not-found'],
    ['graphql limited', graphqlError([{ type: 'RATE_LIMITED', message: 'slow down' }]), 'rate-limit'],
    ['graphql stale', graphqlError([{ type: 'STALE_DATA', message: 'moved' }]), 'conflict'],
    ['graphql broken', graphqlError([{ message: 'Something went wrong while executing your query.' }]), 'server'],
    ['graphql mistake', graphqlError([{ message: "Field 'x' doesn't exist" }]), 'validation'],
  ])('%s', (_name, error, kind) => {
    expect(toGitHubFailure('do it', error, NOW).kind).toBe(kind);
  });
});

describe('how long to wait', () => {
  test('retry-after in seconds', () => {
    const failure = toGitHubFailure('do it', restError(429, { message: 'x' }, { 'retry-after': '7' }), NOW);
    expect(failure.retryAfterMs).toBe(7000);
  });

  test('reset of the hourly limit', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 90) };
    expect(toGitHubFailure('do it', restError(403, {}, headers), NOW).retryAfterMs).toBe(90_000);
  });

  test('unknown without a header', () => {
    expect(toGitHubFailure('do it', restError(429, {}), NOW).retryAfterMs).toBeUndefined();
  });
});

test('the message has GitHub’s words and nothing of the request', () => {
  const error = restError(422, {
    message: 'Validation Failed',
    errors: ['a\nb', { message: 'c' }, { field: 'f', code: 'g' }],
  });
  const failure = toGitHubFailure('create the review', error, NOW);
  expect(failure.message).toBe('GitHub refused to create the review: 422 Validation Failed; a b; c; f g');
  expect(failure.code).toBe('github');
  expect(toGitHubFailure('x', restError(403, { message: 'no' }), NOW).code).toBe('permission');
});

test('a failure is passed on as it is', () => {
  const failure = toGitHubFailure('a', restError(404, {}), NOW);
  expect(toGitHubFailure('b', failure, NOW)).toBe(failure);
});
