import { markStale, removePullRequests, toCodeFindingId, upsertCodeFindings } from '../graph/code-findings.ts';
import { readCveCache, writeCveCache } from '../graph/cve-cache.ts';
import type { Graph, GraphTx } from '../graph/graph.ts';
import { publishRanking } from '../graph/publish-ranking.ts';
import { readFacts } from '../graph/read-facts.ts';
import { readFindings, readFindingsById, readStoredLayers } from '../graph/read-findings.ts';
import { saveRemediations } from '../graph/remediations.ts';
import { finishRun } from '../graph/run-end.ts';
import { RUN_LIMITS, type RunLimits } from '../graph/run-limits.ts';
import { authorizeRun, claimRun, heartbeatRun } from '../graph/run-record.ts';
import type { Tenant } from '../graph/tenant.ts';
import { SCORE_MODEL_VERSION } from '../risk/data/version.ts';
import type { TriageStore } from '../triage/store.ts';

/** The graph of one user and project as a triage run needs it. */
export function toTriageStore(graph: Graph, tenant: Tenant, limits: RunLimits = RUN_LIMITS): TriageStore {
  const write = async (work: (tx: GraphTx) => Promise<void>): Promise<void> =>
    graph.write(work, { timeoutMs: limits.batchMs });
  return {
    authorize: start => authorizeRun(graph, tenant, start, limits),
    heartbeat: (runId, progress) => heartbeatRun(graph, tenant, runId, progress, limits),
    claim: runId => claimRun(graph, tenant, runId, limits),
    finish: (runId, end) => finishRun(graph, tenant, runId, end, limits),
    readFacts: () => readFacts(graph, tenant),
    readFindings: () => readFindings(graph, tenant, { texts: 'telling' }),
    readStored: () => readStoredLayers(graph, tenant),
    readEvidence: refs => readFindingsById(graph, tenant, refs),
    readCveCache: ids => readCveCache(graph, ids),
    writeCveCache: entries => write(tx => writeCveCache(tx, [...entries])),
    upsertCodeFindings: async findings => {
      for (const repository of new Set(findings.map(finding => finding.repository))) {
        const part = findings.filter(finding => finding.repository === repository);
        await write(tx => upsertCodeFindings(tx, tenant, { repository, scope: 'default' }, part));
      }
    },
    markStale: ids => write(tx => markStale(tx, tenant, ids)),
    removePullRequests: (repository, numbers) => write(tx => removePullRequests(tx, tenant, repository, numbers)),
    publishRanking: (runId, rows, onProgress) =>
      publishRanking(graph, tenant, { runId, modelVersion: SCORE_MODEL_VERSION }, rows, onProgress, limits),
    saveRemediations: (runId, items, options) => saveRemediations(graph, tenant, runId, items, options, limits),
  };
}

/** Id of a finding on the repository's default branch. */
export const toDefaultBranchId =
  (repository: string) =>
  (fingerprint: string): string =>
    toCodeFindingId({ repository, scope: 'default' }, fingerprint);
