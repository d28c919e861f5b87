import { NO_FACTS } from '../risk/facts.ts';
import { isProven } from '../risk/proven.ts';
import type { GraphTx } from './graph.ts';
import { loadQuery } from './load-query.ts';
import type { Stored } from './stored-layers.ts';
import type { Tenant } from './tenant.ts';

/** Kinds of chain findings that prove what they confirm. */
export const PROOF_TYPES = [
  'exploit_success',
  'access_gained',
  'privilege_escalation',
  'credential_found',
  'vulnerability_confirmed',
] as const;

/** Of the CVEs that these nodes name, those that an exploit of the same project used. */
export async function readExploitedCves(
  tx: GraphTx,
  tenant: Tenant,
  nodes: readonly Stored[],
): Promise<ReadonlySet<string>> {
  const cveIds = [...new Set(nodes.flatMap(namedCves))];
  if (cveIds.length === 0) return new Set();
  const rows = await tx.run(loadQuery('publish-exploited-cves'), { ...tenant, cveIds });
  return new Set(rows.map(row => String(row['id'])));
}

/** Whether the graph, as it is now, proves the finding: an exploit, a working credential, a confirmed chain. */
export function isProvenNow(node: Stored, label: string, id: string, exploited: ReadonlySet<string>): boolean {
  if (node['confirmed'] === true) return true;
  if (namedCves(node).some(cve => exploited.has(cve))) return true;
  return isProven({ label, id, validation_status: node['validation_status'], verdict: node['verdict'] }, NO_FACTS, []);
}

const namedCves = (node: Stored): string[] =>
  Array.isArray(node['cve_ids']) ? node['cve_ids'].filter((id): id is string => typeof id === 'string') : [];
