import { describe, expect, test } from 'vitest';
import { eslint } from '../../src/scanners/eslint.ts';
import { gitleaks } from '../../src/scanners/gitleaks.ts';
import { resolveFindings } from '../../src/scanners/resolve-findings.ts';
import { ruff } from '../../src/scanners/ruff.ts';
import type { Scanner, ToolFinding } from '../../src/scanners/scanner.ts';

const at = (startLine: number, rest: Partial<ToolFinding> = {}): ToolFinding => ({
  ruleId: 'r',
  title: 't',
  message: 'm',
  severity: 'high',
  confidence: 1,
  cwe: [],
  jobPath: 'j',
  startLine,
  endLine: startLine,
  ...rest,
});

const resolve = (text: string, finding: ToolFinding, scanner: Scanner = ruff, path = 'a/b.py') =>
  resolveFindings([finding], { path, text }, scanner)[0];

describe('place and text', () => {
  test('two columns give the exact text', () => {
    const found = resolve('x\n  eval(y)\n', at(2, { startColumn: 3, endColumn: 10 }));
    expect(found).toMatchObject({ startLine: 2, endLine: 2, startColumn: 3, endColumn: 10, matchedText: 'eval(y)' });
  });

  test('without columns it is the lines, without the space around them', () => {
    const found = resolve('x\n  call(\n    y)  \nz', at(2, { endLine: 3, startColumn: 3 }));
    expect(found).toMatchObject({ startLine: 2, endLine: 3, matchedText: 'call(\n    y)' });
    expect(found).not.toHaveProperty('startColumn');
  });

  test('byte columns count bytes', () => {
    const found = resolve('éé k="SECRET"\n', at(1, { startColumn: 9, endColumn: 15 }), gitleaks);
    expect(found?.matchedText).toBe('SECRET');
    expect(found?.startColumn).toBe(7);
  });

  test.each([
    [eslint, 'a\u2028b\u2028eval(x)\n', 3, 1],
    [eslint, '// a\reval(x)\n', 2, 1],
    [ruff, 'a\rb\rexec(x)\n', 3, 1],
    [ruff, 'a\r\nb\r\nexec(x)\r\n', 3, 3],
    [gitleaks, 'a\u2028b\r\nkey\n', 2, 2],
  ])('line ends of %o that git does not count do not move the line', (scanner, text, toolLine, gitLine) => {
    expect(resolve(text, at(toolLine), scanner)?.startLine).toBe(gitLine);
  });

  test('a place outside the file is brought inside', () => {
    const found = resolve('only\n', at(99, { endLine: 120 }));
    expect(found?.startLine).toBeLessThanOrEqual(2);
    expect(resolve('', at(1))).toMatchObject({ startLine: 1, endLine: 1, matchedText: '' });
  });

  test('long matches are cut', () => {
    expect(resolve('y'.repeat(9_000), at(1))?.matchedText).toHaveLength(4_000);
  });
});

test('a rewrite becomes whole lines', () => {
  const found = resolve(
    'a\nx = eval(y); z\nb\n',
    at(2, { startColumn: 5, endColumn: 12, replacement: 'JSON.parse(y)' }),
  );
  expect(found?.fix?.edits).toEqual([
    { path: 'a/b.py', startLine: 2, endLine: 2, replacement: 'x = JSON.parse(y); z' },
  ]);
});

describe('path conditions count on the real path', () => {
  const workflow = at(1, { paths: ['.github/workflows/*.{yml,yaml}'], notPaths: ['**/skip*'] });
  test.each([
    ['.github/workflows/a.yml', true],
    ['.github/workflows/skip.yml', false],
    ['docs/a.yml', false],
  ])('%s: %s', (path, stays) => {
    expect(resolve('x', workflow, ruff, path) !== undefined).toBe(stays);
  });
});
