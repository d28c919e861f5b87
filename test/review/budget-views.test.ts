import { expect, it } from 'vitest';
import { type Ask, type Budget, createBudget } from '../../src/model/budget.ts';
import { keepingBack, withTimeShare } from '../../src/review/budget-views.ts';

/** Input is free, output costs $1 a million tokens: a share of $1 holds a million tokens of output. */
function budgetOf(totalUsd: number, now: () => number = () => 0): Budget {
  return createBudget({
    totalUsd,
    shares: [{ roles: ['reflection', 'judge'], share: 1 }],
    maxCalls: 10,
    deadline: 1_000,
    prices: new Map([['m', { in: 0, out: 1, cacheRead: 0, cacheWrite: 0 }]]),
    now,
  });
}

const ask = (role: string, outputTokens: number): Ask => ({ role, model: 'm', inputTokens: 0, outputTokens });

it('a call to come stays affordable: output shrinks first, then the call is not made', () => {
  const budget = budgetOf(0.01);
  const view = keepingBack(budget, ask('judge', 4_000));
  expect(view.limitOf([ask('reflection', 6_000)])).toBeNull();
  expect(view.limitOf([ask('reflection', 6_001)])).toBe('dollars');
  const first = view.reserve(ask('reflection', 8_000));
  expect(first?.maxTokens).toBe(4_000);
  first?.settle({ inputTokens: 0, outputTokens: 4_000, cacheReadTokens: 0, cacheWriteTokens: 0 });
  const second = view.reserve(ask('reflection', 8_000));
  expect(second?.maxTokens).toBe(2_000);
  second?.settle({ inputTokens: 0, outputTokens: 1_500, cacheReadTokens: 0, cacheWriteTokens: 0 });
  expect(view.reserve(ask('reflection', 8_000))).toBeNull();
  expect(budget.reserve(ask('judge', 4_000))?.maxTokens).toBe(4_000);
});

it('nothing is kept back for what cannot be afforded anyway', () => {
  const budget = budgetOf(0.001);
  expect(keepingBack(budget, ask('judge', 4_000))).toBe(budget);
});

it('a share of the time ends before the whole of it', () => {
  let now = 0;
  const view = withTimeShare(
    budgetOf(1, () => now),
    0.6,
  );
  expect([view.deadline, view.timeLeft('security')]).toEqual([600, 600]);
  now = 599;
  expect(view.limitOf([ask('judge', 1)])).toBeNull();
  now = 600;
  expect(view.limitOf([ask('judge', 1)])).toBe('time');
  expect(view.reserve(ask('judge', 1))).toBeNull();
});
