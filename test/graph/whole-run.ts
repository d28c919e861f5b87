import type { Graph } from '../../src/graph/graph.ts';
import { type PublishCounts, publishRanking } from '../../src/graph/publish-ranking.ts';
import { saveRemediations } from '../../src/graph/remediations.ts';
import { finishRun } from '../../src/graph/run-end.ts';
import { RUN_LIMITS, type RunLimits } from '../../src/graph/run-limits.ts';
import { authorizeRun, claimRun, heartbeatRun } from '../../src/graph/run-record.ts';
import type { Tenant } from '../../src/graph/tenant.ts';
import { toRankingRows } from './ranking.ts';
import { toRemediation } from './remediation.ts';

/** Findings of the project of these tests: two batches. */
export const SIZE = 501;

export interface RunResult {
  readonly runId: string;
  readonly status: string;
  readonly counts: PublishCounts | null;
}

/** Every write of a triage run, in its order: authorize, heartbeat, claim, ranking, remediations, finish. */
export async function runWhole(graph: Graph, tenant: Tenant, limits: RunLimits = RUN_LIMITS): Promise<RunResult> {
  const start = await authorizeRun(graph, tenant, { trigger: 'local', automatic: false, modelVersion: 'v3' }, limits);
  if (start.status === 'refused') throw new Error(`refused: ${start.reason}`);
  const { runId } = start;
  await heartbeatRun(graph, tenant, runId, { phase: 'scoring', progress: 10 }, limits);
  const claim = await claimRun(graph, tenant, runId, limits);
  if (claim.status === 'refused') {
    await finishRun(graph, tenant, runId, { status: 'failed', fault: 'publish_refused', summary: {} }, limits);
    return { runId, status: 'failed', counts: null };
  }
  const counts = await publishRanking(
    graph,
    tenant,
    { runId, modelVersion: 'v3' },
    toRankingRows(SIZE),
    () => {},
    limits,
  );
  let isSaved = true;
  try {
    // One item of the list is of every run, one of this run alone.
    const items = [toRemediation('of every run'), toRemediation(`of ${runId}`)];
    await saveRemediations(graph, tenant, runId, items, { complete: true }, limits);
  } catch {
    isSaved = false;
  }
  const status = counts.failed === 0 && isSaved ? 'completed' : 'completed_partial';
  await finishRun(graph, tenant, runId, { status, fault: null, summary: { updated: counts.updated } }, limits);
  return { runId, status, counts };
}
