import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ReportRisk } from '../../src/core/report.ts';
import { pathKindOf, type ScorableFinding, scoreFinding, toCodeFindingRow } from '../../src/risk/code-finding.ts';
import { WEAKNESS_CLASSES } from '../../src/risk/data/weakness-table.ts';
import { NO_FACTS, parseFacts } from '../../src/risk/facts.ts';
import { NO_INTEL } from '../../src/risk/row.ts';

const finding = (changes: Partial<ScorableFinding> = {}): ScorableFinding => ({
  fingerprint: 'f'.repeat(64),
  tool: 'ast-grep',
  ruleId: 'js-sql-injection',
  title: 'SQL built from input',
  message: 'm',
  severity: 'high',
  confidence: 0.8,
  cwe: ['CWE-89'],
  path: 'src/db.ts',
  tools: ['ast-grep'],
  ...changes,
});
const risk = (changes: Partial<ScorableFinding> = {}, context = { public: false }, facts = NO_FACTS) =>
  scoreFinding(toCodeFindingRow(finding(changes), context), facts, NO_INTEL);

test('a finding of the report is ranked with its factors, in the form of the report', () => {
  const result = risk();
  expect(ReportRisk.parse(result)).toEqual({
    C: { value: 0.8, evidence: 'reported by ast-grep with confidence 0.80' },
    L: { value: 0.7, evidence: 'the sqli class prior' },
    I: { value: 0.75, evidence: 'severity high' },
    R: { value: 0.8, evidence: 'no reachability evidence either way' },
    risk: 0.336,
    tier: 'T2',
    score: 58.4,
    state: 'open',
    rule: 'likely real, likely exploited, real impact, reachable',
  });
});

describe('class by CWE', () => {
  test('the gravest of several decides; hardening is capped, unknown numbers are unclassified', () => {
    expect(risk({ cwe: ['CWE-703', 'CWE-78'] }).L.evidence).toBe('the command_injection class prior');
    expect(risk({ cwe: ['CWE-1004'], severity: 'critical' }).I).toMatchObject({ value: 0.1 });
    expect(risk({ cwe: ['CWE-1004'] }).tier).toBe('T4');
    expect(risk({ cwe: ['CWE-99999'] }).L.evidence).toBe('the unclassified class prior');
  });

  test('every CWE that our rules and scanners name has a class', () => {
    const named = new Set<string>();
    for (const folder of ['rules', 'src/scanners']) {
      for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(ya?ml|ts)$/.test(path)) continue;
        for (const [id] of readFileSync(join(folder, path), 'utf8').matchAll(/CWE-[1-9]\d*/g)) named.add(id);
      }
    }
    expect(named.size).toBeGreaterThan(30);
    expect([...named].filter(id => !WEAKNESS_CLASSES.has(id))).toEqual([]);
  });
});

describe('confidence', () => {
  test('names the tools that agree, and a scanner alone is never certain', () => {
    expect(risk({ tools: ['ast-grep', 'gosec'] }).C.evidence).toBe(
      'reported by ast-grep with confidence 0.80; gosec agrees',
    );
    expect(risk({ tools: ['ast-grep', 'gosec', 'taint'], confidence: 1 }).C).toEqual({
      value: 0.95,
      evidence: 'reported by ast-grep with confidence 1.00; gosec and taint agree',
    });
    expect(risk({ confidence: 0 }).C.value).toBe(0.05);
  });

  test.each([
    ['ast-grep', 0.75],
    ['gitleaks', 0.75],
    ['taint', 0.75],
    ['gosec', 0.6],
    ['bandit', 0.6],
    ['ruff', 0.6],
    ['eslint', 0.6],
    ['reviewer', 0.6],
  ])('%s without a confidence of its own', (source, value) => {
    const { C } = scoreFinding({ id: 'f', label: 'CodeFinding', source }, NO_FACTS, NO_INTEL);
    expect(C).toEqual({ value, evidence: `detected by ${source}` });
  });

  test('verdicts on the same rule move it', () => {
    const facts = parseFacts({ detector_labels: { 'code:ast-grep:js-sql-injection': { real: 0, fp: 10 } } });
    expect(risk({}, { public: false }, facts).C).toEqual({
      value: 0.4,
      evidence: 'reported by ast-grep with confidence 0.80; you judged 0 of 10 of these real',
    });
  });
});

describe('reach', () => {
  const secret = { tool: 'gitleaks', ruleId: 'aws', cwe: ['CWE-798'], severity: 'critical' } as const;
  test.each([
    ['the repository is public', 1, { ...secret, path: 'test/a.ts' }, { public: true }],
    ['test code, which is not deployed', 0.3, { ...secret, path: 'test/a.ts' }, { public: false }],
    ['example code, which is seldom deployed', 0.5, { path: 'examples/a.ts' }, { public: true }],
    ['the code is public, so anyone can study it', 0.9, {}, { public: true }],
    ['no reachability evidence either way', 0.8, {}, { public: false }],
    ['a live endpoint on this host', 1, {}, { public: false, host: 'h' }],
    ['test code, which is not deployed', 0.3, { path: 'a_test.go' }, { public: false, host: 'h' }],
  ])('%s', (evidence, value, changes, context) => {
    expect(risk(changes, context, parseFacts({ live_hosts: ['h'] })).R).toEqual({ value, evidence });
  });

  test.each([
    ['src/test/a.ts', 'test'],
    ['pkg/a_test.go', 'test'],
    ['tests/conftest.py', 'test'],
    ['a/test_b.py', 'test'],
    ['web/A.spec.tsx', 'test'],
    ['src/FooTest.java', 'test'],
    ['docs/a.py', 'example'],
    ['.env.example', 'example'],
    ['src/latest/contest.py', ''],
    ['src/attestation.ts', ''],
    ['src/templates.ts', ''],
    ['test.ts', ''],
  ])('%s is %j', (path, kind) => {
    expect(pathKindOf(path)).toBe(kind);
  });
});

test('every finding is placed the same whatever the order of its numbers', () => {
  expect(risk({ cwe: ['CWE-79', 'CWE-89'] })).toEqual(risk({ cwe: ['CWE-89', 'CWE-79'] }));
});
