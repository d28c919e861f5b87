import { expect, test } from 'vitest';
import { GitHubFailure } from '../../src/github/failure.ts';
import { MAX_ATTEMPTS, Patience } from '../../src/github/patience.ts';

const WAITS = { maxSingleMs: 180_000, maxTotalMs: 300_000, withoutHeaderMs: 60_000, afterErrorMs: 1000 };
const patience = () => new Patience(WAITS, () => 0);
const limited = (retryAfterMs?: number) => new GitHubFailure('secondary-limit', 403, 'limit', { retryAfterMs });
const broken = new GitHubFailure('server', 502, 'broken');

test('what GitHub asks for is waited', () => {
  expect(patience().nextWait(limited(72_000), 1)).toBe(72_000);
});

test('without a header a limit costs a minute first, then twice that', () => {
  const p = patience();
  expect(p.nextWait(limited(), 1)).toBe(60_000);
  expect(p.nextWait(limited(), 2)).toBe(120_000);
});

test('a server error costs a second first', () => {
  const p = patience();
  expect([1, 2, 3].map(attempt => p.nextWait(broken, attempt))).toEqual([1000, 2000, 4000]);
});

test('a wait that is too long is not begun', () => {
  expect(patience().nextWait(limited(180_001), 1)).toBeNull();
  expect(patience().nextWait(limited(Number.POSITIVE_INFINITY), 1)).toBeNull();
});

test('all waits together are bounded', () => {
  const p = patience();
  expect(p.nextWait(limited(170_000), 1)).toBe(170_000);
  expect(p.nextWait(limited(170_000), 1)).toBeNull();
  expect(p.nextWait(limited(130_000), 1)).toBe(130_000);
  expect(p.nextWait(broken, 1)).toBeNull();
});

test('attempts are bounded', () => {
  expect(patience().nextWait(limited(0), MAX_ATTEMPTS)).toBeNull();
});

test('jitter only lengthens', () => {
  expect(new Patience(WAITS, () => 1).nextWait(broken, 1)).toBe(1250);
});
