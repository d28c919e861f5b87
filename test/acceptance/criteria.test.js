import { describe, expect, test } from 'vitest';
import { listCriteria, MAX_CRITERIA, MAX_CRITERION_CHARS } from '../../src/acceptance/criteria.js';
import { ISSUE_TEXTS } from './issue-texts.js';

const toIssue = (body, number = 7) => ({ number, title: 'An issue', body, state: 'open' });
describe('the criteria of an issue', () => {
  test.each(ISSUE_TEXTS)('$name', ({ body, expected }) => {
    const { criteria } = listCriteria([toIssue(body)]);
    expect(criteria.map(({ source, text, id }) => (id === undefined ? [source, text] : [source, text, id]))).toEqual(
      expected,
    );
  });
  test('the table holds at least 30 texts', () => expect(ISSUE_TEXTS.length).toBeGreaterThanOrEqual(30));
  test('keep their issue, and are told apart by it', () => {
    const { criteria } = listCriteria([toIssue('- [ ] Same', 1), toIssue('- [ ] Same', 2)]);
    expect(criteria.map(c => c.issue)).toEqual([1, 2]);
  });
  test('carry the contents of their code spans', () => {
    const { criteria } = listCriteria([toIssue('- [ ] `test_login` and ``a`b`` hold\n  - see `c`')]);
    expect(criteria[0]?.codeSpans).toEqual(['test_login', 'a`b', 'c']);
  });
});
describe('a hostile issue', () => {
  test('gives a bounded number of criteria and says so', () => {
    const body = Array.from({ length: 80 }, (_, at) => `- [ ] number ${at}`).join('\n');
    const { criteria, notices } = listCriteria([toIssue(body)]);
    expect(criteria).toHaveLength(MAX_CRITERIA);
    expect(notices).toEqual(['acceptance: 30 criteria beyond the first 50 were left out']);
  });
  test('gives criteria of bounded length', () => {
    const { criteria } = listCriteria([toIssue(`- [ ] ${'😀x'.repeat(3_000)}`)]);
    expect([...(criteria[0]?.text ?? '')]).toHaveLength(MAX_CRITERION_CHARS);
    expect(criteria[0]?.text.endsWith('…')).toBe(true);
  });
  test.each([
    ['quotes in quotes', '>'.repeat(65_536)],
    ['lists in lists', '- '.repeat(32_768)],
    ['quoted lists on every line', `${'> - '.repeat(16)}a\n`.repeat(1_000)],
    ['emphasis', 'a**b'.repeat(16_384)],
    ['brackets', '[a]('.repeat(16_384)],
    ['backticks', Array.from({ length: 360 }, (_, at) => '`'.repeat(at)).join(' ')],
    ['tasks', '- [ ] x\n'.repeat(8_192)],
    ['comments', '<!--'.repeat(16_384)],
    ['tags', '<a '.repeat(20_000)],
    ['cells', `${'|a'.repeat(200)}\n${'|-'.repeat(200)}\n${`${'|b'.repeat(200)}\n`.repeat(160)}`],
    ['steps', 'Given a\nThen b\n'.repeat(4_000)],
    ['staircase', Array.from({ length: 350 }, (_, at) => `${' '.repeat(at * 2)}- x`).join('\n')],
    ['blanks', ' \n'.repeat(32_768)],
    ['spaces in a task', `- [ ] ${' '.repeat(60_000)}x`],
  ])('takes bounded time: %s', (_name, body) => {
    const started = performance.now();
    expect(listCriteria([toIssue(body)]).criteria.length).toBeLessThanOrEqual(MAX_CRITERIA);
    // Seconds where an unbounded reader takes minutes; the machine may be busy.
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});
