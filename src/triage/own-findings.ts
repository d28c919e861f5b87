import type { ReportFinding } from '../core/report.ts';
import { type RepositoryContext, toCodeFindingRow } from '../risk/code-finding.ts';
import { isPresent, lower, textOr } from '../risk/python-values.ts';
import type { FindingRow } from '../risk/row.ts';
import type { CodeFindingUpsert } from './store.ts';

/** The findings in the code at the tip of the default branch, and what is known beyond them. */
export interface OwnFindings {
  /** `owner/name`. */
  readonly repository: string;
  readonly context: RepositoryContext;
  readonly findings: readonly ReportFinding[];
  /** Whether this tool or reviewer would have reported a finding in this file, had it still been there. */
  readonly hasExamined: (tool: string, path: string) => boolean;
  readonly closedPullRequests: readonly number[];
  /** Id of the finding's node. */
  readonly toId: (fingerprint: string) => string;
}

/** The part of a run that is about this repository's own code. */
export interface OwnPlan {
  readonly upserts: readonly CodeFindingUpsert[];
  readonly ids: ReadonlySet<string>;
  /** What becomes of a finding that the graph holds: its row, null where an own one takes its place. */
  take(row: FindingRow): FindingRow | null;
  /** Ids of nodes that `take` has seen and that are no longer reported. */
  stale(): readonly string[];
}

/** Plans which nodes are opened, refreshed or made stale. Suppressed findings are not kept in the graph. */
export function planOwnFindings(own: OwnFindings | null, now: Date): OwnPlan {
  const upserts = own === null ? [] : toUpserts(own);
  const ids = new Set(upserts.map(({ id }) => id));
  const stale: string[] = [];
  return {
    upserts,
    ids,
    stale: () => stale,
    take(row) {
      if (own === null || row.label !== 'CodeFinding' || !isSame(row.repository, own.repository)) return row;
      const id = textOr(row.id);
      if (ids.has(id)) return null;
      if (isPresent(row.stale_since) || !own.hasExamined(lower(row.source), textOr(row.path))) return row;
      stale.push(id);
      return { ...row, stale_since: now.toISOString() };
    },
  };
}

function toUpserts({ repository, context, findings, toId }: OwnFindings): CodeFindingUpsert[] {
  const upserts = new Map<string, CodeFindingUpsert>();
  for (const finding of findings) {
    if (finding.suppressed !== undefined) continue;
    const { fingerprint } = finding;
    const id = toId(fingerprint);
    const row = { ...toCodeFindingRow(finding, { ...context, repository }), id };
    upserts.set(id, { id, fingerprint, repository, row });
  }
  return [...upserts.values()];
}

/** GitHub's names differ by more than their case. */
const isSame = (value: unknown, repository: string): boolean => lower(value) === repository.toLowerCase();
