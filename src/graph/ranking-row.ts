import type { BaseLayer } from '../risk/layers.ts';

/** What a run writes of one finding. */
export interface RankingRow {
  readonly label: string;
  readonly id: string;
  /** The node's `updated_at` as text when it was read; null where nothing is to be compared. */
  readonly seenUpdatedAt: string | null;
  readonly base: BaseLayer;
  /** Empty where the finding has no evidence. */
  readonly evidenceHash: string;
  readonly signals: readonly string[];
  readonly host: string;
  readonly groupKey: string;
  readonly detector: string;
  /** ISO 8601; null where no intelligence was at hand. */
  readonly intelDate: string | null;
  readonly proof: readonly { readonly chain_id: string; readonly finding_type: string }[];
  readonly review: ReviewWrite | null;
}

/** `not_reviewed` says that the budget did not reach the finding. */
export type ReviewWrite = { readonly kind: 'not_reviewed' } | { readonly kind: 'review'; readonly review: OwnReview };

/** A review of our own model, checked against the evidence that it names. */
export interface OwnReview {
  readonly verdict: string;
  readonly impactMultiplier: number;
  readonly impactQuote: string;
  readonly disputedFacts: readonly { readonly fact: string; readonly quote: string }[];
  readonly evidenceQuote: string;
  readonly why: string;
  readonly fixLever: string;
  readonly evidenceHash: string;
  readonly model: string;
  readonly promptVersion: string;
  /** ISO 8601. */
  readonly at: string;
}
