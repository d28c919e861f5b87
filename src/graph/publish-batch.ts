import { combineLayers, type DecisionLayer, type ReviewLayer } from '../risk/layers.ts';
import { REVIEW_VERDICTS } from '../risk/review.ts';
import { FINDING_LABELS, type FindingLabel } from './finding-labels.ts';
import type { GraphTx } from './graph.ts';
import {
  type RankingStamp,
  type RunStamp,
  toBaseProperties,
  toFinalProperties,
  toReviewLayer,
  toReviewProperties,
} from './layer-properties.ts';
import { isProvenNow, PROOF_TYPES } from './live-proof.ts';
import { loadQuery } from './load-query.ts';
import type { RankingRow } from './ranking-row.ts';
import { parseStoredDecision, parseStoredReview, type Stored } from './stored-layers.ts';
import type { Tenant } from './tenant.ts';

/** What came of the rows of one batch, or of several. */
export interface BatchCounts {
  readonly updated: number;
  /** Changed since they were read. */
  readonly skippedChanged: number;
  /** Gone, or muted since. */
  readonly missing: number;
  readonly reviewsWritten: number;
  /** Reviews that were not written, since a person decided or an external review stands. */
  readonly rejected: number;
}

/** The run is no longer the one that publishes: another start took it for lost. */
export class RunLost extends Error {
  constructor(runId: string) {
    super(`run ${runId} was taken for lost while it published`);
    this.name = 'RunLost';
  }
}

/**
 * The work of one transaction: locks the rows' nodes in the order of labels and ids, reads what people and reviews
 * wrote and what is proven by now, and writes each that did not change, combined with that. Rejects with RunLost.
 */
export async function publishBatch(
  tx: GraphTx,
  tenant: Tenant,
  run: RunStamp,
  rows: readonly RankingRow[],
): Promise<BatchCounts> {
  // Both are on their way at once; the server takes them one after the other.
  const [fence, nodes] = await Promise.all([
    tx.run(loadQuery('run-fence'), { ...tenant, runId: run.runId }),
    lockFindings(tx, tenant, rows),
  ]);
  if (fence.length === 0) throw new RunLost(run.runId);
  return writeRanking(tx, tenant, run, rows, nodes);
}

/** The same for a review, which has no run that could be lost. */
export async function rankNodes(
  tx: GraphTx,
  tenant: Tenant,
  modelVersion: string,
  rows: readonly RankingRow[],
): Promise<BatchCounts> {
  return writeRanking(tx, tenant, { runId: null, modelVersion }, rows, await lockFindings(tx, tenant, rows));
}

async function writeRanking(
  tx: GraphTx,
  tenant: Tenant,
  stamp: RankingStamp,
  rows: readonly RankingRow[],
  nodes: readonly Stored[],
): Promise<BatchCounts> {
  const counts = { updated: 0, skippedChanged: 0, missing: 0, reviewsWritten: 0, rejected: 0 };
  const writes: FindingWrite[] = [];
  const found = new Set<number>();
  for (const node of nodes) {
    const index = node['index'] as number;
    const row = rows[index];
    if (row === undefined) continue;
    // Two nodes of one id are one finding; both are written.
    const first = !found.has(index);
    found.add(index);
    if (row.seenUpdatedAt !== null && node['updated_at'] !== row.seenUpdatedAt) {
      if (first) counts.skippedChanged += 1;
      continue;
    }
    const write = toWrite(row, node, stamp, isProvenNow(node, row.label, row.id));
    writes.push(write);
    if (!first) continue;
    counts.updated += 1;
    if (row.review?.kind === 'review') counts[write.reviewedAt === null ? 'rejected' : 'reviewsWritten'] += 1;
  }
  counts.missing = rows.length - found.size;
  if (writes.length > 0) await tx.run(loadQuery('publish-write-findings'), { ...tenant, rows: writes });
  return counts;
}

async function lockFindings(tx: GraphTx, tenant: Tenant, rows: readonly RankingRow[]): Promise<Stored[]> {
  const byLabel = new Map<FindingLabel, { id: string; index: number }[]>();
  for (const label of FINDING_LABELS) byLabel.set(label, []);
  for (const [index, { label, id }] of rows.entries()) byLabel.get(label as FindingLabel)?.push({ id, index });
  const nodes: Stored[] = [];
  for (const [label, wanted] of byLabel) {
    if (wanted.length === 0) continue;
    wanted.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    nodes.push(...(await tx.run(toLockQuery(label), { ...tenant, label, rows: wanted, proofTypes: PROOF_TYPES })));
  }
  return nodes;
}

/** A label cannot be a parameter; this one is from our own list. Findings of packages have their id elsewhere. */
function toLockQuery(label: FindingLabel): string {
  const query = loadQuery('publish-lock-findings').replace(':FindingLabel', `:${label}`);
  return label === 'MalPackageFinding' ? query.replace('n.id =', 'coalesce(n.finding_id, n.id) =') : query;
}

interface FindingWrite {
  readonly node: unknown;
  readonly properties: Record<string, unknown>;
  /** Of the run's own review, where it is written; ISO 8601. */
  readonly reviewedAt: string | null;
}

function toWrite(row: RankingRow, node: Stored, stamp: RankingStamp, provenNow: boolean): FindingWrite {
  const decision = parseStoredDecision(toStored(node['decision']));
  const stored = parseStoredReview(toStored(node['review']));
  const isOpen = mayReview(decision, stored, row.evidenceHash);
  const own = row.review?.kind === 'review' && isOpen ? row.review.review : undefined;
  const neverReviewed = row.review?.kind === 'not_reviewed' && node['review'] === null;
  const final = combineLayers({
    base: row.base,
    review: own === undefined ? stored : toReviewLayer(own),
    decision,
    evidenceHash: row.evidenceHash,
    provenNow,
  });
  return {
    node: node['node'],
    properties: {
      ...toBaseProperties(row, stamp),
      ...toFinalProperties(final),
      ...(own === undefined ? {} : toReviewProperties(own)),
      ...(neverReviewed ? { triage_ai_verdict: 'not_reviewed' } : {}),
    },
    reviewedAt: own === undefined ? null : toInstant(own.at),
  };
}

const toStored = (part: unknown): Stored => (part ?? {}) as Stored;

/** Neither a person's decision nor an external review of the same evidence is written over. */
const mayReview = (decision: DecisionLayer | undefined, stored: ReviewLayer | undefined, evidenceHash: string) =>
  decision === undefined &&
  !(
    stored?.channel === 'mcp' &&
    stored.evidenceHash === evidenceHash &&
    (REVIEW_VERDICTS as readonly string[]).includes(stored.verdict)
  );

/** What Cypher's datetime() reads; now where the text is no time. */
function toInstant(text: string): string {
  const at = new Date(text);
  return (Number.isNaN(at.getTime()) ? new Date() : at).toISOString();
}
