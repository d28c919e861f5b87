import { describe, expect, test } from 'vitest';
import { listLinkedIssues, MAX_LINKED_ISSUES } from '../../src/acceptance/linked-issues.js';

const toSources = changes => ({
  repository: 'acme/shop.js',
  serverUrl: 'https://github.com',
  title: 'A change',
  body: '',
  headRef: 'topic',
  closing: [],
  ...changes,
});
describe('closing keywords in the body', () => {
  test.each([
    ['Closes #12', [12]],
    ['closes: #12', [12]],
    ['CLOSED #1 and fixes #2', [1, 2]],
    ['close #1\nfix #2\nfixed #3\nresolve #4\nresolves #5\nresolved #6', [1, 2, 3, 4, 5, 6]],
    ['Fixes #1, #2 and #3, and #4', [1, 2, 3, 4]],
    ['fixes #1, fixes #2, closes #3', [1, 2, 3]],
    ['Fixes GH-7, gh-8', [7, 8]],
    ['Resolves https://github.com/acme/shop.js/issues/9', [9]],
    ['Resolves: <https://github.com/Acme/Shop.js/issues/9#issuecomment-3>.', [9]],
    ['fixes acme/shop.js#5', [5]],
    ['fixes other/shop#5, #6', [6]],
    ['fixes acme/shopxjs#5', []],
    ['fixes https://github.com/other/shop/issues/5', []],
    ['fixes https://evil.test/acme/shop.js/issues/5', []],
    ['fixes https://github.com/acme/shop.js/pull/5', []],
    ['see #12, relates to #13', []],
    ['prefixes #12, hotfix-closes #13, encloses #14', []],
    ['fixes 12', []],
    ['fixes #12abc', []],
    ['fixes #0, fixes #99999999999', []],
    ['`closes #1` closes #2', [2]],
    ['closes `#1`', []],
    ['```\ncloses #1\n```\ncloses #2', [2]],
    ['    closes #1\n\ncloses #2', [2]],
    ['~~~\ncloses #1', []],
    ['<!-- closes #1 --> closes #2', [2]],
    ['text <!-- closes #1 --> closes #2', [2]],
    ['- [ ] closes #3\n> fixes #4\n\n| a |\n|---|\n| fixes #5 |', [3, 4, 5]],
    ['## Fixes #6', [6]],
    ['closes #1 closes #1', [1]],
  ])('%j', (body, numbers) => expect(listLinkedIssues(toSources({ body }))).toEqual(numbers));
});
describe('the name of the branch', () => {
  test.each([
    ['feature/12-login', [12]],
    ['12-login', [12]],
    ['jo/fix/34_total', [34]],
    ['issue-12', [12]],
    ['issue/12', [12]],
    ['fix/issue_12_total', [12]],
    ['gh-7', [7]],
    ['issues-3-and-more', [3]],
    ['feature/login', []],
    ['release-2', []],
    ['release/1.2.3', []],
    ['v2-rewrite', []],
    ['tissue-12', []],
    ['2026-11-30-cleanup', []],
    ['feature/2026-11-cleanup', []],
    ['issue-12.5', []],
  ])('%s', (headRef, numbers) => expect(listLinkedIssues(toSources({ headRef }))).toEqual(numbers));
});
test("GitHub's own links come first, and every issue comes once", () => {
  const sources = toSources({ closing: [9, 3], body: 'Fixes #3, #4', title: 'Fix #8: fixes #5', headRef: 'x/4-y' });
  expect(listLinkedIssues(sources)).toEqual([9, 3, 4, 8, 5]);
});
test('a long list is cut', () => {
  const body = Array.from({ length: 40 }, (_, at) => `fixes #${at + 1}`).join('\n');
  expect(listLinkedIssues(toSources({ body }))).toHaveLength(MAX_LINKED_ISSUES);
});
test('a hostile body takes bounded time', () => {
  for (const body of [
    'fixes '.repeat(11_000),
    `fixes ${'#1,'.repeat(20_000)}`,
    'close'.repeat(13_000),
    `fixes ${'a.'.repeat(30_000)}`,
  ]) {
    const started = performance.now();
    listLinkedIssues(toSources({ body }));
    expect(performance.now() - started).toBeLessThan(5_000);
  }
});
