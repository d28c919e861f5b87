import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combineLayers, type LayersInput, type ReviewLayer, toBaseLayer } from '../../src/risk/layers.ts';
import { anyFacts, anyIntel, anyRow, score } from './rows.ts';

const HASH = 'a'.repeat(40);
const RUNS = { numRuns: 300 };
const base = toBaseLayer(
  score({ id: 'f', source: 'nuclei', severity: 'high', category: 'sqli', host: 'h' }, { live_hosts: ['h'] }),
);
const proven = toBaseLayer(score({ id: 'f', source: 'nuclei', severity: 'high', verdict: 'malicious' }));

const review = (changes: Partial<ReviewLayer> = {}): ReviewLayer => ({
  verdict: 'unclear',
  evidenceHash: HASH,
  channel: 'builtin',
  impactMultiplier: 1,
  impactQuote: '',
  disputedFacts: [],
  ...changes,
});
const combine = (changes: Partial<LayersInput>) => combineLayers({ base, evidenceHash: HASH, ...changes });
const dispute = (...facts: string[]) => review({ disputedFacts: facts.map(fact => ({ fact })) });

const anyReview = fc.record({
  verdict: fc.constantFrom('real', 'doubtful', 'false_positive', 'unclear', 'nonsense'),
  evidenceHash: fc.constantFrom(HASH, 'stale', ''),
  channel: fc.constantFrom('builtin', 'mcp'),
  impactMultiplier: fc.constantFrom(0.2, 0.5, 1, 1.4, 9, Number.NaN),
  impactQuote: fc.constantFrom('', ' ', 'a quote'),
  disputedFacts: fc.array(
    fc.constantFrom('reachable', 'tool_confirmed', 'public_poc', 'sensitive_asset', 'bogus').map(fact => ({ fact })),
    { maxLength: 5 },
  ),
});

describe('what combining guarantees', () => {
  test('without review and decision the base comes back as it is stored', () => {
    fc.assert(
      fc.property(anyRow, anyFacts, anyIntel, (row, facts, intel) => {
        const layer = toBaseLayer(score(row, facts, intel));
        const { inputs, ...stored } = layer;
        expect(combineLayers({ base: layer, evidenceHash: HASH })).toEqual({ ...stored, decidedBy: 'rules' });
      }),
      RUNS,
    );
  });

  test('a decision goes before any review', () => {
    fc.assert(
      fc.property(anyReview, anyRow, (found, row) => {
        const layer = toBaseLayer(score(row));
        const noise = combineLayers({
          base: layer,
          evidenceHash: HASH,
          review: found,
          decision: { status: 'likely_noise' },
        });
        const kept = combineLayers({
          base: layer,
          evidenceHash: HASH,
          review: found,
          decision: { status: 'confirmed' },
        });
        if (layer.state === 'open') {
          expect([noise.state, noise.score, noise.decidedBy]).toEqual(['false_positive', 0, 'person']);
          expect([kept.state, kept.factors.C.value, kept.decidedBy]).toEqual(['open', 1, 'person']);
        } else expect([noise.decidedBy, kept.decidedBy]).toEqual(['rules', 'rules']);
      }),
      RUNS,
    );
  });

  test('a review of other evidence, or of none, changes nothing', () => {
    fc.assert(
      fc.property(anyReview, found => {
        const stale = { ...found, evidenceHash: 'stale' };
        expect(combine({ review: stale })).toEqual(combine({}));
        expect(combine({ review: { ...found, evidenceHash: '' }, evidenceHash: '' })).toEqual(
          combine({ evidenceHash: '' }),
        );
      }),
      RUNS,
    );
  });

  test('proof is never lowered, known before or only now', () => {
    fc.assert(
      fc.property(anyReview, found => {
        const kept = combineLayers({ base: proven, evidenceHash: HASH, review: found });
        expect([kept.tier, kept.state]).toEqual(['T1', 'open']);
        expect(kept.score).toBeGreaterThanOrEqual(proven.score);
        expect(combine({ review: found, provenNow: true })).toMatchObject({ tier: 'T1', state: 'open' });
      }),
      RUNS,
    );
  });

  test('a multiplier without a quote does nothing', () => {
    for (const impactQuote of ['', ' \n']) {
      expect(combine({ review: review({ impactMultiplier: 1.5, impactQuote }) })).toEqual(combine({}));
    }
    expect(combine({ review: review({ impactMultiplier: 1.5, impactQuote: 'quote' }) }).factors.I.value).toBe(1.125);
    expect(combine({ review: review({ impactMultiplier: 99, impactQuote: 'quote' }) }).factors.I.value).toBe(1.125);
  });

  test('the same layers give the same result twice', () => {
    fc.assert(
      fc.property(anyReview, found => {
        const input = { review: found, decision: { status: 'unreviewed' } };
        expect(combine(input)).toEqual(combine(structuredClone(input)));
      }),
      RUNS,
    );
  });

  test('factors that nobody corrected keep the tier that the model gave', () => {
    fc.assert(
      fc.property(anyRow, anyFacts, (row, facts) => {
        const layer = toBaseLayer(score(row, facts));
        const { tier, tierRule } = combineLayers({
          base: layer,
          evidenceHash: HASH,
          review: review(),
          decision: { status: 'unreviewed' },
        });
        expect([tier, tierRule]).toEqual([layer.tier, layer.tierRule]);
      }),
      RUNS,
    );
  });
});

