import {
  NO_REMEDIATIONS,
  NO_REVIEWS,
  NOTHING_PUBLISHED,
  type TriageChange,
  type TriageCounts,
  type TriageRemediation,
  type TriageResult,
} from '../core/triage.ts';
import { countFindings, toGroupList } from './board.ts';
import type { FindingGroup, RankedFinding } from './ranked-finding.ts';

/** Most entries of a result's lists. */
export interface ResultLimits {
  readonly groups: number;
  /** Of each group. */
  readonly members: number;
  readonly remediations: number;
  readonly changes: number;
}

export const RESULT_LIMITS: ResultLimits = { groups: 500, members: 20, remediations: 500, changes: 500 };

export const EMPTY_COUNTS: TriageCounts = {
  ...countFindings([]),
  groups: 0,
  changes: 0,
  reviews: NO_REVIEWS,
  published: NOTHING_PUBLISHED,
  remediations: NO_REMEDIATIONS,
};

export interface WholeResult extends Pick<TriageResult, 'runId' | 'status' | 'counts' | 'complete'> {
  readonly groups: readonly FindingGroup[];
  readonly remediations: readonly TriageRemediation[];
  readonly changes: readonly TriageChange[];
}

export interface CutResult {
  readonly result: TriageResult;
  /** What the lists had to leave out. */
  readonly truncated: Readonly<Record<string, number>>;
}

/** The result with its lists cut to the limits. */
export function toResult(whole: WholeResult, limits: ResultLimits = RESULT_LIMITS): CutResult {
  const { runId, status, counts, complete } = whole;
  const groups = whole.groups.slice(0, limits.groups);
  const left = {
    'triage groups': whole.groups.length - groups.length,
    'triage remediations': whole.remediations.length - limits.remediations,
    'triage changes': counts.changes - Math.min(whole.changes.length, limits.changes),
    'members of triage groups': groups.reduce(
      (sum, { members }) => sum + Math.max(0, members.length - limits.members),
      0,
    ),
  };
  return {
    result: {
      runId,
      status,
      counts,
      complete,
      groups: toGroupList(groups, limits.members),
      remediations: whole.remediations.slice(0, limits.remediations),
      changes: whole.changes.slice(0, limits.changes),
    },
    truncated: Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0)),
  };
}

const MAX_WARNINGS = 20;

/** What the score model noticed, each once, with how often. */
export function toWarnings(findings: readonly RankedFinding[]): string[] {
  const warnings = new Map<string, number>();
  for (const finding of findings) {
    for (const warning of finding.warnings) warnings.set(warning, (warnings.get(warning) ?? 0) + 1);
  }
  return [...warnings]
    .slice(0, MAX_WARNINGS)
    .map(([warning, count]) => `${count === 1 ? '1 finding' : `${count} findings`}: ${warning}.`);
}

/** The numbers that stay with the run's record. */
export function toSummary(counts: TriageCounts): Record<string, number> {
  const { tiers, reviews, published, remediations } = counts;
  return {
    findings: counts.findings,
    groups: counts.groups,
    changes: counts.changes,
    t1: tiers.T1,
    t2: tiers.T2,
    t3: tiers.T3,
    t4: tiers.T4,
    reviews_made: reviews.made,
    reviews_adopted: reviews.adopted,
    reviews_failed: reviews.failed,
    not_reviewed: reviews.notReviewed,
    updated: published.updated,
    skipped_changed: published.skippedChanged,
    missing: published.missing,
    reviews_written: published.reviewsWritten,
    rejected: published.rejected,
    publish_failed: published.failed,
    remediations_written: remediations.written,
    remediations_kept: remediations.kept,
    remediations_removed: remediations.removed,
  };
}
