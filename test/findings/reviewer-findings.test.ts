import { describe, expect, it } from 'vitest';
import type { RawFinding } from '../../src/core/finding.ts';
import { redact } from '../../src/core/secrets.ts';
import { buildLedger } from '../../src/findings/build-ledger.ts';
import { type AiVerdict, toGate } from '../../src/findings/gate.ts';
import { mergeFindings } from '../../src/findings/merge.ts';
import { placeFindings } from '../../src/findings/place.ts';
import { toReportFindings } from '../../src/findings/to-report-finding.ts';
import { change, file, introduce, raw } from './builders.ts';

const on = change([file('cmd/run.go', [{ start: 1, lines: '+++++' }])]);

const said = (over: Partial<RawFinding> = {}): RawFinding =>
  raw({
    tool: 'security',
    ruleId: 'command-injection/CWE-78',
    severity: 'high',
    confidence: 0.9,
    origin: 'reviewer',
    anchor: 'hunk',
    ...over,
  });

const place = (findings: readonly RawFinding[]) =>
  placeFindings(introduce(findings, on), on, { maxInlineComments: 30, contextLines: 3 });

function gate(findings: readonly RawFinding[], ai: AiVerdict | null = null) {
  const scanners = [
    { name: 'gosec', version: '2', status: 'ok' as const, filesExamined: 1, findings: 0, durationMs: 1 },
  ];
  const byPath = new Map([['cmd/run.go', ['gosec']]]);
  const ledger = buildLedger({ change: on, scanners, taken: byPath, examined: byPath });
  return toGate({ findings: place(findings), change: on, ledger, scanners, failOn: ['critical', 'high'], ai });
}

describe('merging', () => {
  it('lets the scanner speak, in whatever order they come, and keeps the reviewer as a member', () => {
    const both = [said({ suggestion: 'Use a list.' }), raw()];
    for (const order of [both, both.toReversed()]) {
      const [merged, ...others] = mergeFindings(order);
      expect(others).toEqual([]);
      expect(merged?.primary.tool).toBe('gosec');
      expect(merged?.tools).toEqual(['gosec', 'security']);
    }
    const [finding] = toReportFindings(place(both), redact).findings;
    expect(finding).toMatchObject({ origin: 'scanner', suggestion: 'Use a list.', severity: 'high' });
  });

  it('changes no fingerprint of a scanner', () => {
    const alone = introduce([raw()], on).map(finding => finding.fingerprint);
    const beside = introduce([raw(), said(), said({ startLine: 4, endLine: 4 })], on);
    expect(beside.filter(({ primary }) => primary.tool === 'gosec').map(({ fingerprint }) => fingerprint)).toEqual(
      alone,
    );
  });

  it.each([
    ['unsure', { confidence: 0.4 }],
    ['outside of the hunks', { anchor: 'file' as const }],
  ])('a reviewer that is %s raises no severity of a scanner', (_, over) => {
    expect(mergeFindings([raw(), said({ severity: 'critical', ...over })])[0]?.severity).toBe('medium');
  });

  it('counts several reviewers as one opinion', () => {
    const scanner = raw({ confidence: 0.8 });
    const one = mergeFindings([scanner, said({ confidence: 0.5 })])[0]?.confidence;
    const two = mergeFindings([scanner, said({ confidence: 0.5 }), said({ tool: 'correctness', confidence: 0.5 })])[0];
    expect(one).toBeGreaterThan(0.8);
    expect(two?.tools).toHaveLength(3);
    expect(two?.confidence).toBe(one);
  });

  it('joins nothing to a finding without a place, whatever line stands in for it', () => {
    const lost = { anchor: 'none' as const, anchorReason: 'the quoted text is not in the file' };
    expect(mergeFindings([raw(), said(lost), said({ ...lost, matchedText: 'another text' })])).toHaveLength(3);
  });
});

describe('placing', () => {
  it.each(['file', 'none'] as const)('anchor %s goes to the body with the reason', anchor => {
    const [placed] = place([said({ anchor, anchorReason: 'the quoted text stands outside the diff' })]);
    expect(placed).toMatchObject({
      placement: 'body',
      placementReason: 'the quoted text stands outside the diff',
    });
  });

  it('what has no place is never introduced; what has one in a hunk stands inline', () => {
    expect(place([said({ anchor: 'none' })])[0]?.introduced).toBe(false);
    expect(place([said()])[0]).toMatchObject({ placement: 'inline', introduced: true });
  });

  it('keeps the origin in the report', () => {
    expect(toReportFindings(place([said()]), redact).findings[0]).toMatchObject({
      origin: 'reviewer',
      tool: 'security',
    });
  });
});

describe('the gate', () => {
  it('trips on a sure reviewer with a place in a hunk, and on no other', () => {
    expect(gate([said()]).word).toBe('tripped');
    expect(gate([said({ confidence: 0.5 })]).word).toBe('tripped');
    expect(gate([said({ confidence: 0.49 })]).word).toBe('pass');
    expect(gate([said({ anchor: 'file' })]).word).toBe('pass');
    expect(gate([said({ anchor: 'none' })]).word).toBe('pass');
    expect(gate([said({ severity: 'medium' })]).word).toBe('pass');
  });

  it('is not tripped by a sure but mild reviewer beside a grave one that guesses', () => {
    const [guess, mild] = [said({ confidence: 0.2 }), said({ tool: 'correctness', severity: 'low' })];
    expect(mergeFindings([guess, mild])).toHaveLength(1);
    expect(gate([guess, mild]).word).toBe('pass');
  });

  it('trips on a judged score below the threshold, never on one that is missing', () => {
    const low = gate([], { score: 0.59, threshold: 0.6, failures: [] });
    expect(low.gate).toEqual({
      tripped: true,
      reasons: ["The review is judged 0.59, below the policy's gate.threshold of 0.6."],
    });
    expect(gate([], { score: 0.6, threshold: 0.6, failures: [] }).word).toBe('pass');
    expect(gate([], { score: null, threshold: 0.6, failures: [] }).word).toBe('pass');
  });

  it('is neutral where a part of the review did not finish, a failure where something trips beside it', () => {
    const ai = { score: null, threshold: 0.6, failures: ['The judge did not finish: overloaded.'] };
    expect(gate([], ai)).toMatchObject({ conclusion: 'neutral', word: 'incomplete', gate: { reasons: ai.failures } });
    expect(gate([said()], ai).conclusion).toBe('failure');
    expect(gate([said()], ai).gate.reasons).toContain('The judge did not finish: overloaded.');
  });
});

describe('the ledger', () => {
  const input = { change: on, scanners: [], reviewed: new Map([['cmd/run.go', ['security']]]) };
  const nobody = new Map<string, readonly string[]>();

  it('names reviewers beside scanners', () => {
    const ledger = buildLedger({ ...input, taken: nobody, examined: nobody });
    expect(ledger.files).toMatchObject([{ examinedBy: ['security'] }]);
    expect(ledger.files[0]).not.toHaveProperty('skipped');
    expect(ledger.complete).toBe(true);
  });

  it('stays incomplete where the scanner that had to look did not', () => {
    const ledger = buildLedger({ ...input, taken: new Map([['cmd/run.go', ['gosec']]]), examined: nobody });
    expect(ledger.complete).toBe(false);
    expect(ledger.files[0]?.skipped).toContain('gosec did not read it');
  });
});
