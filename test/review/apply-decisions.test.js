import { describe, expect, it } from 'vitest';
import { applyDecisions } from '../../src/review/apply-decisions.js';

const finding = (id, rest = {}) => ({
  id,
  origin: 'reviewer',
  tool: 'security',
  ruleId: 'x',
  category: 'x',
  title: `title of ${id}`,
  message: 'why',
  severity: 'medium',
  confidence: 0.5,
  cwe: [],
  path: 'a.ts',
  place: 'hunk',
  startLine: 1,
  endLine: 1,
  matchedText: 'text',
  quote: `quote of ${id}`,
  evidence: [],
  mergedFrom: [],
  ...rest,
});
const decision = (finding_id, action, rest = {}) => ({
  finding_id,
  action,
  merge_into: null,
  severity: null,
  title: null,
  rationale: null,
  suggestion: null,
  quote: null,
  reason: '',
  ...rest,
});
const anchors = {
  better: { path: 'a.ts', place: 'hunk', startLine: 7, endLine: 8, text: 'better' },
};
const nowhere = { path: 'a.ts', place: 'none', reason: 'absent', startLine: null, endLine: null, text: null };
const apply = (drafts, ...decisions) =>
  applyDecisions(drafts, decisions, {
    clean: text => text.replaceAll('SECRET', '[redacted]'),
    place: async (_, quote) => anchors[quote] ?? nowhere,
    isKnownId: (id, given) => given.has(id),
  });
const idsOf = async (drafts, ...decisions) => (await apply(drafts, ...decisions)).findings.map(({ id }) => id);
describe('applyDecisions', () => {
  const [a, b, c] = [finding('sec-1'), finding('sec-2'), finding('cor-1', { tool: 'correctness' })];
  it('keeps what is not mentioned, and ignores what is not there', async () => {
    expect(await idsOf([a, b], decision('sec-9', 'drop'), decision('deadbeef', 'drop'))).toEqual(['sec-1', 'sec-2']);
  });
  it('drops first, whatever the order: nothing merges into what was dropped', async () => {
    const decisions = [
      decision('sec-1', 'merge', { merge_into: 'sec-2' }),
      decision('sec-2', 'drop', { reason: 'SECRET' }),
    ];
    const { findings, dropped } = await apply([a, b], ...decisions);
    expect(findings.map(({ id, mergedFrom }) => [id, mergedFrom])).toEqual([['sec-1', []]]);
    expect(dropped).toEqual([{ quote: 'quote of sec-2', reason: '[redacted]' }]);
  });
  it('drops once', async () => {
    expect((await apply([a], decision('sec-1', 'drop'), decision('sec-1', 'drop'))).dropped).toHaveLength(1);
  });
  it('merges evidence in order, the higher severity and confidence, the CWEs and the authors', async () => {
    const target = finding('sec-1', { evidence: ['one'], severity: 'low', confidence: 0.9, cwe: ['CWE-78'] });
    const source = finding('cor-1', {
      tool: 'correctness',
      evidence: ['two', 'one'],
      severity: 'high',
      confidence: 0.2,
      cwe: ['CWE-88'],
    });
    const { findings } = await apply([target, source], decision('cor-1', 'merge', { merge_into: 'sec-1' }));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      id: 'sec-1',
      severity: 'high',
      confidence: 0.9,
      evidence: ['one', 'two'],
      cwe: ['CWE-78', 'CWE-88'],
      mergedFrom: [{ reviewer: 'correctness', id: 'cor-1' }],
    });
  });
  it('merges chains: who was merged comes along', async () => {
    const chain = [
      decision('cor-1', 'merge', { merge_into: 'sec-2' }),
      decision('sec-2', 'merge', { merge_into: 'sec-1' }),
    ];
    const { findings } = await apply([a, b, c], ...chain);
    expect(findings[0]?.mergedFrom.map(({ id }) => id)).toEqual(['sec-2', 'cor-1']);
  });
  it('of two that merge into each other one stays', async () => {
    const ring = [
      decision('sec-1', 'merge', { merge_into: 'sec-2' }),
      decision('sec-2', 'merge', { merge_into: 'sec-1' }),
    ];
    expect(await idsOf([a, b], ...ring)).toEqual(['sec-2']);
  });
  it.each([null, 'sec-1', 'sec-9', ''])('a merge into %s keeps the finding', async target => {
    expect(await idsOf([a], decision('sec-1', 'merge', { merge_into: target }))).toEqual(['sec-1']);
  });
  it('a merge takes the better place of the two', async () => {
    const lost = finding('sec-1', { place: 'none', startLine: null, endLine: null, placeReason: 'absent' });
    const found = finding('cor-1', { startLine: 4, endLine: 5, matchedText: 'there' });
    const { findings } = await apply([lost, found], decision('cor-1', 'merge', { merge_into: 'sec-1' }));
    expect(findings[0]).toMatchObject({ id: 'sec-1', place: 'hunk', startLine: 4, matchedText: 'there' });
    expect(findings[0]).not.toHaveProperty('placeReason');
  });
  it('corrects what the decision names and cleans it', async () => {
    const change = { severity: 'low', title: 'new  title', rationale: 'SECRET', suggestion: 'do this' };
    const { findings } = await apply([a], decision('sec-1', 'keep', change));
    expect(findings[0]).toMatchObject({
      severity: 'low',
      title: 'new title',
      message: '[redacted]',
      suggestion: 'do this',
    });
  });
  it('null and empty texts correct nothing', async () => {
    const { findings } = await apply([a], decision('sec-1', 'keep', { title: ' ', rationale: '', quote: '' }));
    expect(findings[0]).toEqual(a);
  });
  it('a better quote moves the finding, a worse one does not', async () => {
    const lost = finding('sec-2', { place: 'none', startLine: null, endLine: null, placeReason: 'absent' });
    const { findings } = await apply(
      [a, lost],
      decision('sec-1', 'keep', { quote: 'made up' }),
      decision('sec-2', 'keep', { quote: 'better' }),
    );
    expect(findings.map(({ id, startLine, quote }) => [id, startLine, quote])).toEqual([
      ['sec-1', 1, 'quote of sec-1'],
      ['sec-2', 7, 'better'],
    ]);
  });
  it('sorts by severity, then confidence', async () => {
    const drafts = [finding('sec-1', { severity: 'low' }), finding('sec-2'), finding('sec-3', { confidence: 0.9 })];
    expect(await idsOf(drafts)).toEqual(['sec-3', 'sec-2', 'sec-1']);
  });
});
