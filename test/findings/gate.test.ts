import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../src/core/change.ts';
import type { RawFinding } from '../../src/core/finding.ts';
import type { ScannerRun } from '../../src/core/ledger.ts';
import { type GateInput, toGate, toGateExitStatus, toGateWord } from '../../src/findings/gate.ts';
import type { PlaceableFinding } from '../../src/findings/place.ts';
import { change, file, introduce, raw } from './builders.ts';

const path = 'cmd/run.go';
const edited = change([file(path, [{ start: 1, lines: '++++' }])]);
const high = raw({ severity: 'high' });
const okRun: ScannerRun = { name: 'gosec', version: '1', status: 'ok', filesExamined: 1, findings: 0, durationMs: 1 };
const failedRun: ScannerRun = { ...okRun, status: 'failed', filesExamined: 0, message: 'exit code 2' };
const examined = { files: [{ path, status: 'modified', examinedBy: ['gosec'] }], complete: true };
const missed = {
  files: [{ path, status: 'modified', examinedBy: [], skipped: 'not examined: gosec did not read it' }],
  complete: false,
};

function gate(findings: RawFinding[], over: Partial<GateInput> = {}, marks: Partial<PlaceableFinding> = {}) {
  const marked = introduce(findings, edited).map(finding => ({ ...finding, ...marks }));
  return toGate({
    findings: marked,
    change: edited,
    ledger: examined,
    scanners: [okRun],
    failOn: ['critical', 'high'],
    ...over,
  });
}

describe('gate.max_tier', () => {
  const factor = { value: 1, evidence: '' };
  const ranked = (tier: string, over: Partial<GateInput> = {}, marks: Partial<PlaceableFinding> = {}) => {
    const [fingerprint = ''] = introduce([raw()], edited).map(finding => finding.fingerprint);
    const risk = { C: factor, L: factor, I: factor, R: factor, risk: 1, tier, score: 1, state: 'open', rule: '' };
    return gate([raw()], { maxTier: 'T3', ranks: new Map([[fingerprint, risk]]), ...over }, marks);
  };
  it.each([
    ['T1', 'failure'],
    ['T2', 'failure'],
    ['T3', 'success'],
    ['T4', 'success'],
  ])('T3 with a finding of %s → %s', (tier, conclusion) => {
    const result = ranked(tier);
    expect(result.conclusion).toBe(conclusion);
    if (conclusion === 'failure') expect(result.gate.reasons[0]).toContain('gate.max_tier');
  });
  it('null asks nothing of the ranking', () => {
    expect(ranked('T1', { maxTier: null }).conclusion).toBe('success');
  });
  it('does not count what is suppressed or was there before', () => {
    expect(ranked('T1', {}, { suppressed: { reason: 'known' } }).conclusion).toBe('success');
    expect(ranked('T1', {}, { introduced: false }).conclusion).toBe('success');
  });
  it('names a finding once when its severity trips the gate already', () => {
    expect(ranked('T1', { failOn: ['medium'] }).gate.reasons).toHaveLength(1);
  });
});

