import { expect, test } from 'vitest';
import { toGateWord } from '../../src/findings/gate.ts';
import { isFailingStep, toOutputs } from '../../src/publish/outputs.ts';
import { buildFinding, buildReport } from './build-report.ts';

const HEAD = 'a'.repeat(40);
const NAMES = [
  'conclusion',
  'gate',
  'findings',
  'top-tier',
  'score',
  'cost-usd',
  'review-url',
  'check-url',
  'report-file',
  'sarif-file',
  'fix-urls',
];
const published = { reviewUrl: 'r', checkUrl: 'c', reportFile: 'j', sarifFile: 's' };

test('every output of the contract is set, with and without a report', () => {
  const report = buildReport({ headSha: HEAD, findings: [buildFinding('a')] });
  const outputs = toOutputs(report, toGateWord(report), published);
  expect(Object.keys(outputs)).toEqual(NAMES);
  expect(outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', findings: '1', 'cost-usd': '0.0000' });
  expect(Object.keys(toOutputs(null, 'error', published))).toEqual(NAMES);
  expect(toOutputs(null, 'error', published)).toMatchObject({ conclusion: 'failure', gate: 'error', findings: '0' });
  expect(toOutputs(null, 'empty', published)).toMatchObject({ conclusion: '', gate: 'empty' });
});

test('the gate of a report', () => {
  const gateOf = (change: object) => toGateWord(buildReport({ headSha: HEAD, change }));
  expect(gateOf({})).toBe('pass');
  expect(gateOf({ conclusion: 'neutral', gate: { tripped: false, reasons: ['bandit failed'] } })).toBe('incomplete');
  expect(gateOf({ conclusion: 'failure', gate: { tripped: true, reasons: ['1 high'] } })).toBe('tripped');
});

test.each([
  ['auto', 'tripped', true, false],
  ['auto', 'tripped', false, true],
  ['auto', 'error', false, true],
  ['auto', 'pass', false, false],
  ['auto', 'incomplete', false, false],
  ['true', 'tripped', true, true],
  ['true', 'error', true, true],
  ['true', 'incomplete', true, false],
  ['true', 'pass', true, false],
  ['false', 'tripped', false, false],
  ['false', 'error', false, false],
] as const)('fail-on-gate %s, gate %s, check %s: %s', (failOnGate, gate, hasCheck, fails) => {
  expect(isFailingStep(failOnGate, gate, hasCheck)).toBe(fails);
});
