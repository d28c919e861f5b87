import { expect, test } from 'vitest';
import type { Change, HunkLine } from '../../src/core/change.ts';
import { findAddedSuppressions } from '../../src/scanners/added-suppressions.ts';
import { toHunk } from '../../src/workspace/hunk-lines.ts';

function toChange(path: string, lines: readonly HunkLine[]): Change {
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: lines.length, section: '', lines };
  const file = {
    path,
    status: 'modified',
    kind: 'text',
    oldMode: '100644',
    newMode: '100644',
    oldBlob: '',
    newBlob: '',
  } as const;
  return { wholeTree: false, files: [{ ...file, additions: 1, deletions: 0, hunks: [hunk] }] };
}

const isFound = (text: string, path = 'a.py'): boolean =>
  findAddedSuppressions(toChange(path, [{ type: 'added', newLine: 1, text }])).length === 1;

const SUPPRESSING = [
  'x = 1  # nosec B602',
  'x = 1 #nosec',
  '# ruff: noqa: S602',
  '# noqa',
  '// eslint-disable-next-line security/detect-eval-with-expression',
  '/* eslint security/detect-eval-with-expression: off */',
  'key = "x" # gitleaks:allow',
  '// ast-grep-ignore: no-eval',
  '// nosemgrep: rule',
  'exec.Command(x) // #nosec G204',
  '//gosec:disable G204 -- fine',
  '# codeql[py/sql-injection]',
  '# zizmor: ignore[template-injection]',
  '# hadolint ignore=DL3007',
  'x() //nolint:gosec',
];

test.each(SUPPRESSING)('%s', text => {
  expect(isFound(text)).toBe(true);
});

test.each(SUPPRESSING)('%s among the lines that git printed', text => {
  const runs = [{ type: 'added', count: 3, noNewline: false }] as const;
  const bytes = Buffer.from(`+é = 1\n+${text}\n+b\n`);
  const hunk = toHunk({ oldStart: 0, oldLines: 0, newStart: 1, newLines: 3, section: '', runs, bytes });
  const [file] = toChange('a.py', []).files;
  const change = { wholeTree: false, files: file === undefined ? [] : [{ ...file, hunks: [hunk] }] };
  expect(findAddedSuppressions(change)).toEqual([{ path: 'a.py', line: 2, text }]);
});

test.each(['x = 1', 'const nosec = true', 'the eslint docs', '// @ts-ignore', 'noqa()'])('%s is none', text => {
  expect(isFound(text)).toBe(false);
});

test('each entry of an ignore file counts, its comments do not', () => {
  expect(isFound('a/b.py:generic-api-key:3', 'x/.gitleaksignore')).toBe(true);
  expect(isFound('# why', '.semgrepignore')).toBe(false);
});

test('only added lines count, with their place and a cut text', () => {
  const long = `# nosec ${'x'.repeat(500)}`;
  const lines: HunkLine[] = [
    { type: 'context', oldLine: 1, newLine: 1, text: '# nosec' },
    { type: 'deleted', oldLine: 2, text: '# nosec' },
    { type: 'added', newLine: 2, text: `  ${long}` },
  ];
  expect(findAddedSuppressions(toChange('a.py', lines))).toEqual([{ path: 'a.py', line: 2, text: long.slice(0, 200) }]);
});

test('a long line is read once', () => {
  const line = `/* eslint ${' '.repeat(1_000_000)}`;
  expect(isFound(`${line}*/`)).toBe(false);
  expect(isFound(`${line}off */`)).toBe(true);
});
