import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Report } from '../../src/core/report.ts';
import { type Budget, createBudget, REVIEW_SHARES } from '../../src/model/budget.ts';
import { NO_USAGE } from '../../src/model/model.ts';
import { findPrices } from '../../src/model/prices.ts';

const SONNET = 'claude-sonnet-5-5';
const HAIKU = 'claude-haiku-5-5';
const MODELS = [SONNET, HAIKU, 'claude-opus-5-5', 'gpt-6-sol'];
const ROLES = REVIEW_SHARES.flatMap(({ roles }) => roles);

const create = (totalUsd: number, changes: Partial<Parameters<typeof createBudget>[0]> = {}): Budget =>
  createBudget({
    totalUsd,
    shares: REVIEW_SHARES,
    maxCalls: 100,
    deadline: 1_000,
    now: () => 0,
    prices: findPrices(MODELS, {}),
    ...changes,
  });

const ask = (inputTokens: number, outputTokens = 8_000, role = 'security') => ({
  role,
  model: SONNET,
  inputTokens,
  outputTokens,
});

describe('a reserve', () => {
  test('is the input at the cache-write price plus the most output, within the share of the role', () => {
    // 20 % of $1 is $0.20: 40,000 tokens at $2.50 a million are $0.10, so that 10,000 tokens at $10 a million are left.
    expect(create(1).reserve(ask(40_000, 20_000))?.maxTokens).toBe(10_000);
    expect(create(1).reserve(ask(40_000))?.maxTokens).toBe(8_000);
  });

  test('shrinks to 1,024 tokens of output and no further', () => {
    expect(create(1).reserve(ask(75_904))?.maxTokens).toBe(1_024);
    expect(create(1).reserve(ask(75_905))).toBeNull();
    expect(create(1).limitOf([ask(75_905, 1_024)])).toBe('dollars');
  });

  test('that cannot be had is told with what it takes, what is left and the key to raise', () => {
    const budget = create(1, { key: 'ai.budget_usd' });
    expect(budget.reserve(ask(90_000))).toBeNull();
    expect(budget.explain(ask(90_000))).toBe(
      "the budget does not allow a single call: a prompt of up to 90000 tokens and a short answer may cost $0.2352, $0.2000 of this role's share is left; raise ai.budget_usd",
    );
  });

  test('holds what parallel calls of one share could cost, and frees what they did not', () => {
    const budget = create(1);
    const first = budget.reserve(ask(40_000));
    expect(budget.reserve(ask(40_000))).toBeNull();
    expect(budget.reserve(ask(40_000, 8_000, 'style'))?.maxTokens).toBe(8_000);
    first?.settle({ ...NO_USAGE, cacheReadTokens: 40_000, outputTokens: 100 });
    expect(budget.reserve(ask(40_000))?.maxTokens).toBe(8_000);
  });

  test('takes the price of long prompts where the model has one', () => {
    // $0.02: 100,000 tokens of Haiku cost $0.0125, one more makes them $0.0625.
    const small = { role: 'security', model: HAIKU, outputTokens: 1_024 };
    expect(create(0.1).reserve({ ...small, inputTokens: 100_000 })).not.toBeNull();
    expect(create(0.1).reserve({ ...small, inputTokens: 100_001 })).toBeNull();
  });

  test('is refused after the last call and at the deadline', () => {
    const few = create(1, { maxCalls: 1 });
    few.reserve(ask(10))?.settle(NO_USAGE);
    expect(few.reserve(ask(10))).toBeNull();
    expect(few.limitOf([ask(10)])).toBe('calls');
    const late = create(1, { now: () => 1_000 });
    expect(late.reserve(ask(10))).toBeNull();
    expect(late.limitOf([ask(10)])).toBe('time');
    expect(late.timeLeft('judge')).toBe(0);
  });

  test('is billed once', () => {
    const reservation = create(1).reserve(ask(10));
    reservation?.settle(NO_USAGE);
    expect(() => reservation?.settle(NO_USAGE)).toThrow(/billed twice/);
  });

  test('of a role without a share is a fault of ours', () => {
    expect(() => create(1).reserve(ask(10, 10, 'stranger'))).toThrow(/'stranger' has no share/);
  });

  test('is not made from nothing', () => {
    expect(create(0).reserve(ask(1))).toBeNull();
  });
});

