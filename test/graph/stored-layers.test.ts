import { describe, expect, test } from 'vitest';
import { fitJson, fitJsonList } from '../../src/graph/fit-text.ts';
import { toBaseProperties, toReviewLayer, toReviewProperties } from '../../src/graph/layer-properties.ts';
import { parseStoredBase, parseStoredDecision, parseStoredReview } from '../../src/graph/stored-layers.ts';
import { NO_FACTS } from '../../src/risk/facts.ts';
import { combineLayers, toBaseLayer } from '../../src/risk/layers.ts';
import { NO_INTEL } from '../../src/risk/row.ts';
import { scoreRow } from '../../src/risk/score.ts';

const BASE = toBaseLayer(
  scoreRow({ id: 'v', label: 'Vulnerability', source: 'nuclei', severity: 'high', cisa_kev: true }, NO_FACTS, NO_INTEL),
);
const ROW = {
  label: 'Vulnerability',
  id: 'v',
  seenUpdatedAt: null,
  base: BASE,
  evidenceHash: 'e',
  signals: [],
  host: '',
  groupKey: 'k',
  detector: 'd',
  intelDate: null,
  proof: [],
  review: null,
};
const RUN = { runId: 'r', modelVersion: 'v' };
const REVIEW = {
  verdict: 'doubtful',
  impactMultiplier: 0.5,
  impactQuote: 'a quote of the evidence',
  disputedFacts: [
    { fact: 'reachable', quote: 'not from outside' },
    { fact: 'public_poc', quote: 'there is none' },
  ],
  evidenceQuote: 'q',
  why: 'w',
  fixLever: 'l',
  evidenceHash: 'e',
  model: 'm',
  promptVersion: 'p',
  at: '2026-01-01T00:00:00Z',
};

describe('what is written can be read', () => {
  test('the base layer', () => {
    expect(parseStoredBase(toBaseProperties(ROW, RUN))).toEqual(BASE);
  });

  test('a review, with the same effect', () => {
    const stored = parseStoredReview(toReviewProperties(REVIEW));
    expect(stored).toEqual({
      verdict: 'doubtful',
      impactMultiplier: 0.5,
      impactQuote: 'a quote of the evidence',
      disputedFacts: [{ fact: 'reachable' }, { fact: 'public_poc' }],
      evidenceHash: 'e',
      channel: 'builtin',
    });
    const combine = (review: typeof stored) => combineLayers({ base: BASE, review, evidenceHash: 'e' });
    expect(combine(stored)).toEqual(combine(toReviewLayer(REVIEW)));
    expect(combine(stored).decidedBy).toBe('review');
  });

  test('a review with the longest quotes fits and keeps its effect', () => {
    const long = '"'.repeat(1000);
    const review = {
      ...REVIEW,
      impactQuote: long,
      disputedFacts: Array.from({ length: 8 }, () => ({ fact: 'credential_in_response', quote: long })),
    };
    const properties = toReviewProperties(review);
    expect(String(properties['triage_ai_corrections']).length).toBeLessThanOrEqual(4000);
    const stored = parseStoredReview(properties);
    expect(stored?.disputedFacts.length).toBe(8);
    expect(combineLayers({ base: BASE, review: stored, evidenceHash: 'e' })).toEqual(
      combineLayers({ base: BASE, review: toReviewLayer(review), evidenceHash: 'e' }),
    );
  });
});

describe('what other programs left', () => {
  test.each([
    ['nothing', {}],
    ['no JSON', { triage_base_factors: '{"C":' }],
    ['an empty object', { triage_base_factors: '{}' }],
    ['a missing factor', { triage_base_factors: '{"C":{"value":1},"L":{"value":1},"I":{"value":1}}' }],
    [
      'a factor that is no number',
      { triage_base_factors: '{"C":{"value":"1"},"L":{"value":1},"I":{"value":1},"R":{"value":1}}' },
    ],
    ['a list', { triage_base_factors: '[1]' }],
    ['another type', { triage_base_factors: 7 }],
  ])('%s is no base layer', (_, stored) => {
    expect(parseStoredBase(stored)).toBeUndefined();
  });

  test('defaults of a base layer: T4, open, the risk from the factors', () => {
    const factors = '{"C":{"value":0.5},"L":{"value":0.5},"I":{"value":0.5},"R":{"value":1}}';
    const stored = {
      triage_base_factors: factors,
      triage_base_tier: 'T9',
      triage_base_state: 'odd',
      triage_math_score: 'x',
    };
    expect(parseStoredBase(stored)).toMatchObject({
      tier: 'T4',
      state: 'open',
      risk: 0.125,
      score: 0,
      inputs: { proven: false, kev: false },
      factors: { C: { value: 0.5, evidence: '' } },
    });
    expect(parseStoredBase({ ...stored, triage_base_state: 'gone' })).toMatchObject({ risk: 0, state: 'gone' });
  });

  test.each([
    ['human', 'confirmed', { status: 'confirmed' }],
    ['human', 'likely_noise', { status: 'likely_noise' }],
    ['human', 'unreviewed', undefined],
    ['human', 'Confirmed', undefined],
    ['ai', 'likely_noise', undefined],
    [null, 'likely_noise', undefined],
  ])('a decision by %s to %s', (source, status, expected) => {
    expect(parseStoredDecision({ triage_source: source, triage_status: status })).toEqual(expected);
  });

  test('a review that names no evidence is none; broken corrections correct nothing', () => {
    expect(parseStoredReview({ triage_ai_verdict: 'real' })).toBeUndefined();
    expect(parseStoredReview({ triage_ai_verdict: 'real', triage_ai_evidence_hash: '' })).toBeUndefined();
    expect(
      parseStoredReview({
        triage_ai_verdict: 'real',
        triage_ai_evidence_hash: 'e',
        triage_ai_channel: 'mcp',
        triage_ai_corrections: '{"disputed_facts":["reachable",{"fact":1},null]}',
      }),
    ).toEqual({
      verdict: 'real',
      impactMultiplier: 1,
      impactQuote: '',
      disputedFacts: [{ fact: 'reachable' }],
      evidenceHash: 'e',
      channel: 'mcp',
    });
  });
});

test('lists end where the room ends', () => {
  expect(fitJsonList([], 4)).toBe('[]');
  expect(fitJsonList(['ab', 'cd', 'ef'], 12)).toBe('["ab","cd"]');
});

test('what cannot fit is an error', () => {
  expect(() => fitJson(() => 'x'.repeat(100), 50)).toThrow('over the limit of 50');
});