describe('toGate', () => {
  it.each<[string, ReturnType<typeof gate>, string, string]>([
    ['nothing found', gate([]), 'success', 'pass'],
    ['an introduced high one', gate([high]), 'failure', 'tripped'],
    ['an introduced medium one', gate([raw()]), 'success', 'pass'],
    ['a medium one where the policy says so', gate([raw()], { failOn: ['medium'] }), 'failure', 'tripped'],
    ['fail_on empty', gate([high], { failOn: [] }), 'success', 'pass'],
    ['a high one nearby', gate([raw({ severity: 'high', startLine: 90 })]), 'success', 'pass'],
    ['a suppressed high one', gate([high], {}, { suppressed: { reason: 'known' } }), 'success', 'pass'],
    ['a high one in a noisy place', gate([high], {}, { quiet: 'in a minified file' }), 'failure', 'tripped'],
    ['a scanner that failed', gate([], { scanners: [okRun, failedRun] }), 'neutral', 'incomplete'],
    [
      'a scanner that examined nothing',
      gate([], { scanners: [{ ...okRun, filesExamined: 0 }] }),
      'neutral',
      'incomplete',
    ],
    [
      'a scanner without files',
      gate([], { scanners: [{ ...okRun, status: 'skipped', filesExamined: 0 }] }),
      'success',
      'pass',
    ],
    ['a file that was missed', gate([], { ledger: missed }), 'neutral', 'incomplete'],
    ['tripped and incomplete', gate([high], { scanners: [failedRun] }), 'failure', 'tripped'],
  ])('%s', (_name, result, conclusion, word) => {
    expect(result.conclusion).toBe(conclusion);
    expect(result.word).toBe(word);
    expect(result.gate.tripped).toBe(conclusion === 'failure');
    expect(result.gate.reasons.length > 0).toBe(conclusion !== 'success');
    expect(toGateWord({ conclusion: result.conclusion, gate: { ...result.gate, reasons: [] } })).toBe(word);
  });

  it('gives its reasons in full sentences, both kinds where both hold', () => {
    const { gate: result } = gate([high], { scanners: [failedRun] });
    expect(result.reasons).toEqual([
      expect.stringMatching(
        /^Finding [0-9a-f]{8} \(high, gosec G204\) at cmd\/run\.go:1 is introduced by this change\.$/,
      ),
      'Scanner gosec failed: exit code 2.',
    ]);
    const secret = gate([raw({ tool: 'gitleaks', severity: 'critical', commit: 'abcdef0123456789' })]);
    expect(secret.gate.reasons[0]).toMatch(/at cmd\/run\.go in commit abcdef012345 is introduced/);
  });

  it('names fifty findings and counts the rest', () => {
    const wide = change([file(path, [{ start: 1, lines: '+'.repeat(80) }])]);
    const findings = introduce(
      Array.from({ length: 70 }, (_, index) => raw({ severity: 'high', startLine: index + 1 })),
      wide,
    );
    const { reasons } = toGate({ findings, change: wide, ledger: examined, scanners: [okRun], failOn: ['high'] }).gate;
    expect(reasons).toHaveLength(51);
    expect(reasons.at(-1)).toBe('20 more findings trip the gate.');
  });

  it('lets carried findings of reviewers count as those of this run, and says that they are', () => {
    const carried: Partial<RawFinding> = {
      tool: 'security',
      ruleId: 'path-traversal/CWE-22',
      severity: 'high',
      origin: 'reviewer',
      anchor: 'hunk',
      knownAs: 'ab'.repeat(32),
      carried: true,
    };
    const result = gate([raw(carried)]);
    expect(result.conclusion).toBe('failure');
    expect(result.gate.reasons).toEqual([
      `Finding abababab (high, security path-traversal/CWE-22) at ${path}:1 is carried from an earlier run: what it quotes still stands, and gate.fail_on lists high.`,
    ]);
    expect(gate([raw({ ...carried, anchor: 'file' })]).conclusion).toBe('success');
    expect(gate([raw({ ...carried, severity: 'medium' })]).conclusion).toBe('success');
    expect(gate([raw({ ...carried, confidence: 0.4 })]).conclusion).toBe('success');
  });

  it('is neutral where nobody can tell whether an earlier finding stands', () => {
    const result = gate([], { unsettled: ['Whether finding abababab still stands could not be told: binary.'] });
    expect(result).toMatchObject({ conclusion: 'neutral', word: 'incomplete' });
    expect(result.gate.reasons).toEqual(['Whether finding abababab still stands could not be told: binary.']);
  });

  it.each<[string, FileChange[], string | undefined]>([
    [
      'deletions',
      [file('a', [], { status: 'deleted' })],
      'The change holds deletions only (1 files): there is no text to examine.',
    ],
    [
      'binaries',
      [file('a', [], { kind: 'binary' }), file('b', [], { kind: 'binary' })],
      'The change holds binary files only (2 files): there is no text to examine.',
    ],
    [
      'both',
      [file('a', [], { kind: 'binary' }), file('b', [], { status: 'deleted' })],
      'The change holds deletions and binary files only (2 files): there is no text to examine.',
    ],
    ['no file', [], 'The change holds no files.'],
    ['text', [file('a', [{ start: 1, lines: '+' }]), file('b', [], { status: 'deleted' })], undefined],
  ])('ends in success for a change of %s and says so', (_name, files, notice) => {
    const result = gate([], { change: change(files), scanners: [], ledger: { files: [], complete: true } });
    expect(result.conclusion).toBe('success');
    expect(result.notices).toEqual(notice === undefined ? [] : [notice]);
  });

  it('says nothing of the kind where a scanner has read what git takes for binary', () => {
    const result = gate([], { change: change([file(path, [], { kind: 'binary' })]) });
    expect(result).toMatchObject({ conclusion: 'success', notices: [] });
  });
});

describe('toGateExitStatus and toGateWord', () => {
  it.each([
    [{ conclusion: 'success', tripped: false }, 0, 'pass'],
    [{ conclusion: 'failure', tripped: true }, 1, 'tripped'],
    [{ conclusion: 'neutral', tripped: false }, 2, 'incomplete'],
  ] as const)('%j is %d, %s', ({ conclusion, tripped }, status, word) => {
    const report = { conclusion, gate: { tripped, reasons: [] } };
    expect(toGateExitStatus(report)).toBe(status);
    expect(toGateWord(report)).toBe(word);
  });

  it('has words for no run and for a broken one', () => {
    expect(toGateWord(null)).toBe('empty');
    expect(toGateWord('error')).toBe('error');
  });
});
