import type { Factors } from '../factor.ts';

export type Tier = 'T1' | 'T2' | 'T3' | 'T4';

export const TIER_LEVELS: Readonly<Record<Tier, number>> = { T1: 3, T2: 2, T3: 1, T4: 0 };
export const TIER_LABELS: Readonly<Record<Tier, string>> = {
  T1: 'Act now',
  T2: 'Act soon',
  T3: 'Plan',
  T4: 'Track',
};

export interface TierInputs {
  readonly proven: boolean;
  /** Known to be exploited (CISA). */
  readonly kev: boolean;
}

export interface TierRule {
  readonly tier: Tier;
  readonly why: string;
  readonly applies: (inputs: TierInputs, factors: Factors<number>) => boolean;
}

/** From top to bottom; the first that applies decides. They see the factors before rounding. */
export const TIER_RULES: readonly TierRule[] = [
  { tier: 'T1', why: 'proven', applies: ({ proven }) => proven },
  { tier: 'T4', why: 'nothing here has any impact', applies: (_, { I }) => I <= 0.02 },
  {
    tier: 'T1',
    why: 'KEV-listed, confidently detected and reachable',
    applies: ({ kev }, { C, R }) => kev && C >= 0.75 && R >= 0.7,
  },
  {
    tier: 'T2',
    why: 'likely real, likely exploited, real impact, reachable',
    applies: (_, { C, L, I, R }) => C >= 0.75 && L >= 0.6 && I >= 0.45 && R >= 0.7,
  },
  { tier: 'T3', why: 'credible, with impact worth planning for', applies: (_, { C, I }) => C >= 0.4 && I >= 0.2 },
];

export const NO_RULE = { tier: 'T4', why: 'no rule placed this higher' } as const;
