import { classOf } from './classes.ts';
import { confidenceOf } from './confidence.ts';
import type { ScoringContext } from './context.ts';
import { cvssOf } from './cvss.ts';
import { CONFIDENCE_BY_SOURCE } from './data/confidence-table.ts';
import { TIER_LABELS, type Tier, type TierInputs } from './data/tier-rules.ts';
import { type Factors, toStoredFactor } from './factor.ts';
import { impactOf } from './impact.ts';
import { likelihoodOf } from './likelihood.ts';
import { bestIntel, cveIdsOf, isProven } from './proven.ts';
import { isTruthy, lower, textOr } from './python-values.ts';
import { reachOf } from './reach.ts';
import { formatFixed, formatPercent, roundTo } from './rounding.ts';
import { type FindingRow, type Intel, type ProjectFacts, toEvenRow } from './row.ts';
import { signalsOf } from './signals.ts';
import { type State, stateOf } from './state.ts';
import { riskOf, scoreFor, tierOf } from './tier.ts';

export interface Score {
  readonly state: State;
  /** Before rounding. */
  readonly factors: Factors<number>;
  /** Four decimals, with the reasons. */
  readonly storedFactors: Factors;
  /** 0..1, six decimals; 0 unless open. */
  readonly risk: number;
  readonly tier: Tier;
  readonly tierRule: string;
  /** 0..100, four decimals; 0 unless open. */
  readonly score: number;
  /** Short marks for people, most telling first. */
  readonly signals: readonly string[];
  readonly proven: boolean;
  readonly host: string;
  readonly warnings: readonly string[];
  readonly tierInputs: TierInputs;
}

const NO_WARNINGS: readonly string[] = [];

/** Shared by all scores: by proven, then by kev. */
const TIER_INPUTS = [
  [
    { proven: false, kev: false },
    { proven: false, kev: true },
  ],
  [
    { proven: true, kev: false },
    { proven: true, kev: true },
  ],
] as const;

/**
 * The score of one finding by model v3.2. Pure: no clock, no chance, no input or output; the same row and facts give the
 * same score. Values of any type are accepted in every column; what cannot be read counts as absent.
 */
export function scoreRow(given: FindingRow, facts: ProjectFacts, intel: Intel): Score {
  const row = toEvenRow(given);
  const source = lower(row.source);
  const host = textOr(row.triage_host) || textOr(row.host);
  const cveIds = cveIdsOf(row);
  const known = bestIntel(cveIds, intel);
  const context: ScoringContext = {
    row,
    facts,
    source,
    host,
    found: classOf(row, source),
    cvss: cvssOf(row),
    intel: known,
    proven: isProven(row, facts, cveIds),
    kev: known.kev || isTruthy(row.cisa_kev),
    hasPoc: known.hasPoc || isTruthy(row.has_exploit),
    isSensitive: facts.sensitiveHosts.has(host),
  };
  const { state, why } = stateOf(row, host, facts);
  const C = confidenceOf(context);
  const I = impactOf(context);
  const R = reachOf(context);
  const L = likelihoodOf(context);

  const factors = { C: C.value, L: L.value, I: I.value, R: R.value };
  const tierInputs = TIER_INPUTS[context.proven ? 1 : 0][context.kev ? 1 : 0];
  const outcome = state === 'open' ? rank(tierInputs, factors) : { risk: 0, tier: 'T4' as const, why, score: 0 };
  return {
    state,
    factors,
    storedFactors: { C: toStoredFactor(C), L: toStoredFactor(L), I: toStoredFactor(I), R: toStoredFactor(R) },
    risk: roundTo(outcome.risk, 6),
    tier: outcome.tier,
    tierRule: outcome.why,
    score: outcome.score,
    signals: signalsOf(context),
    proven: context.proven,
    host,
    warnings:
      source === '' || CONFIDENCE_BY_SOURCE.has(source) ? NO_WARNINGS : [`source '${source}' has no confidence row`],
    tierInputs,
  };
}

function rank(inputs: TierInputs, factors: Factors<number>) {
  const risk = riskOf(factors);
  const { tier, why } = tierOf(inputs, factors);
  return { risk, tier, why, score: scoreFor(tier, risk) };
}

/** One line for people and prompts: what each factor is and what came of it. */
export const explainScore = ({ factors, tier, score }: Pick<Score, 'factors' | 'tier' | 'score'>): string =>
  `real ${formatPercent(factors.C)} x exploit ${formatPercent(factors.L)} x impact ${formatFixed(factors.I, 2)} ` +
  `x reach ${formatFixed(factors.R, 1)} -> ${TIER_LABELS[tier]}, ${formatFixed(score, 1)}`;
