import { NO_RULE, TIER_LEVELS, TIER_RULES, type Tier, type TierInputs } from './data/tier-rules.ts';
import type { Factors } from './factor.ts';
import { roundTo } from './rounding.ts';

export interface TierDecision {
  readonly tier: Tier;
  readonly why: string;
}

/** The tier by the first rule that applies. */
export function tierOf(inputs: TierInputs, factors: Factors<number>): TierDecision {
  for (const rule of TIER_RULES) if (rule.applies(inputs, factors)) return rule;
  return NO_RULE;
}

/** The product of the factors, 0 to 1. */
export const riskOf = ({ C, L, I, R }: Factors<number>): number => Math.min(1, Math.max(0, C * L * I * R));

/** 0 to 100: each tier has a band of 25, the risk (before rounding) is the place in it. */
export const scoreFor = (tier: Tier, risk: number): number => roundTo(25 * TIER_LEVELS[tier] + 25 * risk, 4);
