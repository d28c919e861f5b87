import { z } from 'zod';
import { SEVERITIES } from './finding.ts';
import { TIERS } from './risk.ts';

/**
 * What a triage run tells: the report's part `triage` (contract). Findings of the graph are named by label and id; ids
 * repeat between labels.
 */

const text = z.string();
const count = z.int().nonnegative();

export const TRIAGE_STATUSES = ['completed', 'completed_partial', 'failed', 'stopped'] as const;
export type TriageStatus = (typeof TRIAGE_STATUSES)[number];

export const TRIAGE_STATES = ['open', 'fixed', 'gone', 'inactive', 'false_positive'] as const;

export const REMEDIATION_TYPES = [
  'code_fix',
  'config_change',
  'dependency_upgrade',
  'infrastructure',
  'manual_review',
] as const;
export const FIX_COMPLEXITIES = ['trivial', 'low', 'medium', 'high'] as const;
export const REMEDIATION_CATEGORIES = [
  'vulnerability',
  'dependency',
  'secret',
  'misconfiguration',
  'exposure',
  'hardening',
] as const;

const Standing = z.strictObject({ tier: z.enum(TIERS), score: z.number(), state: z.enum(TRIAGE_STATES) });

export const TriageMember = z.strictObject({
  label: text,
  id: text,
  name: text,
  host: text,
  /** Of a finding in code; empty for all others. */
  path: text,
  ...Standing.shape,
});

/** Findings that one fix removes. */
export const TriageGroup = z.strictObject({
  key: text,
  title: text,
  tier: z.enum(TIERS),
  score: z.number(),
  risk: z.number(),
  liveCount: count,
  memberCount: count,
  /** What to do; empty where nothing is open. */
  fix: text,
  /** The first ones by score. */
  members: z.array(TriageMember),
});

export const TriageRemediation = z.strictObject({
  groupKey: text,
  title: text,
  description: text,
  solution: text,
  remediationType: z.enum(REMEDIATION_TYPES),
  fixComplexity: z.enum(FIX_COMPLEXITIES),
  category: z.enum(REMEDIATION_CATEGORIES),
  estimatedFiles: count,
  severity: z.enum(SEVERITIES),
  /** From 1. */
  priority: count,
  priorityScore: z.number(),
  tier: z.enum(TIERS),
  affectedAssets: z.array(text),
  affectedAssetCount: count,
  cveIds: z.array(text),
  cweIds: z.array(text),
  cvssScore: z.number().nullable(),
  cisaKev: z.boolean(),
  exploitAvailable: z.boolean(),
  evidence: text,
  findingIds: z.array(text),
  liveMemberCount: count,
  targetRepo: text,
  targetBranch: text,
});

export const CHANGE_KINDS = ['new', 'tier', 'state', 'score', 'gone'] as const;

/** A finding that stands otherwise than after the last run. */
export const TriageChange = z.strictObject({
  kind: z.enum(CHANGE_KINDS),
  label: text,
  id: text,
  name: text,
  before: Standing.nullable(),
  after: Standing.nullable(),
});

export const TriageCounts = z.strictObject({
  findings: count,
  groups: count,
  tiers: z.strictObject({ T1: count, T2: count, T3: count, T4: count }),
  states: z.strictObject({ open: count, fixed: count, gone: count, inactive: count, false_positive: count }),
  changes: count,
  /** Of the evidence review; `notReviewed` lay beyond the budget. */
  reviews: z.strictObject({ made: count, adopted: count, failed: count, notReviewed: count }),
  /** Of the writing; all 0 where nothing was written. */
  published: z.strictObject({
    updated: count,
    skippedChanged: count,
    missing: count,
    reviewsWritten: count,
    rejected: count,
    failed: count,
  }),
  remediations: z.strictObject({ written: count, kept: count, removed: count }),
});

export const TriageResult = z.strictObject({
  /** Null where no run was recorded in a graph. */
  runId: text.nullable(),
  status: z.enum(TRIAGE_STATUSES),
  counts: TriageCounts,
  /** False where some findings could not be read, so that none may be taken for gone. */
  complete: z.boolean(),
  groups: z.array(TriageGroup),
  remediations: z.array(TriageRemediation),
  changes: z.array(TriageChange),
});

export type TriageResult = z.infer<typeof TriageResult>;
export type TriageGroup = z.infer<typeof TriageGroup>;
export type TriageMember = z.infer<typeof TriageMember>;
export type TriageRemediation = z.infer<typeof TriageRemediation>;
export type TriageChange = z.infer<typeof TriageChange>;
export type TriageCounts = z.infer<typeof TriageCounts>;
export type TriageStanding = z.infer<typeof Standing>;

export const NO_REVIEWS: TriageCounts['reviews'] = { made: 0, adopted: 0, failed: 0, notReviewed: 0 };
export const NOTHING_PUBLISHED: TriageCounts['published'] = {
  updated: 0,
  skippedChanged: 0,
  missing: 0,
  reviewsWritten: 0,
  rejected: 0,
  failed: 0,
};
export const NO_REMEDIATIONS: TriageCounts['remediations'] = { written: 0, kept: 0, removed: 0 };
