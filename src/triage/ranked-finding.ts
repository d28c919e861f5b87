import type { TriageStanding } from '../core/triage.ts';
import { hashEvidence, renderEvidence } from '../risk/evidence.ts';
import { type Group, type MemberView, assignGroups as toGroups } from '../risk/group.ts';
import { groupKeyOf } from '../risk/group-key.ts';
import { type BaseLayer, combineLayers, type FinalLayer, toBaseLayer } from '../risk/layers.ts';
import { detectorKey } from '../risk/learn.ts';
import { textOr } from '../risk/python-values.ts';
import type { FindingRow, Intel, ProjectFacts } from '../risk/row.ts';
import { scoreRow } from '../risk/score.ts';
import { adoptLegacyReview } from './legacy-review.ts';
import type { FindingRef, ReviewWrite } from './store.ts';
import { NOTHING_STORED, type Stored, type StoredReview } from './stored.ts';

/** A finding with its score, without the long texts of its row. */
export interface RankedFinding extends FindingRef {
  /** The columns that groups, remediations and lists read. */
  readonly row: FindingRow;
  readonly base: BaseLayer;
  readonly signals: readonly string[];
  readonly warnings: readonly string[];
  readonly host: string;
  readonly detector: string;
  readonly groupKey: string;
  /** Empty where nobody has looked at the evidence: no review can count then. */
  readonly evidenceHash: string;
  readonly stored: Stored;
  /** The review that counts now: stored, adopted or made by this run. */
  readonly review: StoredReview | null;
  /** What this run writes of it. */
  readonly reviewWrite: ReviewWrite | null;
  /** After reviews and decisions. */
  readonly final: FinalLayer;
  /** What its group sees of it. */
  readonly view: MemberView;
}

export interface RankingContext {
  readonly facts: ProjectFacts;
  readonly intel: Intel;
  readonly storedOf: (ref: FindingRef) => Stored;
}

/** Scores a row and lets its long texts go. `id` names a row that has none. */
export function rankRow(row: FindingRow, id: string, context: RankingContext): RankedFinding {
  const score = scoreRow(row, context.facts, context.intel);
  const ref = { label: share(textOr(row.label)), id };
  const base = toBaseLayer(score);
  const stored = context.storedOf(ref);
  const layers = { base, stored, review: stored.review, evidenceHash: '' };
  return {
    ...ref,
    row: toShortRow(row),
    ...layers,
    signals: score.signals,
    warnings: score.warnings,
    host: share(score.host),
    detector: share(detectorKey(row)),
    groupKey: share(groupKeyOf(row)),
    reviewWrite: null,
    ...toFinal(layers),
  };
}

/** The finding with its evidence looked at, so that a stored review of it counts, or one of an earlier version is adopted. */
export function withEvidence(finding: RankedFinding, row: FindingRow): RankedFinding {
  const evidenceHash = hashEvidence(renderEvidence(row));
  const adopted = adoptLegacyReview(finding.stored, row, evidenceHash);
  const write: ReviewWrite | null = adopted === null ? null : { kind: 'review', review: adopted };
  return withReview(finding, { review: adopted ?? finding.review, write, evidenceHash });
}

/** The finding with a review that counts from now on, and what is to be written of it. */
export function withReview(
  finding: RankedFinding,
  change: {
    readonly review: StoredReview | null;
    readonly write: ReviewWrite | null;
    readonly evidenceHash: string;
  },
): RankedFinding {
  const { review, write, evidenceHash } = change;
  return { ...finding, review, reviewWrite: write, evidenceHash, ...toFinal({ ...finding, review, evidenceHash }) };
}

export type FindingGroup = Group<RankedFinding>;

/** Findings with one fix together, by their final standing. */
export const groupFindings = (findings: readonly RankedFinding[]): FindingGroup[] =>
  toGroups(findings, finding => finding.groupKey);

export const toStanding = ({ final: { tier, score, state } }: RankedFinding): TriageStanding => ({
  tier,
  score,
  state,
});

function toFinal(layers: Pick<RankedFinding, 'base' | 'stored' | 'review' | 'evidenceHash'>) {
  const { base, stored, review, evidenceHash } = layers;
  if (stored === NOTHING_STORED && review === null) {
    const final = combineLayers({ base, evidenceHash });
    return { final, view: final };
  }
  const decision = stored.decision === null ? undefined : { status: stored.decision };
  const final = combineLayers({ base, review: review ?? undefined, decision, evidenceHash });
  // Nobody but a person or our own review takes a finding out of the list of fixes.
  const isForeign = review?.channel === 'mcp' && final.state === 'false_positive' && final.decidedBy === 'review';
  return { final, view: isForeign ? combineLayers({ base, decision, evidenceHash }) : final };
}

const KEPT = [
  'source',
  'name',
  'severity',
  'path',
  'rule_id',
  'cve_ids',
  'cwe_ids',
  'cvss_score',
  'cve_cvss',
  'cisa_kev',
  'fixed_version',
  'package_purl',
  'package_name',
  'repository',
  'seen_updated_at',
] as const satisfies readonly (keyof FindingRow)[];

/** Names are shown on one line; what is longer is no name. */
const MAX_NAME = 500;

function toShortRow(row: FindingRow): FindingRow {
  const short: Record<string, unknown> = {};
  for (const column of KEPT) {
    const value = row[column];
    if (value !== undefined && value !== null) short[column] = typeof value === 'string' ? share(value) : value;
  }
  if (typeof row.name === 'string' && row.name.length > MAX_NAME) short['name'] = row.name.slice(0, MAX_NAME);
  return short;
}

const MAX_SHARED = 20_000;
const MAX_SHARED_LENGTH = 120;
const shared = new Map<string, string>();

/** One string for all findings that hold the same text: rows repeat their hosts, sources and names. */
function share(text: string): string {
  if (text.length > MAX_SHARED_LENGTH) return text;
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size >= MAX_SHARED) shared.clear();
  shared.set(text, text);
  return text;
}
