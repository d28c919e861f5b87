import type { Policy } from '../policy/schema.ts';

type PullRequestBudget = Pick<Policy['ai'], 'budget_usd_per_pr'>;

/** Dollars of one part of a run: its own budget, and no more than the pull request has left. Never below 0. */
export const toRunBudget = (ownUsd: number, { budget_usd_per_pr }: PullRequestBudget, spentUsd: number): number =>
  Math.max(0, Math.min(ownUsd, budget_usd_per_pr - spentUsd));

/** True where earlier runs left the pull request nothing; a budget that was nothing from the start is no such case. */
export const isSpent = ({ budget_usd_per_pr }: PullRequestBudget, spentUsd: number): boolean =>
  spentUsd > 0 && spentUsd >= budget_usd_per_pr;

/** The key of the policy that ends this run's dollars first. */
export const toBudgetKey = (ai: Pick<Policy['ai'], 'budget_usd' | 'budget_usd_per_pr'>, spentUsd: number): string =>
  ai.budget_usd_per_pr - spentUsd < ai.budget_usd ? 'ai.budget_usd_per_pr' : 'ai.budget_usd';
