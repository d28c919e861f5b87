import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONFIDENCE_BY_SOURCE } from '../../src/risk/data/confidence-table.ts';
import { bestTier, groupRisk } from '../../src/risk/group.ts';
import { riskOf, scoreFor, tierOf } from '../../src/risk/tier.ts';
import { anyFacts, anyIntel, anyRow, brokenRow, HOSTS, score } from './rows.ts';

const RUNS = { numRuns: 400 };

describe('what a score guarantees, whatever the row', () => {
  test('an open proven finding is always in the first tier', () => {
    fc.assert(
      fc.property(anyRow, anyFacts, anyIntel, (row, facts, intel) => {
        const result = score({ ...row, validation_status: 'validated' }, facts, intel);
        expect(result.proven).toBe(true);
        if (result.state === 'open') expect([result.tier, result.tierRule]).toEqual(['T1', 'proven']);
      }),
      RUNS,
    );
  });

  test('nothing without impact leaves the last tier unless it is proven, on a sensitive asset either', () => {
    const facts = { sensitive_hosts: HOSTS, live_hosts: HOSTS };
    fc.assert(
      fc.property(anyRow, anyIntel, (row, intel) => {
        const result = score({ ...row, tags: ['tech'], cisa_kev: true }, facts, intel);
        expect(result.factors.I).toBeLessThanOrEqual(0.02);
        if (!result.proven) expect(result.tier).toBe('T4');
      }),
      RUNS,
    );
  });

  test('raising a factor never lowers the score', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const inputs = fc.record({ proven: fc.boolean(), kev: fc.boolean() });
    const factors = fc.record({ C: share, L: share, I: fc.double({ min: 0, max: 1.2, noNaN: true }), R: share });
    const toScore = (i: { proven: boolean; kev: boolean }, f: { C: number; L: number; I: number; R: number }) =>
      scoreFor(tierOf(i, f).tier, riskOf(f));
    fc.assert(
      fc.property(inputs, factors, fc.constantFrom('C', 'L', 'I', 'R'), share, (i, f, name, more) => {
        const raised = { ...f, [name]: Math.min(name === 'I' ? 1.2 : 1, f[name as 'C'] + more) };
        expect(toScore(i, raised)).toBeGreaterThanOrEqual(toScore(i, f));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(['nuclei', 'gvm', 'shodan', 'js_recon'])('a graver severity never scores lower (%s)', source => {
    const ladder = ['info', 'low', 'medium', 'high', 'critical'].map(
      severity => score({ id: 'f', label: 'Vulnerability', source, severity }).score,
    );
    expect(ladder).toEqual(ladder.toSorted((a, b) => a - b));
    expect(ladder.at(-1)).toBeGreaterThan(source === 'js_recon' ? (ladder[0] ?? 0) - 1 : (ladder[0] ?? 0));
  });

  test('a better quality of detection never scores lower', () => {
    const ladder = [10, 50, 80, 98].map(qod => score({ id: 'f', source: 'gvm', severity: 'high', qod }).score);
    expect(ladder).toEqual(ladder.toSorted((a, b) => a - b));
    expect(ladder.at(-1)).toBeGreaterThan(ladder[0] ?? 0);
  });

  test('learning that a host is live never lowers a score, where the URL asks for no login', () => {
    fc.assert(
      fc.property(anyRow, anyFacts, anyIntel, (row, { live_hosts, auth_required_hosts, ...facts }, intel) => {
        const before = score(row, facts, intel).score;
        expect(score(row, { ...facts, live_hosts: HOSTS }, intel).score).toBeGreaterThanOrEqual(before);
      }),
      RUNS,
    );
  });

  test('what is resolved is never ranked', () => {
    fc.assert(
      fc.property(anyRow, anyFacts, anyIntel, (row, facts, intel) => {
        const result = score({ ...row, stale_since: '2026-01-01' }, facts, intel);
        expect([result.score, result.risk, result.tier, result.state]).toEqual([0, 0, 'T4', 'fixed']);
      }),
      RUNS,
    );
  });

  test('taking any one column from a rich finding never raises its score', () => {
    const rich = {
      id: 'f',
      label: 'Vulnerability',
      source: 'nuclei',
      severity: 'critical',
      triage_host: 'h1',
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      cvss_score: 9,
      cve_ids: ['CVE-2021-1'],
      cisa_kev: true,
      has_exploit: true,
      category: 'rce',
      matcher_status: true,
      extracted_results: ['root:x:0:0'],
    };
    const facts = { live_hosts: ['h1'] };
    const whole = score(rich, facts).score;
    for (const column of Object.keys(rich)) {
      const { [column as 'id']: _, ...rest } = rich;
      expect([column, score(rest, facts).score <= whole]).toEqual([column, true]);
    }
  });

  test('every source in the table has a confidence above 0 and at most 1', () => {
    expect(CONFIDENCE_BY_SOURCE.size).toBe(63);
    for (const value of CONFIDENCE_BY_SOURCE.values()) expect(value > 0 && value <= 1).toBe(true);
  });

  test('the same input gives the same answer', () => {
    fc.assert(
      fc.property(anyRow, anyFacts, anyIntel, (row, facts, intel) => {
        expect(score(row, facts, intel)).toEqual(score(structuredClone(row), facts, intel));
      }),
      RUNS,
    );
  });

  test('a group is at least as risky as its worst member and never above 1', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), risks => {
        const risk = groupRisk(risks);
        expect(risk).toBeGreaterThanOrEqual(Math.max(...risks) - 1e-9);
        expect(risk).toBeLessThanOrEqual(1);
      }),
    );
    expect(groupRisk([0.3])).toBe(0.3);
    expect([bestTier([]), bestTier(['T3', 'T1', 'T2'])]).toEqual(['T4', 'T1']);
  });

  test('a row of any values at all is scored, with numbers in their bounds', () => {
    fc.assert(
      fc.property(brokenRow, anyFacts, (row, facts) => {
        const { factors, score: points, risk } = score(row, facts);
        for (const name of ['C', 'L', 'R'] as const) expect(factors[name] >= 0 && factors[name] <= 1).toBe(true);
        expect(factors.I >= 0 && factors.I <= 1.2).toBe(true);
        expect(points >= 0 && points <= 100 && risk >= 0 && risk <= 1).toBe(true);
      }),
      { numRuns: 1_500 },
    );
  });
});
