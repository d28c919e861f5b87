import { SCORE_MODEL_VERSION } from '../risk/data/version.ts';
import { type CodeFindingUpsert, type CodeScope, keepOnly, upsertCodeFindings } from './code-findings.ts';
import type { Graph } from './graph.ts';
import { rankNodes } from './publish-batch.ts';
import { PUBLISH_BATCH } from './publish-ranking.ts';
import type { RankingRow } from './ranking-row.ts';
import type { Tenant } from './tenant.ts';

/** A finding of a pull request with its ranking by the rules. */
export interface PullRequestFinding extends Omit<CodeFindingUpsert, 'layers'> {
  readonly ranking: RankingRow;
}

export interface SaveOptions {
  /** Everything was examined: what is not among the findings is gone. */
  readonly complete: boolean;
  /** Of one transaction, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Opens or refreshes a pull request's findings, each with its base layer and what people said of it in whatever scope,
 * so that a verdict ranks it anew at once. In batches of 500, each in one transaction. Rejects where one fails.
 */
export async function savePullRequest(
  graph: Graph,
  tenant: Tenant,
  scope: CodeScope,
  findings: readonly PullRequestFinding[],
  { complete, ...limits }: SaveOptions,
): Promise<void> {
  const fingerprints = findings.map(({ fingerprint }) => fingerprint);
  for (let start = 0; start === 0 || start < findings.length; start += PUBLISH_BATCH) {
    const batch = findings.slice(start, start + PUBLISH_BATCH);
    await graph.write(async tx => {
      if (start === 0 && complete) await keepOnly(tx, tenant, scope, fingerprints);
      await upsertCodeFindings(tx, tenant, scope, batch);
      const ranking = batch.map(finding => finding.ranking);
      await rankNodes(tx, tenant, SCORE_MODEL_VERSION, ranking);
    }, limits);
  }
}
