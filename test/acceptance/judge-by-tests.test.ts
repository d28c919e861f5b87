import { describe, expect, test } from 'vitest';
import { listCriteria } from '../../src/acceptance/criteria.ts';
import type { Criterion } from '../../src/acceptance/criterion.ts';
import { judgeByTests, type TestEvidence } from '../../src/acceptance/judge-by-tests.ts';
import { createTestLocator } from '../../src/acceptance/locate-tests.ts';
import { parseIdentifier, toNameMatcher } from '../../src/acceptance/test-identifier.ts';
import type { TestResult, TestStatus } from '../../src/acceptance/test-result.ts';
import { createMemoryTree } from '../scanners/memory-tree.ts';
import { toChange, toFile } from './changes.ts';

const toCriterion = (text: string): Criterion => {
  const [criterion] = listCriteria([{ number: 7, title: '', body: `- [ ] ${text}`, state: 'open' }]).criteria;
  if (criterion === undefined) throw new Error(`no criterion in ${text}`);
  return criterion;
};

const result = (name: string, status: TestStatus = 'passed', suites: string[] = []): TestResult => ({
  suites,
  name,
  status,
});

const toEvidence = (results: TestResult[], changes: Partial<TestEvidence> = {}): TestEvidence => ({
  results,
  incomplete: null,
  locator: { locate: () => ({ path: 'a.test.js', line: 3, isNew: false }) },
  onlyTestsChanged: false,
  ...changes,
});

describe('identifiers', () => {
  test.each<[string, string | undefined]>([
    ['AC-1: x', 'AC-1'],
    ['x (LOGIN-22)', 'LOGIN-22'],
    ['US-3 and US-4', 'US-3'],
    ['see UTF-8 in AC-9', 'AC-9'],
    ['A-1', undefined],
    ['ABCDEFGHIJK-1', undefined],
    ['ac-1', undefined],
    ['AC-1.2 and TLS-1.3', undefined],
    ['CVE-2024-1234', undefined],
    ['xAC-1 AC-1x', undefined],
    ['acme/AC-1', undefined],
  ])('%s', (text, id) => expect(parseIdentifier(text)).toBe(id));

  test.each<[string, string, boolean]>([
    ['AC-1', 'AC-1 refuses blanks', true],
    ['AC-1', 'refuses blanks (AC-1)', true],
    ['AC-1', 'AC_1 refuses', true],
    ['AC-1', 'AC1 refuses', true],
    ['AC-1', 'test_ac_1_refuses', true],
    ['AC-1', 'test_ac1', true],
    ['AC-1', 'TestAC1RefusesBlanks', true],
    ['AC-1', 'TestAC_1_Refuses', true],
    ['AC-1', 'testAc1Refuses', true],
    ['AC-1', 'AC-1', true],
    ['AC-1', 'AC-10 refuses', false],
    ['AC-1', 'AC-11', false],
    ['AC-1', 'test_ac_10', false],
    ['AC-1', 'TestAC10', false],
    ['AC-1', 'MAC-1 address', false],
    ['AC-1', 'test_mac_1', false],
    ['AC-1', 'AC 1', false],
    ['AC-1', 'AC.1', false],
    ['AC-1', 'AC--1', false],
    ['AC-1', 'ac1x', false],
    ['AC-10', 'AC-1 0', false],
    ['AC-10', 'AC-1', false],
    ['A1-2', 'A1-2 x', true],
    ['A1-2', 'A12 x', false],
  ])('%s in %j: %s', (id, name, carried) => expect(toNameMatcher(id)(name)).toBe(carried));
});

