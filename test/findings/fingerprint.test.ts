import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawFinding } from '../../src/core/finding.ts';
import { fingerprintFindings, toFingerprint } from '../../src/findings/fingerprint.ts';
import { namesRule, normalisePath, toIdentity } from '../../src/findings/identity.ts';
import { mergeFindings } from '../../src/findings/merge.ts';
import { anyRaw, raw } from './builders.ts';

const identify = (findings: readonly RawFinding[], lineOf?: (path: string, line: number) => string | undefined) =>
  fingerprintFindings(mergeFindings(findings), lineOf);
const only = (findings: readonly RawFinding[], lineOf?: (path: string, line: number) => string | undefined): string =>
  identify(findings, lineOf)[0]?.fingerprint ?? '';

describe('fingerprintFindings', () => {
  it('has the documented byte form', () => {
    const bytes = '["cypherfix-finding-1","gosec","G204","cmd/run.go","exec.Command( \\"é\\" )",0]';
    const expected = createHash('sha256').update(Buffer.from(bytes, 'utf8')).digest('hex');
    expect(only([raw({ path: './cmd//run.go', matchedText: '  exec.Command(\n\t"é" )' })])).toBe(expected);
  });

  const base = raw({ startLine: 5 });
  it.each<[string, Partial<RawFinding>]>([
    ['a moved line', { startLine: 90, endLine: 90 }],
    ['other indentation and line breaks', { matchedText: 'exec.Command(name)\r\n' }],
    ['another message, severity or confidence', { message: 'x', severity: 'low', confidence: 0.1, title: 'y' }],
    ['other columns', { startColumn: 7, endColumn: 9 }],
    ['a path with a leading ./', { path: './cmd/run.go' }],
  ])('stays with %s', (_name, over) => {
    expect(only([raw({ ...base, ...over })])).toBe(only([base]));
  });

  it.each<[string, Partial<RawFinding>]>([
    ['a renamed file', { path: 'cmd/other.go' }],
    ['another rule', { ruleId: 'G304' }],
    ['another tool', { tool: 'ast-grep' }],
    ['another text', { matchedText: 'exec.Command(other)' }],
  ])('changes with %s', (_name, over) => {
    expect(only([raw({ ...base, ...over })])).not.toBe(only([base]));
  });

  it('counts equal texts of one file in line order', () => {
    const three = identify([raw({ startLine: 30 }), raw({ startLine: 10 }), raw({ startLine: 20 })]);
    const identity = toIdentity(base);
    expect(three.map(finding => finding.fingerprint)).toEqual([0, 1, 2].map(n => toFingerprint(identity, n)));
  });

  it('is the same when ruff, bandit or both report a weakness', () => {
    const line = '    subprocess.call("ls " + name, shell=True)';
    const lineOf = () => line;
    const ruff = raw({ tool: 'ruff', ruleId: 'S602', path: 'a.py', startColumn: 5, matchedText: 'subprocess.call' });
    const bandit = raw({
      tool: 'bandit',
      ruleId: 'B602',
      path: 'a.py',
      startColumn: 5,
      matchedText: line.trim(),
      endLine: 3,
    });
    expect(only([ruff], lineOf)).toBe(only([bandit], lineOf));
    expect(only([ruff, bandit], lineOf)).toBe(only([bandit], lineOf));
    const twice = [ruff, bandit, { ...ruff, startColumn: 50 }, { ...bandit, startColumn: 50, endLine: 1 }];
    expect(identify(twice, lineOf).map(finding => finding.fingerprint)).toEqual(
      identify([ruff, { ...ruff, startColumn: 50 }], lineOf).map(finding => finding.fingerprint),
    );
  });

  it('names every tool with the id that it would have alone', () => {
    const eslint = raw({ tool: 'eslint', ruleId: 'detect-child-process' });
    const astGrep = raw({ tool: 'ast-grep', ruleId: 'js-exec' });
    const [merged] = identify([eslint, astGrep]);
    expect(merged?.mergedFrom).toEqual([
      { tool: 'ast-grep', ruleId: 'js-exec', id: only([astGrep]).slice(0, 8) },
      { tool: 'eslint', ruleId: 'detect-child-process', id: only([eslint]).slice(0, 8) },
    ]);
    expect(merged?.aliases).toEqual([only([astGrep]), only([eslint])]);
    expect(merged?.id).toBe(merged?.fingerprint.slice(0, 8));
  });

  it('lengthens ids that would be the same', () => {
    // Found by trying: these two texts share the first 8 hex digits of their fingerprints.
    const [first, second] = collidingTexts();
    const findings = identify([raw({ matchedText: first, startLine: 1 }), raw({ matchedText: second, startLine: 9 })]);
    const ids = findings.map(finding => finding.id);
    expect(findings[0]?.fingerprint.slice(0, 8)).toBe(findings[1]?.fingerprint.slice(0, 8));
    expect(new Set(ids).size).toBe(2);
    expect(ids.every(id => id.length > 8)).toBe(true);
  });
});

