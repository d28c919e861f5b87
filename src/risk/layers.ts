import { type CorrectableReview, correctFactors } from './corrections.ts';
import type { Tier, TierInputs } from './data/tier-rules.ts';
import { FACTOR_NAMES, type FactorName, type Factors } from './factor.ts';
import { roundTo } from './rounding.ts';
import type { Score } from './score.ts';
import { isResolved, type State } from './state.ts';
import { riskOf, scoreFor, tierOf } from './tier.ts';

/** What the model alone says of a finding, as it is stored. */
export interface BaseLayer {
  readonly state: State;
  readonly factors: Factors;
  readonly risk: number;
  readonly tier: Tier;
  readonly tierRule: string;
  readonly score: number;
  readonly inputs: TierInputs;
}

/** A stored review of the evidence, by our own model (builtin) or an external agent (mcp). */
export interface ReviewLayer extends CorrectableReview {
  /** Of the evidence that was reviewed; another hash now means that the review is stale. */
  readonly evidenceHash: string;
  readonly channel: string;
}

/** A person's decision; only `confirmed` and `likely_noise` decide anything. */
export interface DecisionLayer {
  readonly status: string;
}

export interface FinalLayer {
  readonly score: number;
  readonly tier: Tier;
  readonly tierRule: string;
  readonly risk: number;
  readonly factors: Factors;
  readonly state: State;
  readonly decidedBy: 'rules' | 'review' | 'person';
}

export interface LayersInput {
  readonly base: BaseLayer;
  readonly review?: ReviewLayer | undefined;
  readonly decision?: DecisionLayer | undefined;
  /** Hash of the evidence as it is now; a review of an empty one counts as none. */
  readonly evidenceHash: string;
  /** True when the graph holds a proof that the base did not know. */
  readonly provenNow?: boolean;
}

const REVIEW_VERDICTS: ReadonlySet<string> = new Set(['real', 'doubtful', 'false_positive', 'unclear']);

const MARKED_BY_PERSON = 'marked a false positive by you';
const FOUND_BY_REVIEW = 'the AI review found it a false positive';
const FOUND_BY_AGENT = "an external agent's review found it a false positive";

/** Below this, two values of a factor are the same. */
const SAME = 1e-9;

/** The base layer of a score. */
export const toBaseLayer = (score: Score): BaseLayer => ({
  state: score.state,
  factors: score.storedFactors,
  risk: score.risk,
  tier: score.tier,
  tierRule: score.tierRule,
  score: score.score,
  inputs: score.tierInputs,
});

/**
 * The final values from the three layers. A resolved finding stays resolved; a person's decision goes before any review;
 * a review of other evidence than today's is ignored; nothing takes proof away.
 */
export function combineLayers({ base, review, decision, evidenceHash, provenNow = false }: LayersInput): FinalLayer {
  if (isResolved(base.state)) return closed(base, base.state, base.tierRule, 'rules');
  const status = decision?.status;
  if (status === 'likely_noise') return closed(base, 'false_positive', MARKED_BY_PERSON, 'person');
  const confirmed = status === 'confirmed';
  const proven = base.inputs.proven || provenNow;
  const valid = isValid(review, evidenceHash) ? review : undefined;
  if (valid?.verdict === 'false_positive' && !confirmed && !proven) {
    return closed(base, 'false_positive', valid.channel === 'mcp' ? FOUND_BY_AGENT : FOUND_BY_REVIEW, 'review');
  }
  const values = { C: base.factors.C.value, L: base.factors.L.value, I: base.factors.I.value, R: base.factors.R.value };
  if (valid !== undefined) correctFactors(values, valid, proven);
  const reviewed = FACTOR_NAMES.some(name => isMoved(base, values, name));
  if (confirmed) values.C = 1;
  const decidedBy = confirmed ? 'person' : reviewed ? 'review' : 'rules';
  return rescored(base, values, { proven, kev: base.inputs.kev }, decidedBy);
}

const isValid = (review: ReviewLayer | undefined, evidenceHash: string): review is ReviewLayer =>
  review !== undefined &&
  evidenceHash !== '' &&
  review.evidenceHash === evidenceHash &&
  REVIEW_VERDICTS.has(review.verdict);

const isMoved = (base: BaseLayer, values: Factors<number>, name: FactorName): boolean =>
  Math.abs(values[name] - base.factors[name].value) > SAME;

const closed = (base: BaseLayer, state: State, tierRule: string, decidedBy: FinalLayer['decidedBy']): FinalLayer => ({
  score: 0,
  tier: 'T4',
  tierRule,
  risk: 0,
  factors: base.factors,
  state,
  decidedBy,
});

function rescored(
  base: BaseLayer,
  values: Factors<number>,
  inputs: TierInputs,
  decidedBy: FinalLayer['decidedBy'],
): FinalLayer {
  const isSame = inputs.proven === base.inputs.proven && !FACTOR_NAMES.some(name => isMoved(base, values, name));
  if (isSame) {
    const { score, tier, tierRule, risk, factors } = base;
    return { score, tier, tierRule, risk, factors, state: 'open', decidedBy };
  }
  const factors = {
    C: { ...base.factors.C, value: roundTo(values.C, 4) },
    L: { ...base.factors.L, value: roundTo(values.L, 4) },
    I: { ...base.factors.I, value: roundTo(values.I, 4) },
    R: { ...base.factors.R, value: roundTo(values.R, 4) },
  };
  const risk = riskOf(values);
  const { tier, why } = tierOf(inputs, values);
  return {
    score: scoreFor(tier, risk),
    tier,
    tierRule: why,
    risk: roundTo(risk, 6),
    factors,
    state: 'open',
    decidedBy,
  };
}
