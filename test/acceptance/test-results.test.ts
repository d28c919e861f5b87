import { describe, expect, test } from 'vitest';
import { MAX_RESULTS, type TestResult } from '../../src/acceptance/test-result.ts';
import { readTestResults } from '../../src/acceptance/test-results.ts';
import { readRecorded } from './recorded.ts';

const toLine = ({ suites, name, status }: TestResult): string => `${status}: ${[...suites, name].join(' / ')}`;
const read = (stdout: string, stderr = '') => readTestResults({ junitFiles: [], stdout, stderr });
const readJunit = (...junitFiles: string[]) =>
  readTestResults({ junitFiles, stdout: 'TAP version 13\nok 1 - x', stderr: '' });

const NODE = [
  'passed: AC-1 login / refuses blanks',
  'passed: AC-1 login / deep / trims # and \\ signs',
  'failed: AC-1 login / deep / fails',
  'passed: AC-2 logs',
  'skipped: AC-3 skipped',
  'skipped: AC-4 todo',
  'passed: AC-10 parent / child',
  'failed: AC-10 parent',
];
const GO = [
  'failed: TestAC_2',
  'failed: TestAC_2/bad',
  'passed: TestAC1RefusesBlanks',
  'passed: TestAC_2/sub_one',
  'skipped: TestAC3',
  'failed: TestZPanics',
  'error: TestAC10',
];
const pytest = (inClass: string, outside: string) => [
  `passed: ${inClass}TestLogin / test_ac_1_refuses_blanks`,
  `failed: ${inClass}TestLogin / test_ac_2_fails`,
  `skipped: ${outside}test_ac_3`,
  `passed: ${outside}test_ac_4[a b]`,
  `passed: ${outside}test_ac_4[PASSED]`,
  `failed: ${outside}test_ac_4[x::y]`,
  `error: ${outside}test_ac_5`,
  `skipped: ${outside}test_ac_6`,
  `passed: ${outside}test_ac_7`,
];

describe('recorded output', () => {
  test.each<[string, string, string[]]>([
    ['node20.tap', 'TAP', NODE],
    ['node20.spec', 'spec', NODE],
    ['node24.spec', 'spec', NODE],
    [
      'tape.txt',
      'TAP',
      [
        'passed: AC-1 refuses blanks / first',
        'passed: AC-1 refuses blanks / should be truthy',
        'failed: AC-2 fails / sums # 3',
      ],
    ],
    [
      'mocha.txt',
      'spec',
      [
        'passed: AC-2 top',
        'passed: AC-1 login / refuses blanks',
        'failed: AC-1 login / fails',
        'passed: AC-1 login / still AC-5',
        'passed: AC-1 login / deep / trims',
        'skipped: AC-1 login / deep / later',
      ],
    ],
    [
      'vitest.txt',
      'spec',
      [
        'passed: v.test.mjs > AC-1 login > refuses blanks',
        'failed: v.test.mjs > AC-1 login > fails',
        'skipped: v.test.mjs > AC-3 later',
      ],
    ],
    ['pytest.txt', 'pytest -v', pytest('test_login.py / ', 'test_login.py / ')],
    [
      'unittest.txt',
      'unittest -v',
      [
        'passed: unit_login.LoginTest / test_ac_1',
        'failed: unit_login.LoginTest / test_ac_2',
        'skipped: unit_login.LoginTest / test_ac_3',
        'error: unit_login.LoginTest / test_ac_4',
        'skipped: unit_login.LoginTest / test_ac_5',
        'passed: unit_login.LoginTest / test_ac_6',
      ],
    ],
    ['go-verbose.txt', 'go test -v', GO],
    ['go-json.txt', 'go test -json', GO.map(line => line.replace(': ', ': example.test/shop / '))],
  ])('%s', (name, source, expected) => {
    const report = read(readRecorded(name));
    expect(report.source).toBe(source);
    expect(report.incomplete).toBeNull();
    expect(report.results.map(toLine).sort()).toEqual([...expected].sort());
  });

  test.each<[string, string[]]>([
    [
      'node24.junit.xml',
      [
        'passed: AC-1 login / refuses blanks',
        'passed: AC-1 login / deep / AC-1 login.deep / trims # and \\ signs',
        'failed: AC-1 login / deep / AC-1 login.deep / fails',
        'passed: test / AC-2 logs',
        'skipped: test / AC-3 skipped',
        'skipped: test / AC-4 todo',
        'passed: AC-10 parent / child',
      ],
    ],
    ['pytest.junit.xml', pytest('pytest / test_login.', 'pytest / test_login / ')],
    [
      'vitest.junit.xml',
      [
        'passed: v.test.mjs / AC-1 login > refuses blanks',
        'failed: v.test.mjs / AC-1 login > fails',
        'skipped: v.test.mjs / AC-3 later',
      ],
    ],
  ])('%s', (name, expected) => {
    const report = readJunit(readRecorded(name));
    expect(report).toMatchObject({ source: 'JUnit', incomplete: null });
    expect(report.results.map(toLine)).toEqual(expected);
  });

  test('colours do not hide results, and jest speaks on standard error', () => {
    const text = '\x1b[32m  ✓\x1b[39m AC-1 holds \x1b[2m(3 ms)\x1b[22m\n';
    expect(read('', text)).toMatchObject({ source: 'spec', results: [{ name: 'AC-1 holds', status: 'passed' }] });
  });

  test('JUnit files go before the output, all of them', () => {
    const suite = (name: string) => `<testsuite><testcase name="${name}"/></testsuite>`;
    expect(readJunit(suite('a'), suite('b &amp; &#99;')).results.map(r => r.name)).toEqual(['a', 'b & c']);
  });

  test('pytest in parallel', () => {
    const text =
      '[gw1] [ 50%] PASSED tests/test_a.py::test_ac_1\n[gw0] [100%] FAILED tests/test_a.py::T::test_b\n== 1 failed, 1 passed in 0.1s ==';
    expect(read(text).results.map(toLine)).toEqual([
      'passed: tests/test_a.py / test_ac_1',
      'failed: tests/test_a.py / T / test_b',
    ]);
  });

  test.each([
    [
      'surefire',
      '<testsuite name="a.B"><testcase classname="a.B" name="t"><flakyFailure/></testcase></testsuite>',
      'passed',
    ],
    [
      'gtest',
      '<testsuites><testsuite name="S"><testcase name="t" status="notrun" classname="S"/></testsuite></testsuites>',
      'skipped',
    ],
    ['an error', '<testsuite><testcase name="t"><error/></testcase></testsuite>', 'error'],
  ])('JUnit of %s', (_name, xml, status) => expect(readJunit(xml).results.map(r => r.status)).toEqual([status]));
});

