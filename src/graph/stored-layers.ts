import { TIER_LEVELS, type Tier } from '../risk/data/tier-rules.ts';
import { FACTOR_NAMES, type Factor, type Factors } from '../risk/factor.ts';
import type { BaseLayer, DecisionLayer, ReviewLayer } from '../risk/layers.ts';
import { roundTo } from '../risk/rounding.ts';
import { isResolved, type State } from '../risk/state.ts';
import { riskOf } from '../risk/tier.ts';

/** Properties of a node by their stored names; several programs write them, so values are of any type. */
export type Stored = Readonly<Record<string, unknown>>;

const STATES: ReadonlySet<unknown> = new Set(['open', 'fixed', 'gone', 'inactive', 'false_positive']);

/** The decision of a person; undefined where there is none, or where no person made it. */
export function parseStoredDecision(stored: Stored): DecisionLayer | undefined {
  const status = stored['triage_status'];
  if (stored['triage_source'] !== 'human') return undefined;
  return status === 'confirmed' || status === 'likely_noise' ? { status } : undefined;
}

/** The stored review; undefined where there is none that names its evidence. */
export function parseStoredReview(stored: Stored): ReviewLayer | undefined {
  const verdict = stored['triage_ai_verdict'];
  const evidenceHash = stored['triage_ai_evidence_hash'];
  if (typeof verdict !== 'string' || typeof evidenceHash !== 'string' || evidenceHash === '') return undefined;
  const corrections = toRecord(parseJson(stored['triage_ai_corrections']));
  const multiplier = corrections['impact_multiplier'];
  const quote = corrections['impact_quote'];
  const disputes = corrections['disputed_facts'];
  return {
    verdict,
    impactMultiplier: typeof multiplier === 'number' ? multiplier : 1,
    impactQuote: typeof quote === 'string' ? quote : '',
    disputedFacts: Array.isArray(disputes)
      ? disputes.map(toDispute).filter((entry): entry is { fact: string } => entry !== undefined)
      : [],
    evidenceHash,
    channel: stored['triage_ai_channel'] === 'mcp' ? 'mcp' : 'builtin',
  };
}

/** What the model alone said of the finding in its last run; undefined where no run scored it. */
export function parseStoredBase(stored: Stored): BaseLayer | undefined {
  const factors = parseFactors(stored['triage_base_factors']);
  if (factors === undefined) return undefined;
  const { C, L, I, R } = factors;
  const inputs = toRecord(parseJson(stored['triage_tier_inputs']));
  const state = STATES.has(stored['triage_base_state']) ? (stored['triage_base_state'] as State) : 'open';
  const score = Number(stored['triage_math_score']);
  return {
    state,
    factors,
    risk: isResolved(state) ? 0 : roundTo(riskOf({ C: C.value, L: L.value, I: I.value, R: R.value }), 6),
    tier: toTier(stored['triage_base_tier']),
    tierRule: toText(stored['triage_base_tier_rule']),
    score: Number.isFinite(score) ? score : 0,
    inputs: { proven: inputs['proven'] === true, kev: inputs['kev'] === true },
  };
}

function parseFactors(json: unknown): Factors | undefined {
  const raw = toRecord(parseJson(json));
  const parsed = new Map<string, Factor>();
  for (const name of FACTOR_NAMES) {
    const { value, evidence } = toRecord(raw[name]);
    if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
    parsed.set(name, { value, evidence: toText(evidence) });
  }
  return Object.fromEntries(parsed) as unknown as Factors;
}

const toTier = (value: unknown): Tier =>
  typeof value === 'string' && Object.hasOwn(TIER_LEVELS, value) ? (value as Tier) : 'T4';

function toDispute(value: unknown): { fact: string } | undefined {
  // Earlier runs stored the bare names.
  const fact = typeof value === 'string' ? value : toRecord(value)['fact'];
  return typeof fact === 'string' ? { fact } : undefined;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

function parseJson(json: unknown): unknown {
  if (typeof json !== 'string') return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

const toRecord = (value: unknown): Stored =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Stored) : {};
