import type { TriageRemediation } from '../core/triage.ts';

/** A remediation as the graph holds it. */
export interface StoredRemediation {
  /** Element id, good within one transaction. */
  readonly node: string;
  /** Null on a row of a time before keys. */
  readonly groupKey: string | null;
  readonly status: string;
  readonly agentSessionId: string | null;
  readonly fixBranch: string | null;
  readonly prUrl: string | null;
}

export interface Refreshed {
  readonly node: string;
  readonly item: TriageRemediation;
  /** Somebody says it is resolved, and it is still found. */
  readonly stillDetected: boolean;
}

export interface RemediationPlan {
  readonly create: readonly TriageRemediation[];
  readonly rewrite: readonly { readonly node: string; readonly item: TriageRemediation }[];
  /** Somebody works on them: only rank and members follow. */
  readonly refresh: readonly Refreshed[];
  /** Somebody works on them, and nothing of them is found any more. */
  readonly close: readonly string[];
  readonly remove: readonly string[];
}

/**
 * What turns the stored list into the new one. `complete` false means that the new list does not hold every group, so
 * what it does not name stays as it is.
 */
export function planRemediations(
  stored: readonly StoredRemediation[],
  items: readonly TriageRemediation[],
  complete: boolean,
): RemediationPlan {
  const byKey = new Map<string, StoredRemediation>();
  const spare: StoredRemediation[] = [];
  for (const row of stored) {
    if (row.groupKey === null || byKey.has(row.groupKey)) spare.push(row);
    else byKey.set(row.groupKey, row);
  }
  const plan = {
    create: [] as TriageRemediation[],
    rewrite: [] as { node: string; item: TriageRemediation }[],
    refresh: [] as Refreshed[],
    close: [] as string[],
    remove: [] as string[],
  };
  const seen = new Set<string>();
  for (const item of items) {
    if (seen.has(item.groupKey)) continue;
    seen.add(item.groupKey);
    const known = byKey.get(item.groupKey);
    const isLive = item.liveMemberCount > 0;
    if (known === undefined) {
      if (isLive) plan.create.push(item);
    } else if (isProtected(known)) {
      plan.refresh.push({ node: known.node, item, stillDetected: known.status === 'resolved' && isLive });
    } else if (isLive) plan.rewrite.push({ node: known.node, item });
    else plan.remove.push(known.node);
  }
  if (!complete) return plan;
  for (const row of [...byKey.values()].filter(known => !seen.has(known.groupKey ?? '')).concat(spare)) {
    (isProtected(row) ? plan.close : plan.remove).push(row.node);
  }
  return plan;
}

const isProtected = ({ status, agentSessionId, fixBranch, prUrl }: StoredRemediation): boolean =>
  status !== 'pending' || Boolean(agentSessionId) || Boolean(fixBranch) || Boolean(prUrl);