test('two calls that share a pot must fit together, unshrunk', () => {
  const budget = create(1);
  const judge = ask(40_000, 8_000, 'judge');
  expect(budget.limitOf([judge, ask(40_000, 8_000, 'revise')])).toBeNull();
  expect(budget.limitOf([judge, ask(40_000, 8_000, 'revise'), ask(40_000, 8_000, 'judge')])).toBe('dollars');
});

test('the cost table adds up by role and model and fits the report', () => {
  const budget = create(1);
  const usage = { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 5_000, cacheWriteTokens: 2_000 };
  budget.reserve(ask(8_000))?.settle(usage);
  budget.reserve(ask(8_000))?.settle(NO_USAGE);
  budget.reserve({ ...ask(8_000, 8_000, 'judge'), model: 'claude-opus-5-5' })?.settle(usage);
  const cost = budget.toCost();
  expect(cost).toEqual({
    usd: 0.0285,
    calls: 3,
    inputTokens: 16_000,
    outputTokens: 400,
    byRole: [
      {
        role: 'security',
        model: SONNET,
        usd: 0.0095,
        calls: 2,
        inputTokens: 8_000,
        outputTokens: 200,
        cacheReadTokens: 5_000,
      },
      {
        role: 'judge',
        model: 'claude-opus-5-5',
        usd: 0.019,
        calls: 1,
        inputTokens: 8_000,
        outputTokens: 200,
        cacheReadTokens: 5_000,
      },
    ],
  });
  expect(cost.usd).toBe(budget.spentUsd());
  expect(Report.shape.cost.safeParse(cost).success).toBe(true);
});

test('the rows of the cost table stand in the order of the roles, whoever ended first', () => {
  const budget = create(1);
  for (const role of ['judge', 'style', 'security', 'correctness']) budget.reserve(ask(10, 10, role))?.settle(NO_USAGE);
  expect(budget.toCost().byRole.map(({ role }) => role)).toEqual(['security', 'correctness', 'style', 'judge']);
});

test('the clock hears who asks', () => {
  const asked: string[] = [];
  const budget = create(1, {
    now: who => {
      asked.push(who);
      return 0;
    },
  });
  budget.reserve(ask(10, 10, 'style'));
  budget.limitOf([ask(10, 10, 'judge')]);
  budget.timeLeft('correctness');
  expect(asked).toEqual(['style', 'judge', 'correctness']);
});

test('the reported cost never exceeds the budget, whatever calls run side by side and in whatever order they end', () => {
  const step = fc.record({
    role: fc.constantFrom(...ROLES),
    model: fc.constantFrom(...MODELS),
    inputTokens: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 400_000 })),
    outputTokens: fc.integer({ min: 1, max: 32_000 }),
    // How the prompt splits into read, written and fresh tokens, and how much of the output is used.
    split: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    used: fc.double({ min: 0, max: 1, noNaN: true }),
    endsAfter: fc.integer({ min: 0, max: 8 }),
  });
  const total = fc.integer({ min: 1, max: 5_000 }).map(mills => mills / 1_000);
  let granted = 0;
  fc.assert(
    fc.property(total, fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), (totalUsd, steps) => {
      const budget = create(totalUsd);
      const running: { left: number; end: () => void }[] = [];
      const tick = (all: boolean) => {
        for (const call of running.splice(0)) {
          if (all || call.left-- <= 0) call.end();
          else running.push(call);
        }
      };
      for (const { split, used, endsAfter, ...asked } of steps) {
        const reservation = budget.reserve(asked);
        if (reservation !== null) {
          granted++;
          const cacheReadTokens = Math.floor(asked.inputTokens * split[0]);
          const cacheWriteTokens = Math.floor((asked.inputTokens - cacheReadTokens) * split[1]);
          const inputTokens = asked.inputTokens - cacheReadTokens - cacheWriteTokens;
          const outputTokens = Math.floor(reservation.maxTokens * used);
          running.push({
            left: endsAfter,
            end: () => reservation.settle({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }),
          });
        }
        tick(false);
        expect(budget.toCost().usd).toBeLessThanOrEqual(totalUsd);
      }
      tick(true);
      expect(budget.toCost().usd).toBeLessThanOrEqual(totalUsd);
    }),
    { numRuns: 300 },
  );
  expect(granted).toBeGreaterThan(1_000);
});
