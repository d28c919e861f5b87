import { toMessage } from '../core/errors.ts';
import type { FindingRow } from '../risk/row.ts';
import { FINDING_LABELS, type FindingLabel } from './finding-labels.ts';
import { toFindingRow } from './finding-row.ts';
import type { Graph, Row } from './graph.ts';
import { loadQuery } from './load-query.ts';
import type { Tenant } from './tenant.ts';

/** Some findings of one label, or why the rest of the label could not be read. */
export type FindingPage =
  | { readonly label: FindingLabel; readonly rows: readonly FindingRow[] }
  | { readonly label: FindingLabel; readonly failed: string };

export interface FindingRef {
  readonly label: string;
  readonly id: string;
}

export interface ReadFindingsOptions {
  /**
   * `all`: requests, responses, evidence and descriptions whole, as the evidence of a finding needs them. `telling`: only
   * those that may hold what score and group look for, a credential or the id of a CVE: both come out the same.
   */
  readonly texts: 'all' | 'telling';
  /** Rows of a page: 500. */
  readonly pageSize?: number;
  /** Of one label, in milliseconds: 5 minutes. */
  readonly timeoutMs?: number;
}

const READ_MS = 300_000;
const PAGE_SIZE = 500;
/** Ids of one query. */
const BATCH = 500;

const QUERY_OF_LABEL: Readonly<Record<FindingLabel, string>> = {
  Vulnerability: 'findings-vulnerability',
  ExploitGvm: 'findings-exploit',
  Secret: 'findings-secret',
  JsReconFinding: 'findings-js-recon',
  MultiscannerFinding: 'findings-multiscanner',
  GithubSecret: 'findings-github-secret',
  GithubSensitiveFile: 'findings-github-file',
  MalPackageFinding: 'findings-mal-package',
  CodeFinding: 'findings-code',
};

/** Every text of these shapes holds one of these words, so that a text without them need not be fetched to be scored. */
const CREDENTIAL_MARKS = ['_PASSWORD', 'SECRET_KEY', 'API_SECRET', 'CLIENT_SECRET', 'AKIA', 'PRIVATE KEY-----'];

/**
 * Every finding of the project that is not muted, one row each, in pages; of code findings those of the default branch.
 * A label that cannot be read ends with a page that says so, and the next follows.
 */
export async function* readFindings(
  graph: Graph,
  tenant: Tenant,
  options: ReadFindingsOptions,
): AsyncGenerator<FindingPage> {
  const params = { allTexts: options.texts === 'all', credentialMarks: CREDENTIAL_MARKS, ...tenant };
  for (const label of FINDING_LABELS) {
    const rows = graph.stream(loadQuery(QUERY_OF_LABEL[label]), params, { timeoutMs: options.timeoutMs ?? READ_MS });
    try {
      for await (const page of toPages(rows, options.pageSize ?? PAGE_SIZE)) {
        yield { label, rows: page.map(toFindingRow) };
      }
    } catch (error) {
      yield { label, failed: toMessage(error).slice(0, 300) };
    }
  }
}

/** These findings as they are now, texts whole. One that is gone, muted or out of triage is left out. */
export async function readFindingsById(
  graph: Graph,
  tenant: Tenant,
  refs: readonly FindingRef[],
  options: { readonly timeoutMs?: number } = {},
): Promise<FindingRow[]> {
  const found: FindingRow[] = [];
  for (const label of FINDING_LABELS) {
    const ids = [...new Set(refs.filter(ref => ref.label === label).map(ref => ref.id))];
    for (let start = 0; start < ids.length; start += BATCH) {
      const params = { ids: ids.slice(start, start + BATCH), allTexts: true, credentialMarks: [], ...tenant };
      const rows = await graph.read(toByIdQuery(loadQuery(QUERY_OF_LABEL[label])), params, options);
      found.push(...rows.map(toFindingRow));
    }
  }
  return found;
}

/** What earlier runs, reviews and people stored on the findings, with `label` and `id`, in pages. Rejects on failure. */
export async function* readStoredLayers(
  graph: Graph,
  tenant: Tenant,
  options: Pick<ReadFindingsOptions, 'pageSize' | 'timeoutMs'> = {},
): AsyncGenerator<readonly Row[]> {
  for (const label of FINDING_LABELS) {
    // A label cannot be a parameter; this one is from our own list.
    const query = loadQuery('stored-layers').replace(':FindingLabel', `:${label}`);
    const rows = graph.stream(query, { ...tenant }, { timeoutMs: options.timeoutMs ?? READ_MS });
    for await (const page of toPages(rows, options.pageSize ?? PAGE_SIZE)) {
      yield page.map(row => ({ label, ...row }));
    }
  }
}

const ANY_ID = / IS NOT NULL\b/;

/** The same rows for single findings: each query asks for a present id in its first WHERE. */
export function toByIdQuery(query: string): string {
  const changed = query.replace(ANY_ID, ' IN $ids');
  if (changed === query) throw new Error('the query asks for no id');
  return changed;
}

async function* toPages<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
