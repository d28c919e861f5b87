import fc from 'fast-check';
import type { Change, FileChange, Hunk, HunkLine } from '../../src/core/change.ts';
import type { RawFinding } from '../../src/core/finding.ts';
import { fingerprintFindings } from '../../src/findings/fingerprint.ts';
import type { LineOf } from '../../src/findings/identity.ts';
import { type IntroducedFinding, markIntroduced } from '../../src/findings/introduced.ts';
import { mergeFindings } from '../../src/findings/merge.ts';

export function raw(over: Partial<RawFinding> = {}): RawFinding {
  const startLine = over.startLine ?? 1;
  return {
    tool: 'gosec',
    ruleId: 'G204',
    title: 'Command from a variable',
    message: 'Subprocess launched with variable',
    severity: 'medium',
    confidence: 0.8,
    cwe: ['CWE-78'],
    path: 'cmd/run.go',
    startLine,
    endLine: startLine,
    matchedText: 'exec.Command(name)',
    ...over,
  };
}

/** A file whose hunks are written as lines: `+` added, `-` deleted, space context; `start` is the first new line. */
export function file(
  path: string,
  hunks: readonly { start: number; lines: string }[],
  over: Partial<FileChange> = {},
): FileChange {
  const built = hunks.map(({ start, lines }) => hunk(start, lines));
  const all = built.flatMap(one => one.lines);
  return {
    path,
    status: 'modified',
    kind: 'text',
    oldMode: '100644',
    newMode: '100644',
    oldBlob: '1'.repeat(40),
    newBlob: '2'.repeat(40),
    additions: all.filter(line => line.type === 'added').length,
    deletions: all.filter(line => line.type === 'deleted').length,
    hunks: built,
    ...over,
  };
}

function hunk(start: number, signs: string): Hunk {
  let next = start;
  const lines = [...signs].map((sign): HunkLine => {
    if (sign === '-') return { type: 'deleted', oldLine: next, text: 'old' };
    const newLine = next++;
    return sign === '+'
      ? { type: 'added', newLine, text: 'new' }
      : { type: 'context', oldLine: newLine, newLine, text: 'same' };
  });
  const newLines = next - start;
  const oldLines = lines.filter(line => line.type !== 'added').length;
  return { oldStart: start, oldLines, newStart: newLines === 0 ? start - 1 : start, newLines, section: '', lines };
}

export const change = (files: readonly FileChange[], over: Partial<Change> = {}): Change => ({
  baseSha: 'a'.repeat(40),
  mergeBaseSha: 'b'.repeat(40),
  headSha: 'c'.repeat(40),
  wholeTree: false,
  files,
  ...over,
});

/** Raw findings through merging, fingerprints and marking. */
export const introduce = (
  findings: readonly RawFinding[],
  of: Change,
  twins: readonly RawFinding[] = [],
  lineOf?: LineOf,
): IntroducedFinding[] =>
  markIntroduced(
    fingerprintFindings(mergeFindings(findings), lineOf),
    of,
    twins,
    lineOf === undefined ? {} : { lineOf },
  );

/** Findings of several tools crowded on few lines of two files, so that they meet often. */
export const anyRaw: fc.Arbitrary<RawFinding> = fc
  .record({
    rule: fc.constantFrom(
      ['ruff', 'S602', 'CWE-78'],
      ['bandit', 'B602', 'CWE-78'],
      ['ruff', 'S607', 'CWE-78'],
      ['bandit', 'B105', 'CWE-259'],
      ['ast-grep', 'py-shell', 'CWE-78'],
      ['ast-grep', 'js-eval', 'CWE-95'],
      ['eslint', 'security/detect-eval-with-expression', 'CWE-94'],
      ['eslint', 'security/detect-object-injection', 'CWE-915'],
      ['gosec', 'G204', 'CWE-78'],
      ['gitleaks', 'generic-api-key', 'CWE-798'],
      ['gitleaks', 'aws-access-token', 'CWE-798'],
      ['own', 'x1', 'CWE-78'],
    ),
    path: fc.constantFrom('a.py', 'src/b.py'),
    startLine: fc.integer({ min: 1, max: 8 }),
    length: fc.integer({ min: 0, max: 3 }),
    startColumn: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    severity: fc.constantFrom('critical', 'high', 'medium', 'low', 'info'),
    confidence: fc.constantFrom(0.3, 0.6, 0.9, 1),
    matchedText: fc.constantFrom('f(x)', 'g( y )', 'token-0123456789'),
    commit: fc.option(fc.constantFrom('d'.repeat(40), 'e'.repeat(40)), { nil: undefined, freq: 6 }),
  })
  .map(({ rule: [tool = '', ruleId = '', cwe = ''], length, startColumn, commit, ...rest }) =>
    raw({
      tool,
      ruleId,
      cwe: [cwe],
      endLine: rest.startLine + length,
      ...(startColumn === undefined ? {} : { startColumn, endColumn: startColumn + 2 }),
      ...(commit === undefined || tool !== 'gitleaks' ? {} : { commit }),
      ...rest,
    } as Partial<RawFinding>),
  );
