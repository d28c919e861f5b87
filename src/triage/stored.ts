import { TIERS } from '../core/risk.ts';
import { TRIAGE_STATES, type TriageStanding } from '../core/triage.ts';
import type { ReviewLayer } from '../risk/layers.ts';
import { textOr, toNumber } from '../risk/python-values.ts';
import { REVIEW_VERDICTS } from '../risk/review.ts';

/** `label`, `id` and the `triage_*` properties of a node, by their stored names; values of any type. */
export type StoredColumns = Readonly<Record<string, unknown>>;

/** What earlier runs, reviews and people left on a finding. */
export interface Stored {
  /** Where it stood after the last run; null when no run has ranked it. */
  readonly previous: TriageStanding | null;
  /** A person's, never a program's. */
  readonly decision: 'confirmed' | 'likely_noise' | null;
  readonly review: StoredReview | null;
  /** The base layer's, of the last run; empty without a review. */
  readonly evidenceHash: string;
}

/** A review with what remediations and a later run read of it. */
export interface StoredReview extends ReviewLayer {
  readonly disputedFacts: readonly { readonly fact: string; readonly quote: string }[];
  readonly model: string;
  readonly promptVersion: string;
  readonly evidenceQuote: string;
  readonly fixLever: string;
  readonly why: string;
  /** ISO 8601; empty where nothing says. */
  readonly at: string;
}

export const NOTHING_STORED: Stored = { previous: null, decision: null, review: null, evidenceHash: '' };

/** Reads the columns; values of a type that no run writes count as absent. */
export function toStored(columns: StoredColumns): Stored {
  const previous = toPrevious(columns);
  const decision = toDecision(columns);
  const review = toReview(columns);
  // Only an old review asks for it.
  const evidenceHash = review === null ? '' : textOr(columns['triage_evidence_hash']);
  if (previous === null && decision === null && review === null) return NOTHING_STORED;
  return { previous, decision, review, evidenceHash };
}

function toPrevious(columns: StoredColumns): TriageStanding | null {
  const tier = TIERS.find(known => known === columns['triage_tier']);
  const score = toNumber(columns['triage_priority_score']);
  if (tier === undefined || score === undefined) return null;
  const state = TRIAGE_STATES.find(known => known === columns['triage_state']) ?? 'open';
  return { tier, score, state };
}

function toDecision(columns: StoredColumns): Stored['decision'] {
  if (columns['triage_source'] !== 'human') return null;
  const status = columns['triage_status'];
  return status === 'confirmed' || status === 'likely_noise' ? status : null;
}

function toReview(columns: StoredColumns): StoredReview | null {
  const verdict = REVIEW_VERDICTS.find(known => known === columns['triage_ai_verdict']);
  if (verdict === undefined) return null;
  const corrections = parseObject(columns['triage_ai_corrections']);
  const disputed = corrections['disputed_facts'];
  return {
    verdict,
    impactMultiplier: toNumber(corrections['impact_multiplier']) ?? 1,
    impactQuote: textOr(corrections['impact_quote']),
    disputedFacts: Array.isArray(disputed) ? disputed.map(toDispute).filter(({ fact }) => fact !== '') : [],
    evidenceHash: textOr(columns['triage_ai_evidence_hash']),
    channel: columns['triage_ai_channel'] === 'mcp' ? 'mcp' : 'builtin',
    model: textOr(columns['triage_ai_model']),
    promptVersion: textOr(columns['triage_ai_prompt_version']),
    evidenceQuote: textOr(columns['triage_ai_quote']),
    fixLever: textOr(columns['triage_fix_lever']),
    why: textOr(columns['triage_ai_why']),
    at: textOr(columns['triage_ai_at']),
  };
}

/** Early versions stored the facts alone. */
function toDispute(value: unknown): { fact: string; quote: string } {
  if (typeof value === 'string') return { fact: value, quote: '' };
  return isObject(value) ? { fact: textOr(value['fact']), quote: textOr(value['quote']) } : { fact: '', quote: '' };
}

function parseObject(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  if (typeof value !== 'string') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