describe('a criterion with an identifier', () => {
  const criterion = toCriterion('AC-1: blanks are refused');
  test.each<[string, TestResult[], Partial<TestEvidence>, string, string]>([
    ['all run and passed', [result('AC-1 a'), result('b', 'passed', ['AC_1'])], {}, 'met', 'test'],
    ['one failed', [result('AC-1 a'), result('AC-1 b', 'failed')], {}, 'unmet', 'test'],
    ['one broke', [result('AC-1 a', 'error')], {}, 'unmet', 'test'],
    ['one failed and one was skipped', [result('AC-1 a', 'skipped'), result('AC-1 b', 'failed')], {}, 'unmet', 'test'],
    ['one was skipped', [result('AC-1 a'), result('AC-1 b', 'skipped')], {}, 'unclear', 'test'],
    ['none is there', [result('AC-10 a')], {}, 'unclear', 'none'],
    ['the run was cut', [result('AC-1 a')], { incomplete: 'it timed out' }, 'unclear', 'test'],
    ['the run was cut after a failure', [result('AC-1 a', 'failed')], { incomplete: 'it timed out' }, 'unmet', 'test'],
    ['nothing ran', [], { incomplete: 'the suite did not start' }, 'unclear', 'none'],
  ])('%s', (_name, results, changes, status, judgedBy) => {
    expect(judgeByTests(criterion, toEvidence(results, changes))).toMatchObject({ id: 'AC-1', status, judgedBy });
  });

  test('shows what decided it, failures first', () => {
    const judged = judgeByTests(criterion, toEvidence([result('AC-1 a'), result('b', 'failed', ['AC-1'])]));
    expect(judged?.evidence).toEqual([
      { path: 'a.test.js', line: 3, text: 'AC-1 b: failed' },
      { path: 'a.test.js', line: 3, text: 'AC-1 a: passed' },
    ]);
  });

  test('says why it is unclear', () => {
    const judged = judgeByTests(criterion, toEvidence([], { incomplete: 'the suite did not start' }));
    expect(judged?.evidence[0]?.text).toBe('no test that ran carries AC-1; the suite did not start');
  });
});

describe('a criterion whose code span is the whole name of a test', () => {
  test.each<[string, TestResult, boolean]>([
    ['`test_login` holds', result('test_login'), true],
    ['`test_login` holds', result('test_login[a]', 'passed', ['t.py']), true],
    ['`t.py::TestA::test_login` holds', result('test_login', 'passed', ['t.py', 'TestA']), true],
    ['`LoginTest.refuses` holds', result('refuses', 'passed', ['shop.test', 'LoginTest']), true],
    ['`refuses blanks` holds', result('a.js > login > refuses blanks'), true],
    ['`login` holds', result('test_login'), false],
    ['`test_log` holds', result('test_login'), false],
    ['test_login holds', result('test_login'), false],
  ])('%s', (text, found, isJudged) => {
    const judged = judgeByTests(toCriterion(text), toEvidence([found]));
    if (isJudged) expect(judged).toMatchObject({ status: 'met', judgedBy: 'test', id: toCriterion(text).codeSpans[0] });
    else expect(judged).toBeNull();
  });
});

describe('tests that the change brings', () => {
  const added = toFile('shop.test.js', [
    '+test("AC-1 refuses", () => {});',
    '-test("AC-2 old", x)',
    '+test("AC-2 old", y)',
  ]);
  const code = toFile('shop.js', ['+export const refuses = 1;']);
  const tree = createMemoryTree({ 'test/other.test.js': '\ntest("AC-3 there before", () => {});\n' });

  test('are told from those that were there', async () => {
    const locator = await createTestLocator(toChange([added, code]), tree);
    expect(locator.locate(result('AC-1 refuses'))).toEqual({ path: 'shop.test.js', line: 1, isNew: true });
    expect(locator.locate(result('AC-2 old'))).toMatchObject({ path: 'shop.test.js', isNew: false });
    expect(locator.locate(result('AC-3 there before'))).toEqual({ path: 'test/other.test.js', line: 2, isNew: false });
    expect(locator.locate(result('generated 4'))).toEqual({ path: '(test output)', isNew: false });
  });

  test('say so, and alone prove nothing', async () => {
    const locator = await createTestLocator(toChange([added]), tree);
    const met = judgeByTests(toCriterion('AC-1 x'), toEvidence([result('AC-1 refuses')], { locator }));
    expect(met).toMatchObject({ status: 'met' });
    expect(met?.evidence[0]?.text).toBe('AC-1 refuses: passed (new in this change)');
    const alone = toEvidence([result('AC-1 refuses')], { locator, onlyTestsChanged: true });
    expect(judgeByTests(toCriterion('AC-1 x'), alone)).toMatchObject({ status: 'unclear', judgedBy: 'test' });
    const beside = toEvidence([result('AC-1 refuses'), result('AC-1 AC-3 there before')], {
      locator,
      onlyTestsChanged: true,
    });
    expect(judgeByTests(toCriterion('AC-1 x'), beside)).toMatchObject({ status: 'met' });
  });
});
