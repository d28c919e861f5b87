import { describe, expect, test } from 'vitest';
import { createAstGrep } from '../../src/scanners/ast-grep.ts';
import { bandit } from '../../src/scanners/bandit.ts';
import { eslint } from '../../src/scanners/eslint.ts';
import { gitleaks } from '../../src/scanners/gitleaks.ts';
import type { GoLayout } from '../../src/scanners/go-layout.ts';
import { createGosec } from '../../src/scanners/gosec.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import { ruff } from '../../src/scanners/ruff.ts';
import type { ParsedScan, Scanner } from '../../src/scanners/scanner.ts';
import { recorded, toResult } from './recorded.ts';
import { RULES } from './scan.ts';

const LAYOUT: GoLayout = {
  folders: [],
  origins: new Map([
    ['go/r/bad/bad.go', { id: 1 }],
    ['go/r/cmd/main.go', { id: 2 }],
    ['go/r/lib/lib.go', { id: 3 }],
    ['go/r/lib/cypherfix-alone-1/f000007.go', { id: 7, limited: 'alone' }],
  ]),
  notices: [],
  async *entries() {},
};
const astGrep = createAstGrep(toRulePack(RULES));
const gosec = createGosec(LAYOUT);

const SCANNERS: readonly (readonly [Scanner, readonly string[]])[] = [
  [ruff, ['ruff']],
  [bandit, ['bandit']],
  [eslint, ['eslint']],
  [gitleaks, ['gitleaks']],
  [gosec, ['gosec']],
  [astGrep, ['ast-grep', 'ast-grep-dockerfile']],
];

const parseRecorded = (scanner: Scanner, ...steps: string[]): ParsedScan =>
  scanner.parse(new Map(steps.map(step => [step, recorded(step)])));

const toLines = (scan: ParsedScan): string[] =>
  scan.findings
    .filter(finding => !finding.jobPath.includes('cypherfix-canary'))
    .map(f => `${f.ruleId} ${f.severity} ${f.jobPath}:${f.startLine}:${f.startColumn}-${f.endLine}:${f.endColumn}`);

