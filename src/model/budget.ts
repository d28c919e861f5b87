import { CypherFixError } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import { costTable } from './cost-table.ts';
import type { Usage } from './model.ts';
import { PICO, type Picodollars, type Prices, toCost, toInputReserve, toOutputRate } from './prices.ts';

/** Roles that spend from one share of the budget. */
export interface Share {
  readonly roles: readonly string[];
  /** 0 to 1; all shares together are at most 1. */
  readonly share: number;
}

export interface BudgetOptions {
  readonly totalUsd: number;
  readonly shares: readonly Share[];
  readonly maxCalls: number;
  /** Milliseconds since the epoch; no call starts at or after it. */
  readonly deadline: number;
  readonly prices: Prices;
  /** Key of the policy that a person raises for more dollars. */
  readonly key?: string;
  /** Milliseconds since the epoch, for the role that asks. */
  readonly now: (who: string) => number;
}

/** A call to come: `inputTokens` is an upper estimate of its prompt. */
export interface Ask {
  readonly role: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Reservation {
  /** What the call may set as its most output tokens: as asked, or fewer where the money ends. */
  readonly maxTokens: number;
  /** Bills the usage and frees the rest; to be called exactly once. */
  settle(usage: Usage): void;
}

export type Limit = 'dollars' | 'calls' | 'time';

export interface Budget {
  readonly deadline: number;
  /** Milliseconds until the deadline, 0 after it; `who` is the role that asks. */
  timeLeft(who: string): number;
  /** Holds the most that the call can cost; null when the role's share does not allow even 1,024 tokens of output. */
  reserve(ask: Ask): Reservation | null;
  /** What keeps these calls, one after the other and none of them shrunk, from being made; null when nothing does. */
  limitOf(asks: readonly Ask[]): Limit | null;
  /** In words for people, why there are no dollars for this call: what it takes, what is left, and which key to raise. */
  explain(ask: Ask): string;
  /** Billed so far, in dollars. */
  spentUsd(): number;
  toCost(): Report['cost'];
}

/** Below this an answer has no room left after its thinking. */
export const LEAST_OUTPUT_TOKENS = 1_024;

/** The three reviewers' shares and the one of all that follows them, of a review's budget. */
export const REVIEW_SHARES: readonly Share[] = [
  { roles: ['security'], share: 0.2 },
  { roles: ['correctness'], share: 0.2 },
  { roles: ['style'], share: 0.2 },
  { roles: ['reflection', 'judge', 'revise'], share: 0.4 },
];

/**
 * A hard budget in dollars, calls and time. What is billed plus what is reserved never exceeds a share, so that the cost
 * stays within the budget in whatever order parallel calls end.
 */
export function createBudget(options: BudgetOptions): Budget {
  const pots = toPots(options);
  const table = costTable(options.shares.flatMap(({ roles }) => roles));
  let calls = 0;

  const potOf = (role: string) => {
    const pot = pots.find(candidate => candidate.roles.includes(role));
    if (pot === undefined) throw new CypherFixError('internal', `the role '${role}' has no share of the budget`);
    return pot;
  };
  const priceOf = (model: string) => {
    const price = options.prices.get(model);
    if (price === undefined) throw new CypherFixError('internal', `the budget has no price for the model '${model}'`);
    return price;
  };
  const mostOf = ({ model, inputTokens, outputTokens }: Ask): Picodollars =>
    toInputReserve(priceOf(model), inputTokens) + outputTokens * toOutputRate(priceOf(model), inputTokens);
  const timeLeft = (who: string) => Math.max(0, options.deadline - options.now(who));

  return {
    deadline: options.deadline,
    timeLeft,
    spentUsd: () => pots.reduce((sum, pot) => sum + pot.spent, 0) / PICO,
    toCost: () => table.toCost(),
    limitOf(asks) {
      if (timeLeft(asks[0]?.role ?? '') === 0) return 'time';
      if (calls + asks.length > options.maxCalls) return 'calls';
      const wanted = new Map<Pot, Picodollars>();
      for (const ask of asks) {
        const pot = potOf(ask.role);
        wanted.set(pot, (wanted.get(pot) ?? 0) + mostOf(ask));
      }
      return [...wanted].every(([pot, most]) => most <= leftIn(pot)) ? null : 'dollars';
    },
    explain(ask) {
      const left = toDollars(leftIn(potOf(ask.role)));
      const takes = toDollars(mostOf({ ...ask, outputTokens: Math.min(LEAST_OUTPUT_TOKENS, ask.outputTokens) }));
      const what = `a prompt of up to ${ask.inputTokens} tokens and a short answer may cost $${takes}`;
      const raise = options.key === undefined ? '' : `; raise ${options.key}`;
      return `the budget does not allow a single call: ${what}, $${left} of this role's share is left${raise}`;
    },
    reserve(ask) {
      const pot = potOf(ask.role);
      if (timeLeft(ask.role) === 0 || calls >= options.maxCalls) return null;
      const input = mostOf({ ...ask, outputTokens: 0 });
      const rate = toOutputRate(priceOf(ask.model), ask.inputTokens);
      const affordable = rate === 0 ? ask.outputTokens : Math.floor((leftIn(pot) - input) / rate);
      const maxTokens = Math.min(ask.outputTokens, affordable);
      if (input > leftIn(pot) || maxTokens < Math.min(LEAST_OUTPUT_TOKENS, ask.outputTokens)) return null;
      const held = input + maxTokens * rate;
      pot.held += held;
      calls++;
      let settled = false;
      const settle = (usage: Usage) => {
        if (settled) throw new CypherFixError('internal', `a call of the role '${ask.role}' was billed twice`);
        settled = true;
        const cost = toCost(priceOf(ask.model), usage);
        pot.held -= held;
        pot.spent += cost;
        table.add(ask.role, ask.model, usage, cost);
      };
      return { maxTokens, settle };
    },
  };
}

interface Pot {
  readonly roles: readonly string[];
  readonly limit: Picodollars;
  spent: Picodollars;
  held: Picodollars;
}

function toPots({ totalUsd, shares }: BudgetOptions): Pot[] {
  let left = Math.floor(totalUsd * PICO);
  return shares.map(({ roles, share }) => {
    const limit = Math.min(left, Math.floor(totalUsd * PICO * share));
    left -= limit;
    return { roles, limit, spent: 0, held: 0 };
  });
}

const leftIn = (pot: Pot): Picodollars => pot.limit - pot.spent - pot.held;

/** To a hundredth of a cent, so that the two amounts of a refusal seldom look alike. */
const toDollars = (amount: Picodollars): string => (amount / PICO).toFixed(4);