describe('output that is not whole', () => {
  test.each<[string, string, string]>([
    ['TAP without its plan', 'TAP version 13\nok 1 - a', 'the TAP output ends before its plan'],
    ['TAP with fewer than planned', '1..3\nok 1 - a\nok 2 - b', 'only 2 of 3 planned tests came back'],
    ['TAP that bails out', '1..1\nok 1 - a\nBail out! no disk', 'the tests bailed out'],
    ['pytest', 'test_a.py::test_b PASSED [ 50%]', 'the output of pytest ends early'],
    ['spec', '▶ suite\n  ✔ a (1ms)', 'the output ends within a suite'],
    ['go', '--- PASS: TestA (0.00s)\nFAIL\tx/y [build failed]', 'a package does not build'],
  ])('%s', (_name, text, reason) => expect(read(text)).toMatchObject({ incomplete: reason }));

  test('a go test that began and never ended is an error', () => {
    expect(read('=== RUN   TestA\npanic: x\nFAIL\tx/y\t0.1s').results.map(toLine)).toEqual(['error: TestA']);
  });

  test('a JUnit file that breaks off keeps what stood before', () => {
    const report = readJunit('<testsuite><testcase name="a"/><testcase name="b">');
    expect(report.results.map(r => r.name)).toEqual(['a']);
    expect(report.incomplete).toMatch(/^a JUnit file cannot be read to its end: /);
  });
});

describe('hostile output', () => {
  test('no results in prose', () => {
    expect(read('everything is fine\nok\nPASSED\n--- PASS\nAC-1 passed')).toEqual({
      source: null,
      results: [],
      incomplete: null,
    });
  });

  test.each([
    [
      'a document type',
      '<!DOCTYPE x [<!ENTITY a "&b;&b;">]><testsuite><testcase name="&a;"/></testsuite>',
      /document type/,
    ],
    ['an unknown entity', '<testsuite><testcase name="&a;"/></testsuite>', /undefined entity|entity/i],
    ['depth', '<a>'.repeat(100_000), /64 deep/],
    ['no suite', '<html></html>', /holds no test suite/],
    ['no XML', 'PASSED', /cannot be read/],
  ])('JUnit with %s', (_name, xml, reason) => {
    const report = readJunit(xml);
    expect(report.results).toEqual([]);
    expect(report.incomplete).toMatch(reason);
  });

  test('more results than are kept', () => {
    const report = read(`1..30000\n${Array.from({ length: 30_000 }, (_, at) => `ok ${at + 1} - t${at}`).join('\n')}`);
    expect(report.results).toHaveLength(MAX_RESULTS);
    expect(report.incomplete).toBe('there are more than 20000 results');
  });

  test.each([
    ['one long line', `${'PASSED '.repeat(200_000)}`],
    [
      'many suites',
      Array.from({ length: 5_000 }, (_, at) => `${' '.repeat(at % 500)}▶ s\n${' '.repeat((at % 500) + 1)}✔ t`).join(
        '\n',
      ),
    ],
    ['many names', `${'a.py::b '.repeat(100)}\n`.repeat(5_000)],
    [
      'deep TAP',
      Array.from({ length: 3_000 }, (_, at) => `${' '.repeat(at)}# Subtest: x\n${' '.repeat(at)}ok 1 - x`).join('\n'),
    ],
  ])('bounded time: %s', (_name, text) => {
    const started = performance.now();
    expect(read(text).results.length).toBeLessThanOrEqual(MAX_RESULTS);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