/** A birthday search over 8 hex digits; about 80,000 hashes. */
function collidingTexts(): [string, string] {
  const seen = new Map<string, string>();
  for (let n = 0; ; n++) {
    const text = `t${n}`;
    const head = toFingerprint({ ...toIdentity(raw()), text }, 0).slice(0, 8);
    const other = seen.get(head);
    if (other !== undefined) return [other, text];
    seen.set(head, text);
  }
}

describe('laws of fingerprints', () => {
  const sets = fc.array(anyRaw, { minLength: 1, maxLength: 14 });

  it('moving all lines of a file changes nothing', () => {
    fc.assert(
      fc.property(sets, fc.integer({ min: 1, max: 1_000 }), (findings, by) => {
        const moved = findings.map(one => ({ ...one, startLine: one.startLine + by, endLine: one.endLine + by }));
        const prints = (set: readonly RawFinding[]) =>
          identify(set)
            .map(finding => finding.fingerprint)
            .sort();
        // Blocks of lines bound only how many candidates are looked at, never with so few findings.
        expect(prints(moved)).toEqual(prints(findings));
      }),
    );
  });

  it('fingerprints and ids of one run are unique, and every raw finding is in some mergedFrom', () => {
    fc.assert(
      fc.property(sets, findings => {
        const identified = identify(findings);
        expect(new Set(identified.map(finding => finding.fingerprint)).size).toBe(identified.length);
        expect(new Set(identified.map(finding => finding.id)).size).toBe(identified.length);
        for (const finding of identified) {
          expect(finding.fingerprint).toMatch(/^[0-9a-f]{64}$/);
          expect(finding.fingerprint.startsWith(finding.id)).toBe(true);
          expect(finding.mergedFrom[0]).toMatchObject({ tool: finding.primary.tool, id: finding.id });
        }
        const named = new Set(
          identified.flatMap(finding => finding.mergedFrom.map(from => `${finding.path} ${from.tool} ${from.ruleId}`)),
        );
        for (const one of findings) expect(named).toContain(`${one.path} ${one.tool} ${one.ruleId}`);
      }),
    );
  });
});

describe('namesRule', () => {
  it.each([
    ['G204', 'gosec', 'G204', true],
    ['gosec/G204', 'gosec', 'G204', true],
    ['bandit/G204', 'gosec', 'G204', false],
    ['S602', 'bandit', 'B602', true],
    ['B602', 'ruff', 'S602', true],
    ['ruff/S602', 'bandit', 'B602', true],
    ['ruff/B602', 'bandit', 'B602', false],
    ['S607', 'bandit', 'B602', false],
    ['602', 'bandit', 'B602', false],
    ['security/detect-eval', 'eslint', 'security/detect-eval', true],
  ])('%s for %s %s: %s', (written, tool, ruleId, expected) => {
    expect(namesRule(written, tool, ruleId)).toBe(expected);
  });
});

describe('normalisePath', () => {
  it.each([
    ['a/b', 'a/b'],
    ['./a//b', 'a/b'],
    ['/a', 'a'],
    ['a/../b', 'a/../b'],
    [' a /ü', ' a /ü'],
  ])('%j is %j', (path, expected) => {
    expect(normalisePath(path)).toBe(expected);
  });
});
