import type { Factor, Factors } from '../risk/factor.ts';
import type { FinalLayer, ReviewLayer } from '../risk/layers.ts';
import { takeCodePoints } from '../risk/text.ts';
import { fitJson, fitJsonList, fitTexts } from './fit-text.ts';
import type { OwnReview, RankingRow } from './ranking-row.ts';

/** Who ranked a finding. */
export interface RankingStamp {
  /** Null for a review, which is no run of the project. */
  readonly runId: string | null;
  readonly modelVersion: string;
}

/** A run as its findings name it. */
export interface RunStamp extends RankingStamp {
  readonly runId: string;
}

/** Caps of the stored properties, in characters. */
const MAX = {
  tierRule: 200,
  factors: 8_000,
  signals: 30,
  signal: 120,
  host: 300,
  groupKey: 200,
  detector: 200,
  runId: 60,
  version: 40,
  proof: 4_000,
  quote: 1_000,
  corrections: 4_000,
  why: 300,
  fixLever: 120,
} as const;

/** The properties of the base layer. */
export function toBaseProperties(row: RankingRow, stamp: RankingStamp): Record<string, unknown> {
  const { base } = row;
  return {
    triage_math_score: toScore(base.score),
    triage_base_factors: renderFactors(base.factors),
    triage_base_tier: base.tier,
    triage_base_tier_rule: takeCodePoints(base.tierRule, MAX.tierRule),
    triage_base_state: base.state,
    triage_tier_inputs: JSON.stringify({ proven: base.inputs.proven, kev: base.inputs.kev }),
    triage_evidence_hash: row.evidenceHash,
    triage_signals: fitTexts(row.signals, MAX.signals, MAX.signal),
    triage_host: takeCodePoints(row.host, MAX.host),
    triage_group_key: takeCodePoints(row.groupKey, MAX.groupKey),
    triage_detector: takeCodePoints(row.detector, MAX.detector),
    triage_run_id: stamp.runId === null ? null : takeCodePoints(stamp.runId, MAX.runId),
    triage_model_version: takeCodePoints(stamp.modelVersion, MAX.version),
    triage_intel_date: row.intelDate,
    triage_proof: fitJsonList(row.proof, MAX.proof),
  };
}

/** The properties of the final layer, which everything is sorted and shown by. */
export const toFinalProperties = (final: FinalLayer): Record<string, unknown> => ({
  triage_priority_score: toScore(final.score),
  triage_tier: final.tier,
  triage_tier_rule: takeCodePoints(final.tierRule, MAX.tierRule),
  triage_risk: final.risk,
  triage_factors: renderFactors(final.factors),
  triage_state: final.state,
  triage_decided_by: final.decidedBy,
});

/** The properties of a review of our own model. */
export const toReviewProperties = (review: OwnReview): Record<string, unknown> => ({
  triage_ai_verdict: review.verdict,
  triage_ai_corrections: fitJson(
    length => ({
      verdict: review.verdict,
      impact_multiplier: review.impactMultiplier,
      // An empty quote would turn the multiplier off.
      impact_quote: takeCodePoints(review.impactQuote, Math.max(length, 30)),
      disputed_facts: review.disputedFacts.map(({ fact, quote }) => ({ fact, quote: takeCodePoints(quote, length) })),
    }),
    MAX.corrections,
  ),
  triage_ai_quote: takeCodePoints(review.evidenceQuote, MAX.quote),
  triage_ai_model: takeCodePoints(review.model, MAX.host),
  triage_ai_why: takeCodePoints(review.why, MAX.why),
  triage_ai_channel: 'builtin',
  triage_ai_by: null,
  triage_ai_evidence_hash: review.evidenceHash,
  triage_ai_prompt_version: takeCodePoints(review.promptVersion, MAX.version),
  triage_fix_lever: takeCodePoints(review.fixLever, MAX.fixLever),
});

/** The review as combineLayers takes it. */
export const toReviewLayer = (review: OwnReview): ReviewLayer => ({
  verdict: review.verdict,
  impactMultiplier: review.impactMultiplier,
  impactQuote: review.impactQuote,
  disputedFacts: review.disputedFacts,
  evidenceHash: review.evidenceHash,
  channel: 'builtin',
});

const toScore = (score: number): number => Math.min(100, Math.max(0, score));

/** By object: the final layer of most findings is the base layer's own. */
const rendered = new WeakMap<Factors, string>();

function renderFactors(factors: Factors): string {
  const known = rendered.get(factors);
  if (known !== undefined) return known;
  const { C, L, I, R } = factors;
  const json = fitJson(
    length => ({ C: cut(C, length), L: cut(L, length), I: cut(I, length), R: cut(R, length) }),
    MAX.factors,
  );
  rendered.set(factors, json);
  return json;
}

const cut = ({ value, evidence }: Factor, length: number) => ({
  value,
  evidence: takeCodePoints(evidence, length),
});