describe('recorded reports', () => {
  test('ruff names what it read and what it could not parse', () => {
    const scan = parseRecorded(ruff, 'ruff');
    expect(scan.failure).toBeUndefined();
    expect(toLines(scan)).toMatchInlineSnapshot(`
      [
        "S602 high src/python/f000000.py:3:1-3:16",
        "S102 medium src/python/f000000.py:4:1-4:5",
        "S602 high src/python/f000000.py:5:1-5:16",
        "S602 low src/python/f000000.py:9:1-9:16",
        "S607 info src/python/f000000.py:9:17-9:21",
      ]
    `);
    expect([...(scan.examined ?? [])]).toContain('src/python/f000000.py');
    expect([...scan.partial]).toEqual([
      ['src/python/f000001.py', 'syntax error on line 2: unexpected EOF while parsing'],
    ]);
  });

  test('bandit', () => {
    const scan = parseRecorded(bandit, 'bandit');
    expect(toLines(scan)).toMatchInlineSnapshot(`
      [
        "B404 info src/python/f000000.py:1:1-1:18",
        "B602 high src/python/f000000.py:3:1-3:38",
        "B102 medium src/python/f000000.py:4:1-4:8",
        "B602 high src/python/f000000.py:5:undefined-8:undefined",
        "B607 info src/python/f000000.py:9:1-9:34",
        "B602 low src/python/f000000.py:9:1-9:34",
      ]
    `);
    expect([...(scan.examined ?? [])]).toEqual(['src/python/cypherfix-canary-test/canary.py', 'src/python/f000000.py']);
    expect([...scan.partial]).toEqual([['src/python/f000001.py', 'syntax error while parsing AST from file']]);
  });

  test('ESLint', () => {
    const scan = parseRecorded(eslint, 'eslint');
    expect(toLines(scan)).toMatchInlineSnapshot(`
      [
        "security/detect-eval-with-expression high src/javascript/f000002.js:1:1-1:8",
      ]
    `);
    expect([...scan.partial.keys()]).toEqual(['src/typescript/f000003.ts']);
  });

  test('gitleaks: one line less, columns from one, no secret in it', () => {
    const scan = parseRecorded(gitleaks, 'gitleaks');
    expect(toLines(scan)).toMatchInlineSnapshot(`
      [
        "github-pat high secrets/src/f000010.txt:2:12-2:52",
      ]
    `);
    expect(scan.bytesExamined).toBe(730);
    expect(scan.findings[0]?.cwe).toEqual(['CWE-798']);
  });

  test('gosec: syntax errors are partial, missing packages a notice', () => {
    const scan = parseRecorded(gosec, 'gosec');
    expect(toLines(scan)).toMatchInlineSnapshot(`
      [
        "G204 medium go/r/cmd/main.go:10:24-10:undefined",
        "G104 info go/r/cmd/main.go:10:15-10:undefined",
        "G104 info go/r/cmd/main.go:10:24-10:undefined",
        "G104 info go/r/lib/cypherfix-alone-1/f000007.go:5:20-5:undefined",
      ]
    `);
    expect(Object.fromEntries(scan.partial)).toEqual({
      'go/r/bad/bad.go': "line 3: expected ')', found '{'",
      'go/r/lib/cypherfix-alone-1/f000007.go': 'alone',
    });
    expect(scan.notices).toEqual([expect.stringContaining('github.com/pkg/errors')]);
  });

  test('ast-grep and the Dockerfile rules are one scan', () => {
    const scan = parseRecorded(astGrep, 'ast-grep', 'ast-grep-dockerfile');
    expect(toLines(scan)).toMatchInlineSnapshot(`
      [
        "test-eval high src/javascript/f000002.js:1:1-1:8",
        "test-exec-py high src/python/f000000.py:4:1-4:8",
        "test-go-exec medium src/go/f000007.go:5:20-5:35",
        "test-go-exec medium src/go/f000005.go:10:24-10:48",
        "test-docker-curl high src/dockerfile/f000009.dockerfile:3:undefined-3:undefined",
      ]
    `);
    expect(scan.examined?.has('src/dockerfile/f000009.dockerfile')).toBe(true);
    expect(scan.findings.find(finding => finding.ruleId === 'test-eval')).toMatchObject({
      title: 'Use of eval',
      cwe: ['CWE-95'],
      replacement: 'JSON.parse(x)',
    });
  });
});

describe.each(SCANNERS.map(([scanner, steps]) => ({ name: scanner.name, scanner, steps })))(
  '$name',
  ({ scanner, steps }) => {
    const failureOf = (change: (step: string) => ReturnType<typeof toResult>): string | undefined =>
      scanner.parse(new Map(steps.map(step => [step, change(step)]))).failure;

    test('a report that came whole is no failure', () => {
      expect(failureOf(step => recorded(step))).toBeUndefined();
    });

    test.each([
      ['a crash', { exitCode: 2, stderr: Buffer.from('Traceback') }, /exit code 2: Traceback/],
      ['a signal', { exitCode: null, signal: 'SIGKILL' }, /killed by SIGKILL/],
      [
        'a time-out',
        { exitCode: null, signal: 'SIGKILL', timedOut: true },
        /^(?:Dockerfile rules: )?timed out|; .*timed out/,
      ],
      ['no start', { exitCode: null, spawnError: 'ENOENT' }, /could not be started: ENOENT/],
      ['output that was cut off', { truncated: true }, /more output than/],
      ['rubbish', { stdout: Buffer.from('<html>') }, /no JSON|no match/],
      ['another shape', { stdout: Buffer.from('{"a":1}') }, /unexpected report|no match/],
    ])('%s is a failure that says why', (_, changes, reason) => {
      expect(failureOf(step => recorded(step, changes))).toMatch(reason);
    });

    test('no result at all is a failure', () => {
      expect(scanner.parse(new Map()).failure).toMatch(/no result/);
    });
  },
);

test('what ast-grep printed before it was cut off still counts', () => {
  const scan = astGrep.parse(new Map([['ast-grep', recorded('ast-grep', { truncated: true })]]));
  expect(scan.failure).toMatch(/more output/);
  expect(scan.findings.length).toBeGreaterThan(0);
});

test('gitleaks that does not say how much it read has failed', () => {
  expect(gitleaks.parse(new Map([['gitleaks', toResult({ stdout: Buffer.from('[]') })]])).failure).toMatch(/how much/);
});
