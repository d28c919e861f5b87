import type { TriageRemediation } from '../core/triage.ts';
import { takeCodePoints } from '../risk/text.ts';
import { fitTexts } from './fit-text.ts';
import type { Graph, GraphTx, Row } from './graph.ts';
import { loadQuery } from './load-query.ts';
import { RunLost } from './publish-batch.ts';
import { planRemediations, type StoredRemediation } from './remediation-plan.ts';
import { RUN_LIMITS, type RunLimits } from './run-limits.ts';
import type { Tenant } from './tenant.ts';

export interface RemediationCounts {
  readonly written: number;
  /** Somebody works on them: only their rank and members were written. */
  readonly kept: number;
  readonly removed: number;
}

/** Rows of one statement; the transaction holds as many as are needed. */
const CHUNK = 500;

const MAX = { title: 200, text: 5_000, key: 200, assets: 200, asset: 300, ids: 50, id: 120, findings: 500, name: 200 };

/**
 * Brings the stored list of remediations to this one, by project and group key, in one transaction. An empty list
 * removes what nobody works on; `complete` false leaves alone what the list does not name. Rejects with RunLost when the
 * run does not publish (any more).
 */
export function saveRemediations(
  graph: Graph,
  tenant: Tenant,
  runId: string,
  items: readonly TriageRemediation[],
  { complete }: { readonly complete: boolean },
  limits: RunLimits = RUN_LIMITS,
): Promise<RemediationCounts> {
  return graph.write(tx => save(tx, tenant, runId, items, complete), { timeoutMs: limits.saveMs });
}

async function save(
  tx: GraphTx,
  tenant: Tenant,
  runId: string,
  items: readonly TriageRemediation[],
  complete: boolean,
): Promise<RemediationCounts> {
  const fence = await tx.run(loadQuery('run-fence'), { ...tenant, runId });
  if (fence.length === 0) throw new RunLost(runId);
  const stored = await tx.run(loadQuery('remediation-lock'), { ...tenant });
  const plan = planRemediations(stored.map(toStored), items, complete);
  const write = async (query: string, name: 'rows' | 'nodes', rows: readonly unknown[]): Promise<void> => {
    for (let start = 0; start < rows.length; start += CHUNK) {
      await tx.run(loadQuery(query), { ...tenant, [name]: rows.slice(start, start + CHUNK) });
    }
  };
  // What is removed goes first: it may hold the key of a row to come.
  await write('remediation-remove', 'nodes', plan.remove);
  await write(
    'remediation-create',
    'rows',
    plan.create.map(item => ({ groupKey: takeCodePoints(item.groupKey, MAX.key), properties: toContent(item, runId) })),
  );
  await write('remediation-write', 'rows', [
    ...plan.rewrite.map(({ node, item }) => ({ node, properties: toContent(item, runId) })),
    ...plan.refresh.map(({ node, item, stillDetected }) => ({
      node,
      properties: { ...toStanding(item, runId), still_detected: stillDetected },
    })),
    ...plan.close.map(node => ({ node, properties: { live_member_count: 0, still_detected: false } })),
  ]);
  return {
    written: plan.create.length + plan.rewrite.length,
    kept: plan.refresh.length + plan.close.length,
    removed: plan.remove.length,
  };
}

/** The stored list by priority, as properties by their stored names. */
export async function listRemediations(graph: Graph, tenant: Tenant): Promise<Readonly<Record<string, unknown>>[]> {
  const rows = await graph.read(loadQuery('remediation-list'), { ...tenant });
  return rows.map(row => row['remediation'] as Readonly<Record<string, unknown>>);
}

const toStored = (row: Row): StoredRemediation => ({
  node: String(row['node']),
  groupKey: toText(row['groupKey']),
  status: toText(row['status']) ?? 'pending',
  agentSessionId: toText(row['agentSessionId']),
  fixBranch: toText(row['fixBranch']),
  prUrl: toText(row['prUrl']),
});

const toText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** What every run may write. */
const toStanding = (item: TriageRemediation, runId: string) => ({
  priority: item.priority,
  priority_score: item.priorityScore,
  finding_ids: fitTexts(item.findingIds, MAX.findings, MAX.name),
  live_member_count: item.liveMemberCount,
  triage_run_id: runId,
});

const toContent = (item: TriageRemediation, runId: string) => ({
  ...toStanding(item, runId),
  title: takeCodePoints(item.title, MAX.title),
  description: takeCodePoints(item.description, MAX.text),
  solution: takeCodePoints(item.solution, MAX.text),
  remediation_type: item.remediationType,
  fix_complexity: item.fixComplexity,
  category: item.category,
  estimated_files: Math.min(50, item.estimatedFiles),
  severity: item.severity,
  tier: item.tier,
  affected_assets: fitTexts(item.affectedAssets, MAX.assets, MAX.asset),
  affected_asset_count: item.affectedAssetCount,
  cve_ids: fitTexts(item.cveIds, MAX.ids, MAX.id),
  cwe_ids: fitTexts(item.cweIds, MAX.ids, MAX.id),
  cvss_score: item.cvssScore === null ? null : Math.min(10, Math.max(0, item.cvssScore)),
  cisa_kev: item.cisaKev,
  exploit_available: item.exploitAvailable,
  evidence: takeCodePoints(item.evidence, MAX.text),
  target_repo: takeCodePoints(item.targetRepo, MAX.name),
  target_branch: takeCodePoints(item.targetBranch, MAX.name),
});