describe('corrections', () => {
  test.each([
    ['reachable', 'R', 0.8],
    ['tool_confirmed', 'C', 0.75],
    ['extracted_proof', 'C', 0.75],
    ['dast_confirmed', 'L', 0.3],
    ['exploitable_class', 'L', 0.3],
    ['public_poc', 'L', 0.3],
    ['credential_in_response', 'L', 0.3],
    ['sensitive_asset', 'I', 0.625],
  ] as const)('a dispute of %s moves %s', (fact, name, value) => {
    const moved = combine({ review: dispute(fact) });
    expect(moved.factors[name].value).toBe(value);
    expect(moved.factors[name].evidence).toBe(base.factors[name].evidence);
    expect(moved.decidedBy).toBe(base.factors[name].value === value ? 'rules' : 'review');
  });

  test('a fact listed twice counts once', () => {
    expect(combine({ review: dispute('sensitive_asset', 'sensitive_asset') })).toEqual(
      combine({ review: dispute('sensitive_asset') }),
    );
  });

  test('unknown facts and verdicts do nothing', () => {
    expect(combine({ review: dispute('bogus') })).toEqual(combine({}));
    expect(combine({ review: review({ verdict: 'Real' }) })).toEqual(combine({}));
  });

  test('verdicts move confidence; a confirmed decision then sets it to 1', () => {
    expect(combine({ review: review({ verdict: 'real' }) }).factors.C.value).toBe(0.95);
    expect(combine({ review: review({ verdict: 'doubtful' }) }).factors.C.value).toBe(0.25);
    const confirmed = { review: review({ verdict: 'doubtful' }), decision: { status: 'confirmed' } };
    expect(combine(confirmed)).toMatchObject({ factors: { C: { value: 1 } }, decidedBy: 'person' });
    const overruled = combine({ review: review({ verdict: 'false_positive' }), decision: { status: 'confirmed' } });
    expect([overruled.state, overruled.factors.C.value]).toEqual(['open', 1]);
  });

  test('who found the false positive is told apart', () => {
    const ruleOf = (channel: string) => combine({ review: review({ verdict: 'false_positive', channel }) }).tierRule;
    expect(ruleOf('builtin')).toBe('the AI review found it a false positive');
    expect(ruleOf('mcp')).toBe("an external agent's review found it a false positive");
  });

  test('proof that is new raises the tier and leaves the factors', () => {
    const now = combine({ provenNow: true });
    expect([now.tier, now.tierRule, now.decidedBy]).toEqual(['T1', 'proven', 'rules']);
    expect(now.factors).toEqual(base.factors);
  });

  test('what a scan closed stays closed under every layer', () => {
    const closed = { ...base, state: 'fixed' as const, tierRule: 'the scanner confirmed it is patched' };
    const result = combine({
      base: closed,
      provenNow: true,
      decision: { status: 'confirmed' },
      review: review({ verdict: 'real' }),
    });
    expect(result).toMatchObject({
      state: 'fixed',
      score: 0,
      tier: 'T4',
      tierRule: closed.tierRule,
      decidedBy: 'rules',
    });
  });
});
