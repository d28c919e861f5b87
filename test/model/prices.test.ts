import { describe, expect, test } from 'vitest';
import { PRICE_TABLE, PRICES_DATE } from '../../src/model/data/price-table.ts';
import { findPrices, toCost } from '../../src/model/prices.ts';

const priceOf = (model: string) => findPrices([model], {}).get(model);

describe('a price is found', () => {
  test.each([
    ['claude-sonnet-5-5', { in: 2, out: 10, cacheRead: 0.1, cacheWrite: 2.5 }],
    ['claude-opus-5-5', { in: 4, out: 20, cacheRead: 0.2, cacheWrite: 5 }],
    ['claude-haiku-4-5-20251001', { in: 1, out: 5, cacheRead: 0.1, cacheWrite: 1.25 }],
    ['bedrock/global.anthropic.claude-sonnet-5-5-v1:0', { in: 2, out: 10, cacheRead: 0.1, cacheWrite: 2.5 }],
    ['openrouter/anthropic/claude-sonnet-5.5', { in: 2, out: 10, cacheRead: 0.1, cacheWrite: 2.5 }],
    ['gpt-5-mini-2025-08-07', { in: 0.25, out: 2, cacheRead: 0.025, cacheWrite: 0.25 }],
  ])('for %s', (model, price) => {
    expect(priceOf(model)).toEqual(price);
  });

  test('a tenth higher for a regional endpoint of Bedrock', () => {
    const price = priceOf('bedrock/eu.anthropic.claude-sonnet-5-5');
    expect(price?.in).toBeCloseTo(2.2);
    expect(price?.out).toBeCloseTo(11);
  });

  test('in the policy first', () => {
    const own = { in: 1, out: 2, cache_read: 3, cache_write: 4 };
    const prices = findPrices(['my-model', 'claude-opus-5'], { 'my-model': own, 'claude-opus-5': own });
    const price = { in: 1, out: 2, cacheRead: 3, cacheWrite: 4 };
    expect([...prices.values()]).toEqual([price, price]);
  });
});

test.each([
  'gpt-unheard-of',
  'openai_compat/claude-sonnet-5-5',
  'bedrock/meta.llama',
  'openrouter/x/y',
  'claude-opus-9',
])('the unknown model %s is refused with the key that helps', model => {
  expect(() => findPrices([model], {})).toThrowError(
    expect.objectContaining({ code: 'usage', hint: expect.stringContaining(`ai.prices.'${model}'`) }),
  );
});

describe('a cost', () => {
  test('counts each kind of token at its price', () => {
    const price = priceOf('claude-opus-5-5');
    if (price === undefined) throw new Error('no price');
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1 };
    expect(toCost(price, usage)).toBe(29_200_000);
  });

  test('takes the long price when cached tokens make the prompt long', () => {
    const price = priceOf('claude-haiku-5-5');
    if (price === undefined) throw new Error('no price');
    const usage = { inputTokens: 0, outputTokens: 10, cacheReadTokens: 100_000, cacheWriteTokens: 0 };
    expect(toCost(price, usage)).toBe(100_000 * 10_000 + 10 * 500_000);
    expect(toCost(price, { ...usage, inputTokens: 1 })).toBe(500_000 + 100_000 * 50_000 + 10 * 2_500_000);
  });
});

test('the table is dated and whole', () => {
  expect(PRICES_DATE).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  for (const [model, { long, ...price }] of PRICE_TABLE) {
    for (const rate of [price, ...(long === undefined ? [] : [long])]) {
      expect(rate.cacheRead, model).toBeLessThan(rate.in);
      expect(rate.cacheWrite, model).toBeGreaterThanOrEqual(rate.in);
      expect(rate.out, model).toBeGreaterThan(rate.in);
    }
  }
});
