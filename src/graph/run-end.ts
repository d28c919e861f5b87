import { randomUUID } from 'node:crypto';
import type { Graph } from './graph.ts';
import { GraphError } from './graph-failure.ts';
import { loadQuery } from './load-query.ts';
import { MINUTE_MS, RUN_LIMITS, type RunLimits } from './run-limits.ts';
import type { Tenant } from './tenant.ts';

export interface RunEnd {
  /** `completed`, `completed_partial`, `failed` or `stopped`; anything else is stored as failed. */
  readonly status: string;
  /** Class of the error; null where there was none. */
  readonly fault: string | null;
  /** Numbers for people; what is no finite number is left out. */
  readonly summary: Readonly<Record<string, number>>;
}

/** The status that the run has now; `late` when somebody else had ended it before, whose word then stays. */
export interface RecordedEnd {
  readonly status: string;
  readonly late: boolean;
}

const END_STATUSES: ReadonlySet<string> = new Set(['completed', 'completed_partial', 'failed', 'stopped']);
const LIVE_STATUSES: ReadonlySet<unknown> = new Set(['running', 'publishing']);

const MAX_SUMMARY_ENTRIES = 40;
const KEPT_RUNS = 50;
const KEPT_YOUNG_MS = 24 * 60 * MINUTE_MS;

/** Ends the run, whatever came of it, and lets old records go. Rejects where the run is not in the graph. */
export async function finishRun(
  graph: Graph,
  tenant: Tenant,
  runId: string,
  end: RunEnd,
  limits: RunLimits = RUN_LIMITS,
): Promise<RecordedEnd> {
  const recorded = await recordEnd(graph, tenant, runId, end, limits);
  // The run has ended; whether old records are gone is of no concern to it, and the next run tries again.
  await graph
    .write(tx => tx.run(loadQuery('run-trim'), { ...tenant, keep: KEPT_RUNS, keepYoungMs: KEPT_YOUNG_MS }), {
      timeoutMs: limits.authorizeMs,
      attempts: 1,
    })
    .catch(() => {});
  return recorded;
}

function recordEnd(graph: Graph, tenant: Tenant, runId: string, end: RunEnd, limits: RunLimits): Promise<RecordedEnd> {
  const finishId = randomUUID();
  const status = END_STATUSES.has(end.status) ? end.status : 'failed';
  return graph.write(
    async tx => {
      const [run] = await tx.run(loadQuery('run-lock'), { ...tenant, runId, ttlMs: limits.ttlMs });
      if (run === undefined) throw new GraphError('other', `run ${runId} is not in the graph`);
      const known = String(run['status']);
      // The answer to an earlier attempt was lost.
      if (run['finishId'] === finishId) return { status: known, late: known !== status };
      if (!LIVE_STATUSES.has(run['status'])) {
        await tx.run(loadQuery('run-finish-late'), {
          ...tenant,
          runId,
          finishId,
          summary: renderSummary({ ...end.summary, late: 1 }),
        });
        return { status: known, late: true };
      }
      await tx.run(loadQuery('run-finish'), {
        ...tenant,
        runId,
        finishId,
        status,
        errorClass: end.fault?.slice(0, 40) ?? null,
        summary: renderSummary(end.summary),
      });
      return { status, late: false };
    },
    { timeoutMs: limits.authorizeMs },
  );
}

const renderSummary = (summary: Readonly<Record<string, number>>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(summary)
        .filter(([name, value]) => Number.isFinite(value) && name.length <= 40)
        .slice(0, MAX_SUMMARY_ENTRIES),
    ),
  );
