import { describe, expect, it } from 'vitest';
import { namesRule } from '../../src/findings/identity.ts';
import type { SuppressEntry } from '../../src/policy/schema.ts';
import { applySuppressions, type Suppressible } from '../../src/policy/suppressions.ts';

const finding = (over: Partial<Suppressible> = {}): Suppressible => ({
  fingerprint: `0123abcd${'0'.repeat(56)}`,
  aliases: [`feedbeef${'0'.repeat(56)}`],
  path: 'internal/api/run.go',
  primary: { tool: 'gosec', ruleId: 'G204' },
  ...over,
});
const apply = (entries: SuppressEntry[], findings = [finding()], disabledRules: string[] = []) =>
  applySuppressions(findings, { entries, disabledRules, today: '2026-11-30', namesRule });
const reason = 'known and harmless';

describe('applySuppressions', () => {
  it.each<[string, SuppressEntry, boolean]>([
    ['a rule', { rule: 'G204', reason }, true],
    ['a rule with its tool', { rule: 'gosec/G204', reason }, true],
    ['another rule', { rule: 'G20', reason }, false],
    ['a rule in a folder', { rule: 'G204', paths: ['internal/**'], reason }, true],
    ['a rule in another folder', { rule: 'G204', paths: ['cmd/**', '*.go'], reason }, false],
    ['a short fingerprint', { fingerprint: '0123abcd', reason }, true],
    ['the whole fingerprint', { fingerprint: `0123abcd${'0'.repeat(56)}`, reason }, true],
    ['an alias', { fingerprint: 'feedbeef', reason }, true],
    ['another fingerprint', { fingerprint: '0123abce', reason }, false],
    ['a fingerprint in another file', { fingerprint: '0123abcd', paths: ['docs/**'], reason }, false],
    ['an entry on its last day', { rule: 'G204', reason, until: '2026-11-30' }, true],
    ['an expired entry', { rule: 'G204', reason, until: '2026-11-29' }, false],
  ])('%s', (_name, entry, expected) => {
    const [marked] = apply([entry]).findings;
    const until = entry.until === undefined ? {} : { until: entry.until };
    expect(marked?.suppressed).toEqual(expected ? { reason, ...until } : undefined);
  });

  it('knows one rule of ruff and bandit by both names', () => {
    const bandit = finding({ primary: { tool: 'bandit', ruleId: 'B602' } });
    expect(apply([{ rule: 'S602', reason }], [bandit]).findings[0]?.suppressed).toEqual({ reason });
  });

  it('says which entries expired and which covered nothing, and drops no finding', () => {
    const entries: SuppressEntry[] = [
      { rule: 'G204', reason: 'first' },
      { rule: 'G204', reason: 'second' },
      { rule: 'G999', reason },
      { fingerprint: 'abcdef01', reason, until: '2020-01-01' },
    ];
    const { findings, notices } = apply(entries, [finding(), finding({ path: 'a.go' })]);
    expect(findings.map(one => one.suppressed?.reason)).toEqual(['first', 'first']);
    expect(notices).toEqual([
      'Suppression 4 (fingerprint abcdef01) expired on 2020-01-01 and is not applied.',
      'Suppression 3 (rule G999) covers no finding of this run.',
    ]);
  });

  it('marks rules that the policy switches off, without a notice where there is none', () => {
    const { findings, notices } = apply([], [finding()], ['G204', 'G104']);
    expect(findings[0]?.suppressed?.reason).toBe('rule G204 is switched off by scanners.rules.disable');
    expect(notices).toEqual([]);
  });
});
