import { describe, expect, it } from 'vitest';
import type { Change, HunkLine } from '../../src/core/change.ts';
import { listAddedSuppressions, MAX_ADDED_SUPPRESSIONS } from '../../src/policy/added-suppressions.ts';

function change(path: string, lines: HunkLine[], wholeTree = false): Change {
  const mode = '100644';
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: lines.length, section: '', lines };
  const blobs = { oldBlob: '1'.repeat(40), newBlob: '2'.repeat(40), additions: 1, deletions: 0 };
  return {
    wholeTree,
    files: [{ path, status: 'modified', kind: 'text', oldMode: mode, newMode: mode, ...blobs, hunks: [hunk] }],
  };
}
const added = (text: string, newLine = 4): HunkLine => ({ type: 'added', newLine, text });
const list = (path: string, text: string) => listAddedSuppressions(change(path, [added(text)])).added;

describe('listAddedSuppressions', () => {
  it.each([
    'run(cmd)  # nosec B602',
    'x := f() // #nosec G204',
    '//gosec:disable G204',
    'import os  # noqa: S404',
    '# ruff: noqa',
    '/* eslint-disable security/detect-eval-with-expression */',
    'key = "x" // gitleaks:allow',
    '// ast-grep-ignore: js-eval',
    'eval(x) // nosemgrep',
    'token: x # pragma: allowlist secret',
    'int x; // NOSONAR',
    '// codeql[js/sql-injection]',
    '@SuppressWarnings("all")',
  ])('lists %j', text => {
    expect(list('src/a.txt', text)).toEqual([{ path: 'src/a.txt', line: 4, text: text.trim() }]);
  });

  it.each(['const nosecret = 1', '# no section', 'disable(eslint)', 'see the noqachart'])('passes over %j', text => {
    expect(list('src/a.txt', text)).toEqual([]);
  });

  it('lists the entries of ignore files, without comments and blanks', () => {
    expect(list('sub/.gitleaksignore', 'a.txt:generic-api-key:1')).toHaveLength(1);
    expect(list('.gitleaksignore', '# why')).toEqual([]);
    expect(list('.gitleaksignore', '  ')).toEqual([]);
  });

  it('looks at added lines alone, and not over a whole tree', () => {
    const kept: HunkLine = { type: 'context', oldLine: 1, newLine: 1, text: 'f() # nosec' };
    const gone: HunkLine = { type: 'deleted', oldLine: 2, text: 'f() # nosec' };
    expect(listAddedSuppressions(change('a.py', [kept, gone])).added).toEqual([]);
    expect(listAddedSuppressions(change('a.py', [added('f() # nosec')], true)).added).toEqual([]);
  });

  it('cuts long lines and long lists and says how many', () => {
    const lines = Array.from({ length: MAX_ADDED_SUPPRESSIONS + 7 }, (_, index) =>
      added(`${'é'.repeat(900)} # nosec`, index + 1),
    );
    const { added: listed, cut } = listAddedSuppressions(change('a.py', lines));
    expect(listed).toHaveLength(MAX_ADDED_SUPPRESSIONS);
    expect([...(listed[0]?.text ?? '')]).toHaveLength(200);
    expect(cut).toBe(7);
  });
});
