export const TIERS = ['T1', 'T2', 'T3', 'T4'] as const;
export type Tier = (typeof TIERS)[number];

/** What people call a tier. */
export const TIER_NAMES: Readonly<Record<Tier, string>> = {
  T1: 'Act now',
  T2: 'Act soon',
  T3: 'Plan',
  T4: 'Track',
};

export interface RiskFactor {
  readonly value: number;
  readonly evidence: string;
}

/** Ranking of a finding: confidence × likelihood × impact × reach, the tier by fixed rules, the score 0 to 100. */
export interface FindingRisk {
  readonly C: RiskFactor;
  readonly L: RiskFactor;
  readonly I: RiskFactor;
  readonly R: RiskFactor;
  readonly risk: number;
  readonly tier: string;
  readonly score: number;
  readonly state: string;
  readonly rule: string;
}

export const isTier = (value: string): value is Tier => (TIERS as readonly string[]).includes(value);

/** The highest of some tiers; undefined for none. */
export const topTier = (tiers: readonly string[]): Tier | undefined => TIERS.find(tier => tiers.includes(tier));
