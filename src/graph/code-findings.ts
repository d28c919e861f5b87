import { createHash } from 'node:crypto';
import type { FindingRow } from '../risk/row.ts';
import { takeCodePoints } from '../risk/text.ts';
import type { Graph, GraphTx } from './graph.ts';
import { loadQuery } from './load-query.ts';
import type { Tenant } from './tenant.ts';

/** Where a code finding stands: on the default branch, or in a pull request only. */
export type Scope = 'default' | `pr/${number}`;

/** The findings of one repository and scope. */
export interface CodeScope {
  /** `owner/name` */
  readonly repository: string;
  readonly scope: Scope;
}

export interface CodeFindingUpsert {
  /** toCodeFindingId of the repository, fingerprint and scope. */
  readonly id: string;
  readonly fingerprint: string;
  /** From toCodeFindingRow. */
  readonly row: FindingRow;
  /** The layers of a ranking that is written at once, by their stored names (`triage_…`). */
  readonly layers?: Readonly<Record<string, unknown>>;
}

/** A person's verdict on a finding. */
export interface CodeVerdict {
  readonly fingerprint: string;
  readonly status: 'confirmed' | 'likely_noise';
  readonly by: string;
}

/** Id of a code finding's node: 32 hex digits, unique in the project over repositories and scopes. */
export const toCodeFindingId = ({ repository, scope }: CodeScope, fingerprint: string): string =>
  createHash('sha256')
    .update(`${repository.toLowerCase()}\n${scope}\n${fingerprint}`, 'utf8')
    .digest('hex')
    .slice(0, 32);

/**
 * Opens or refreshes the scope's findings, ties them to their repository's node (made where there is none), and copies
 * the verdicts that people gave in other scopes. What was stale is no longer. At most 500 for one transaction.
 */
export async function upsertCodeFindings(
  tx: GraphTx,
  tenant: Tenant,
  { repository, scope }: CodeScope,
  findings: readonly CodeFindingUpsert[],
): Promise<void> {
  if (findings.length === 0) return;
  const repositoryNode = await haveRepository(tx, tenant, repository);
  const rows = findings.map(({ id, fingerprint, row, layers }) => ({
    id,
    fingerprint,
    properties: { ...toProperties(row), ...layers },
  }));
  // One order for everybody who locks them.
  rows.sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
  const params = { ...tenant, repository, scope };
  await tx.run(loadQuery('code-upsert'), { ...params, repositoryNode, rows });
  await tx.run(loadQuery('code-copy-verdicts'), { ...params, fingerprints: rows.map(row => row.fingerprint) });
}

/** Marks findings of the default branch as gone, since now; those that are gone already keep their time. */
export async function markStale(tx: GraphTx, tenant: Tenant, ids: readonly string[]): Promise<void> {
  await tx.run(loadQuery('code-stale'), { ...tenant, ids: [...ids].sort() });
}

/** Removes everything that these pull requests of the repository left. */
export async function removePullRequests(
  tx: GraphTx,
  tenant: Tenant,
  repository: string,
  numbers: readonly number[],
): Promise<void> {
  const scopes = numbers.map(number => `pr/${number}`);
  if (scopes.length > 0) await tx.run(loadQuery('code-remove-scopes'), { ...tenant, repository, scopes });
}

/**
 * Removes the pull request's findings but these, and those that a person judged: what its last push mended, was never the
 * project's.
 */
export async function keepOnly(
  tx: GraphTx,
  tenant: Tenant,
  { repository, scope }: CodeScope,
  fingerprints: readonly string[],
): Promise<void> {
  if (scope === 'default') throw new Error('findings of the default branch become stale, they are not removed');
  await tx.run(loadQuery('code-remove-others'), { ...tenant, repository, scope, keep: fingerprints });
}

/** Numbers of the pull requests that the graph holds findings of, ascending. */
export async function listPullRequests(graph: Graph, tenant: Tenant, repository: string): Promise<number[]> {
  const rows = await graph.read(loadQuery('code-list-scopes'), { ...tenant, repository });
  return rows
    .map(row => Number(String(row['scope']).slice('pr/'.length)))
    .filter(number => Number.isSafeInteger(number) && number > 0)
    .sort((a, b) => a - b);
}

/** People's verdicts on these findings by fingerprint, whatever the scope; the last one of several. */
export async function readCodeVerdicts(
  graph: Graph,
  tenant: Tenant,
  repository: string,
  fingerprints: readonly string[],
): Promise<ReadonlyMap<string, CodeVerdict>> {
  const rows = await graph.read(loadQuery('code-verdicts'), { ...tenant, repository, fingerprints });
  const verdicts = rows.map(
    (row): CodeVerdict => ({
      fingerprint: String(row['fingerprint']),
      status: row['status'] === 'confirmed' ? 'confirmed' : 'likely_noise',
      by: String(row['by'] ?? ''),
    }),
  );
  return new Map(verdicts.map(verdict => [verdict.fingerprint, verdict]));
}

/** The host or URL that serves the repository's code (DEPLOYED_TO); null where the graph knows none. */
export async function readRepositoryHost(graph: Graph, tenant: Tenant, repository: string): Promise<string | null> {
  const [found] = await graph.read(loadQuery('code-find-repository'), { ...tenant, repository });
  return typeof found?.['host'] === 'string' ? found['host'] : null;
}

async function haveRepository(tx: GraphTx, tenant: Tenant, repository: string): Promise<unknown> {
  const params = { ...tenant, repository };
  const find = async () => (await tx.run(loadQuery('code-find-repository'), params))[0]?.['node'];
  const there = await find();
  if (there !== undefined) return there;
  await tx.run(loadQuery('code-lock-project'), { ...tenant });
  return (await find()) ?? (await tx.run(loadQuery('code-make-repository'), params))[0]?.['node'];
}

const MAX_TEXT = 4_000;

/** Columns of the row that are kept as properties; null takes an earlier value away. */
const KEPT = [
  'source',
  'name',
  'description',
  'severity',
  'confidence',
  'cwe_ids',
  'rule_id',
  'tools',
  'path',
  'path_kind',
  'repository_public',
] as const satisfies readonly (keyof FindingRow)[];

function toProperties(row: FindingRow): Record<string, unknown> {
  return Object.fromEntries(
    KEPT.map(column => {
      const value = row[column];
      return [column, typeof value === 'string' ? takeCodePoints(value, MAX_TEXT) : (value ?? null)];
    }),
  );
}
