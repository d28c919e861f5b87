import type { Report } from '../core/report.ts';
import type { Usage } from './model.ts';
import { PICO, type Picodollars } from './prices.ts';

interface CostTable {
  add(role: string, model: string, usage: Usage, cost: Picodollars): void;
  /** Rows by role and model, in the order of the roles and then of their first call: parallel calls end in any order. `inputTokens` counts cached tokens too. */
  toCost(): Report['cost'];
}

interface Row {
  readonly role: string;
  readonly model: string;
  cost: Picodollars;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
}

/** Adds up what the calls of a run cost; `roles` are all that may call. */
export function costTable(roles: readonly string[]): CostTable {
  const rows = new Map<string, Row>();
  return {
    add(role, model, usage, cost) {
      const key = JSON.stringify([role, model]);
      const row = rows.get(key) ?? {
        role,
        model,
        cost: 0,
        calls: 0,
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
      };
      row.cost += cost;
      row.calls++;
      row.inputTokens += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
      row.outputTokens += usage.outputTokens;
      row.cacheReadTokens += usage.cacheReadTokens;
      rows.set(key, row);
    },
    toCost() {
      const all = [...rows.values()].sort((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role));
      const sum = (of: (row: Row) => number) => all.reduce((total, row) => total + of(row), 0);
      return {
        usd: sum(row => row.cost) / PICO,
        calls: sum(row => row.calls),
        inputTokens: sum(row => row.inputTokens),
        outputTokens: sum(row => row.outputTokens),
        byRole: all.map(({ cost, ...row }) => ({ ...row, usd: cost / PICO })),
      };
    },
  };
}

/** Two tables as one, as a review and its acceptance check have budgets of their own. */
export function addCosts(first: Report['cost'], second: Report['cost']): Report['cost'] {
  return {
    usd: Math.round((first.usd + second.usd) * PICO) / PICO,
    calls: first.calls + second.calls,
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    byRole: [...first.byRole, ...second.byRole],
  };
}
