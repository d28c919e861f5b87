import { describe, expect, test } from 'vitest';
import { validateReview } from '../../src/risk/review.ts';

const BUNDLE = 'Finding: x\nSource: nuclei\nResponse: HTTP/1.1 200 OK  root:x:0:0\n';
const QUOTE = 'http/1.1 200 ok ROOT:x';
const item = (changes: Record<string, unknown> = {}) => ({ verdict: 'real', evidence_quote: QUOTE, ...changes });
const take = (changes?: Record<string, unknown>, row = {}) => validateReview(item(changes), BUNDLE, row);

describe('quotes', () => {
  test('match over white space and case, from eight characters on', () => {
    expect(take().verdict).toBe('real');
    expect(take({ evidence_quote: 'root:x:' }).verdict).toBe('unclear');
    expect(take({ evidence_quote: 'made up words' }).dropped).toEqual([
      { what: 'evidence_quote', why: 'not found in the evidence (or under 8 characters)' },
      { what: 'verdict', why: 'real needs a verified evidence_quote' },
    ]);
  });

  test('an unknown verdict is unclear, with its own words in the reason', () => {
    expect(take({ verdict: 'Real' })).toMatchObject({
      verdict: 'unclear',
      dropped: [{ what: 'verdict', why: "unknown verdict 'Real'" }],
    });
  });
});

describe('a proven finding', () => {
  const proven = { is_proven: true };
  test.each(['false_positive', 'doubtful'])('is not called %s', verdict => {
    expect(take({ verdict }, proven).verdict).toBe('unclear');
    expect(take({ verdict }).verdict).toBe(verdict);
  });

  test('keeps every fact and at least its impact', () => {
    const disputed_facts = [{ fact: 'reachable', quote: QUOTE }];
    expect(take({ disputed_facts }, proven).disputedFacts).toEqual([]);
    expect(take({ disputed_facts }).disputedFacts).toHaveLength(1);
    expect(take({ impact_multiplier: 0.5, impact_quote: QUOTE }, proven)).toMatchObject({
      impactMultiplier: 1,
      impactQuote: '',
    });
    expect(take({ impact_multiplier: 1.3, impact_quote: QUOTE }, proven)).toMatchObject({
      impactMultiplier: 1.3,
      impactQuote: QUOTE,
    });
  });

  test('is known by its own column only', () => {
    expect(take({ verdict: 'doubtful' }, { validation_status: 'validated' }).verdict).toBe('doubtful');
  });
});

describe('disputes and multiplier', () => {
  test('only the first eight entries are read, doubles are kept', () => {
    const entry = { fact: 'reachable', quote: QUOTE };
    expect(take({ disputed_facts: Array(12).fill(entry) }).disputedFacts).toHaveLength(8);
    const late = [...Array(8).fill({ fact: 'bogus', quote: QUOTE }), entry];
    expect(take({ disputed_facts: late })).toMatchObject({
      disputedFacts: [],
      dropped: Array(8).fill({ what: 'disputed_fact', why: "'bogus' is not a disputable fact" }),
    });
  });

  test.each([['x'], [null], [Number.NaN], ['inf'], [[]]])('a multiplier of %j is 1', impact_multiplier => {
    expect(take({ impact_multiplier, impact_quote: QUOTE })).toMatchObject({
      impactMultiplier: 1,
      impactQuote: '',
      dropped: [],
    });
  });

  test('a multiplier is kept within its bounds and needs a quote', () => {
    expect(take({ impact_multiplier: 9, impact_quote: QUOTE }).impactMultiplier).toBe(1.5);
    expect(take({ impact_multiplier: '0.2', impact_quote: QUOTE }).impactMultiplier).toBe(0.5);
    expect(take({ impact_multiplier: 1.2, impact_quote: 'nowhere in it' })).toMatchObject({
      impactMultiplier: 1,
      dropped: [{ what: 'impact_multiplier', why: 'a multiplier needs a verified impact_quote' }],
    });
  });
});

test('texts are one line, without control characters, cut to their length in code points', () => {
  const taken = take({ why: `a\u0000b\r\n\tc ${'😀'.repeat(400)}`, fix_lever: 'x'.repeat(200) });
  expect(taken.why.startsWith('a b c 😀')).toBe(true);
  expect([...taken.why]).toHaveLength(300);
  expect(taken.fixLever).toHaveLength(120);
});

test('an answer of any form is taken as one that says nothing', () => {
  for (const answer of [null, 'text', [], 7, { disputed_facts: 'x' }, { disputed_facts: [null, 7] }]) {
    expect(validateReview(answer, BUNDLE, {})).toMatchObject({
      verdict: 'unclear',
      impactMultiplier: 1,
      disputedFacts: [],
    });
  }
});
