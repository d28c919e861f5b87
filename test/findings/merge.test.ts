import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawFinding } from '../../src/core/finding.ts';
import { severityRank } from '../../src/core/finding.ts';
import { agreedConfidence, mergeFindings } from '../../src/findings/merge.ts';
import { anyRaw, raw } from './builders.ts';

const ruff = (over: Partial<RawFinding> = {}) => raw({ tool: 'ruff', ruleId: 'S602', path: 'a.py', ...over });
const bandit = (over: Partial<RawFinding> = {}) => raw({ tool: 'bandit', ruleId: 'B602', path: 'a.py', ...over });
const eslint = (over: Partial<RawFinding> = {}) =>
  raw({ tool: 'eslint', ruleId: 'security/detect-eval-with-expression', path: 'a.js', cwe: ['CWE-95'], ...over });
const astGrep = (over: Partial<RawFinding> = {}) =>
  raw({ tool: 'ast-grep', ruleId: 'js-eval', path: 'a.js', cwe: ['CWE-95'], ...over });
const gitleaks = (over: Partial<RawFinding> = {}) =>
  raw({
    tool: 'gitleaks',
    ruleId: 'generic-api-key',
    path: 'a.js',
    cwe: ['CWE-798'],
    matchedText: 'key = "abcdefgh12"',
    ...over,
  });

const shape = (findings: readonly RawFinding[]) =>
  mergeFindings(findings).map(finding => finding.members.map(member => `${member.tool}:${member.ruleId}`));

describe('mergeFindings', () => {
  it.each<[string, RawFinding[], string[][]]>([
    [
      'two tools, same place, same CWE',
      [eslint(), astGrep()],
      [['ast-grep:js-eval', 'eslint:security/detect-eval-with-expression']],
    ],
    [
      'a CWE that is the same weakness',
      [eslint({ cwe: ['CWE-94'] }), astGrep()],
      [['ast-grep:js-eval', 'eslint:security/detect-eval-with-expression']],
    ],
    [
      'overlapping ranges',
      [eslint({ startLine: 4, endLine: 4 }), astGrep({ startLine: 2, endLine: 6 })],
      [['ast-grep:js-eval', 'eslint:security/detect-eval-with-expression']],
    ],
    [
      'ranges that only touch',
      [eslint({ startLine: 4 }), astGrep({ startLine: 2, endLine: 3 })],
      [['ast-grep:js-eval'], ['eslint:security/detect-eval-with-expression']],
    ],
    [
      'different CWEs',
      [eslint({ cwe: ['CWE-22'] }), astGrep()],
      [['ast-grep:js-eval'], ['eslint:security/detect-eval-with-expression']],
    ],
    [
      'no CWE',
      [eslint({ cwe: [] }), astGrep({ cwe: [] })],
      [['ast-grep:js-eval'], ['eslint:security/detect-eval-with-expression']],
    ],
    [
      'different files',
      [eslint({ path: 'b.js' }), astGrep()],
      [['ast-grep:js-eval'], ['eslint:security/detect-eval-with-expression']],
    ],
    [
      'a path written with ./',
      [eslint({ path: './a.js' }), astGrep()],
      [['ast-grep:js-eval', 'eslint:security/detect-eval-with-expression']],
    ],
    [
      'ruff and bandit with one number, without a common CWE',
      [bandit({ cwe: ['CWE-78'] }), ruff({ cwe: [] })],
      [['ruff:S602', 'bandit:B602']],
    ],
    [
      'ruff and bandit with other numbers but one CWE',
      [bandit({ ruleId: 'B607' }), ruff()],
      [['ruff:S602'], ['bandit:B607']],
    ],
    ['two rules of one tool', [ruff(), ruff({ ruleId: 'S607' })], [['ruff:S602'], ['ruff:S607']]],
    [
      'one tool twice at the same spot',
      [ruff({ startColumn: 3 }), ruff({ startColumn: 3 })],
      [['ruff:S602', 'ruff:S602']],
    ],
    [
      'one tool twice on a line, other columns',
      [ruff({ startColumn: 3 }), ruff({ startColumn: 30 })],
      [['ruff:S602'], ['ruff:S602']],
    ],
    [
      'two generic and specific gitleaks rules on one place',
      [gitleaks(), gitleaks({ ruleId: 'aws-access-token', matchedText: 'AKIA' })],
      [['gitleaks:aws-access-token', 'gitleaks:generic-api-key']],
    ],
    [
      'two gitleaks rules at two spots of a line',
      [
        gitleaks({ startColumn: 1, endColumn: 10 }),
        gitleaks({ ruleId: 'aws-access-token', startColumn: 10, endColumn: 20 }),
      ],
      [['gitleaks:generic-api-key'], ['gitleaks:aws-access-token']],
    ],
    [
      'one secret in two commits and at the head',
      [
        gitleaks({ commit: 'b'.repeat(40), startLine: 9 }),
        gitleaks({ startLine: 3 }),
        gitleaks({ commit: 'a'.repeat(40), startLine: 7 }),
      ],
      [['gitleaks:generic-api-key', 'gitleaks:generic-api-key', 'gitleaks:generic-api-key']],
    ],
    [
      'other secrets at one line in two commits',
      [gitleaks({ commit: 'b'.repeat(40), matchedText: 'key = "other-secret"' }), gitleaks({ commit: 'a'.repeat(40) })],
      [['gitleaks:generic-api-key'], ['gitleaks:generic-api-key']],
    ],
  ])('%s', (_name, findings, expected) => {
    const sorted = (groups: string[][]) => groups.map(group => group.join()).sort();
    expect(sorted(shape(findings))).toEqual(sorted(expected));
    expect(sorted(shape([...findings].reverse()))).toEqual(sorted(expected));
  });

  it('pairs two and two on one line by their columns', () => {
    const merged = mergeFindings([
      bandit({ startColumn: 30 }),
      ruff({ startColumn: 5 }),
      bandit({ startColumn: 5 }),
      ruff({ startColumn: 30 }),
    ]);
    expect(merged.map(finding => finding.members.map(member => member.startColumn))).toEqual([
      [5, 5],
      [30, 30],
    ]);
  });

  it('takes the highest severity, all CWEs, all lines, and the primary of the documented order', () => {
    const [merged] = mergeFindings([
      eslint({ severity: 'high', startLine: 2, endLine: 9, cwe: ['CWE-94'], confidence: 0.5 }),
      astGrep({ severity: 'low', startLine: 4, confidence: 0.4 }),
    ]);
    expect(merged).toMatchObject({
      severity: 'high',
      tools: ['ast-grep', 'eslint'],
      cwe: ['CWE-95', 'CWE-94'],
      span: { start: 2, end: 9 },
      confidence: 0.65,
    });
    expect(merged?.primary.tool).toBe('ast-grep');
  });

  it('merges twenty thousand findings of one line in good time', () => {
    const many = Array.from({ length: 20_000 }, (_, index) =>
      (index % 2 === 0 ? eslint : astGrep)({ startColumn: index, endColumn: index + 2 }),
    );
    const started = performance.now();
    expect(mergeFindings(many).flatMap(finding => finding.members)).toHaveLength(20_000);
    expect(performance.now() - started).toBeLessThan(6_000);
  });
});

