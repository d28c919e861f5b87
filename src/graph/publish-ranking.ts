import { isFindingLabel } from './finding-labels.ts';
import type { Graph } from './graph.ts';
import { type GraphFailure, readGraphFailure } from './graph-failure.ts';
import type { RunStamp } from './layer-properties.ts';
import { type BatchCounts, publishBatch, RunLost } from './publish-batch.ts';
import type { RankingRow } from './ranking-row.ts';
import { RUN_LIMITS, type RunLimits } from './run-limits.ts';
import type { Tenant } from './tenant.ts';

export interface PublishCounts extends BatchCounts {
  /** In batches that failed. */
  readonly failed: number;
  /** Why batches failed, each reason once. */
  readonly reasons: readonly string[];
}

/** Rows of one transaction. */
export const PUBLISH_BATCH = 500;

/** So many batches in a row that waited in vain: nothing says that the next will not. */
const MAX_VAIN_BATCHES = 3;

/** Failures that another batch is likely to meet as well. */
const VAIN: ReadonlySet<GraphFailure> = new Set<GraphFailure>(['lock', 'busy', 'unreachable']);

/**
 * Writes the ranking in batches of 500, each in one transaction: all of a batch is written or nothing. A failed batch is
 * counted and the next is tried, but for three in a row that found locks held or no server, and for a run that was
 * taken for lost: then the rest counts as failed without a try. Never rejects.
 */
export async function publishRanking(
  graph: Graph,
  tenant: Tenant,
  run: RunStamp,
  rows: readonly RankingRow[],
  onProgress: (done: number) => void = () => {},
  limits: RunLimits = RUN_LIMITS,
): Promise<PublishCounts> {
  const total = { updated: 0, skippedChanged: 0, missing: 0, reviewsWritten: 0, rejected: 0, failed: 0 };
  const reasons = new Set<string>();
  const known = rows.filter(row => isFindingLabel(row.label)).sort(byNode);
  total.missing = rows.length - known.length;
  let vain = 0;
  for (let start = 0; start < known.length; start += PUBLISH_BATCH) {
    const batch = known.slice(start, start + PUBLISH_BATCH);
    try {
      const counts = await graph.write(tx => publishBatch(tx, tenant, run, batch), { timeoutMs: limits.batchMs });
      for (const name of Object.keys(counts) as (keyof BatchCounts)[]) total[name] += counts[name];
      vain = 0;
    } catch (error) {
      total.failed += batch.length;
      const failure = readGraphFailure(error);
      reasons.add(error instanceof RunLost ? error.message : toReason(failure, error));
      vain = VAIN.has(failure) ? vain + 1 : 0;
      if (vain >= MAX_VAIN_BATCHES || error instanceof RunLost) {
        total.failed += known.length - start - batch.length;
        onProgress(known.length);
        break;
      }
    }
    onProgress(start + batch.length);
  }
  return { ...total, reasons: [...reasons] };
}

/** One order for all transactions, so that two of them do not lock each other out. */
const byNode = (a: RankingRow, b: RankingRow): number =>
  a.label < b.label ? -1 : a.label > b.label ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

function toReason(failure: GraphFailure, error: unknown): string {
  switch (failure) {
    case 'lock':
      return 'another transaction held the findings for too long';
    case 'busy':
      return 'the server did not finish a batch in time';
    case 'unreachable':
      return 'the connection to Neo4j was lost';
    default:
      return `a batch failed: ${error instanceof Error ? error.message.replace(/\s+/g, ' ').slice(0, 200) : 'unknown error'}`;
  }
}
