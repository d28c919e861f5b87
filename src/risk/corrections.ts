import { MAX_IMPACT, SENSITIVE_ASSET_FACTOR } from './data/severity-table.ts';
import { strip } from './python-values.ts';

/** Facts of a finding that a review may dispute; the rest is not for a reader of the evidence to decide. */
export const DISPUTABLE_FACTS = [
  'reachable',
  'tool_confirmed',
  'extracted_proof',
  'dast_confirmed',
  'exploitable_class',
  'public_poc',
  'sensitive_asset',
  'credential_in_response',
] as const;
export type DisputableFact = (typeof DISPUTABLE_FACTS)[number];

export const MULTIPLIER_BOUNDS = { min: 0.5, max: 1.5 } as const;

/** The part of a review that moves factors. */
export interface CorrectableReview {
  readonly verdict: string;
  readonly impactMultiplier: number;
  /** The multiplier counts only with a quote. */
  readonly impactQuote: string;
  readonly disputedFacts: readonly { readonly fact: string }[];
}

/** The four values while corrections are applied to them. */
export interface MovingFactors {
  C: number;
  L: number;
  I: number;
  R: number;
}

/** Applies verdict, disputes and multiplier, in this order, to `values`. Quotes were verified when the review was taken. */
export function correctFactors(values: MovingFactors, review: CorrectableReview, proven: boolean): void {
  if (review.verdict === 'real') values.C = Math.max(values.C, 0.95);
  if (!proven) {
    if (review.verdict === 'doubtful') values.C = Math.min(values.C, 0.25);
    for (const fact of new Set(review.disputedFacts.map(dispute => dispute.fact))) dispute(values, fact);
  }
  if (strip(review.impactQuote) === '') return;
  const multiplier = clampMultiplier(review.impactMultiplier);
  values.I = Math.min(MAX_IMPACT, Math.max(0, values.I * (proven ? Math.max(1, multiplier) : multiplier)));
}

/** Within the bounds; 1 for what is no number. */
export const clampMultiplier = (multiplier: number): number =>
  Number.isFinite(multiplier) ? Math.min(MULTIPLIER_BOUNDS.max, Math.max(MULTIPLIER_BOUNDS.min, multiplier)) : 1;

function dispute(values: MovingFactors, fact: string): void {
  switch (fact as DisputableFact) {
    case 'reachable':
      values.R = Math.min(values.R, 0.8);
      break;
    case 'tool_confirmed':
    case 'extracted_proof':
      values.C = Math.min(values.C, 0.75);
      break;
    case 'dast_confirmed':
    case 'exploitable_class':
    case 'public_poc':
    case 'credential_in_response':
      values.L = Math.min(values.L, 0.3);
      break;
    case 'sensitive_asset':
      values.I /= SENSITIVE_ASSET_FACTOR;
      break;
  }
}