describe('agreedConfidence', () => {
  it.each([
    ['one tool', [ruff({ confidence: 0.6 })], 0.6],
    ['one family is one opinion', [ruff({ confidence: 0.6 }), bandit({ confidence: 0.5 })], 0.6],
    ['two independent tools', [ruff({ confidence: 0.6 }), astGrep({ confidence: 0.5 })], 0.72],
    ['three', [ruff({ confidence: 0.6 }), astGrep(), eslint({ confidence: 0.1 })], 0.902],
    ['never above 0.99 by agreement', [ruff({ confidence: 0.989 }), astGrep(), eslint(), gitleaks()], 0.99],
    ['a certain tool stays certain', [ruff({ confidence: 1 }), astGrep()], 1],
    ['rubbish is clamped', [ruff({ confidence: 7 })], 1],
  ])('%s', (_name, members, expected) => {
    expect(agreedConfidence(members)).toBeCloseTo(expected, 3);
  });
});

describe('laws of merging', () => {
  const sets = fc.array(anyRaw, { maxLength: 14 });
  const canonical = (findings: readonly RawFinding[]) =>
    mergeFindings(findings)
      .map(finding => JSON.stringify(finding))
      .sort();

  it('does not depend on the order of the input', () => {
    fc.assert(
      fc.property(sets, fc.infiniteStream(fc.nat()), (findings, keys) => {
        const shuffled = findings.map(finding => ({ finding, key: keys.next().value })).sort((a, b) => a.key - b.key);
        expect(canonical(shuffled.map(({ finding }) => finding))).toEqual(canonical(findings));
      }),
    );
  });

  it('merging what was merged changes nothing', () => {
    fc.assert(
      fc.property(sets, findings => {
        const once = mergeFindings(findings);
        expect(canonical(once.flatMap(finding => finding.members))).toEqual(canonical(findings));
      }),
    );
  });

  it('drops no finding, invents none, and lowers no severity or confidence', () => {
    fc.assert(
      fc.property(sets, findings => {
        const merged = mergeFindings(findings);
        const members = merged.flatMap(finding => finding.members);
        expect(members.map(member => JSON.stringify(member)).sort()).toEqual(
          findings.map(one => JSON.stringify(one)).sort(),
        );
        for (const finding of merged) {
          for (const member of finding.members) {
            expect(severityRank(finding.severity)).toBeLessThanOrEqual(severityRank(member.severity));
            expect(finding.confidence).toBeGreaterThanOrEqual(member.confidence);
            expect(finding.tools).toContain(member.tool);
          }
        }
      }),
    );
  });
});
