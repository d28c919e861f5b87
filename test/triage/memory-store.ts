import type { TriageRemediation } from '../../src/core/triage.ts';
import { parseFacts } from '../../src/risk/facts.ts';
import { combineLayers } from '../../src/risk/layers.ts';
import type { FindingRow } from '../../src/risk/row.ts';
import {
  type Authorization,
  type CachedCve,
  type FindingRef,
  type RankingRow,
  type RunEnd,
  type RunProgress,
  type TriageStore,
  toRefKey,
} from '../../src/triage/store.ts';
import { toStored } from '../../src/triage/stored.ts';

export interface MemoryGraph {
  /** By reference key; what the finding queries give. */
  readonly rows: Map<string, FindingRow>;
  /** By reference key: the `triage_*` properties. */
  readonly stored: Map<string, Record<string, unknown>>;
  readonly cves: Map<string, CachedCve>;
  remediations: readonly TriageRemediation[];
  facts: unknown;
}

export interface MemoryStore extends TriageStore {
  readonly graph: MemoryGraph;
  /** Every call in order; writes in capitals. */
  readonly calls: string[];
  readonly beats: RunProgress[];
  readonly ends: RunEnd[];
  readonly published: RankingRow[];
  /** Called before the named call; may throw, wait or change the graph. */
  before: (call: string) => void | Promise<void>;
  authorization: Authorization;
}

/** A graph in memory. Publishing combines layers as the real one does. */
export function memoryStore(rows: readonly FindingRow[] = [], options: { pageSize?: number } = {}): MemoryStore {
  const { pageSize = 2 } = options;
  const graph: MemoryGraph = {
    rows: new Map(rows.map(row => [toRefKey(refOf(row)), row])),
    stored: new Map(),
    cves: new Map(),
    remediations: [],
    facts: {},
  };
  const calls: string[] = [];
  const note = async (call: string): Promise<void> => {
    calls.push(call);
    await store.before(call);
  };
  const store: MemoryStore = {
    graph,
    calls,
    beats: [],
    ends: [],
    published: [],
    before: () => {},
    authorization: { status: 'granted', runId: 'run-1', lost: [] },
    async authorize() {
      await note('authorize');
      return store.authorization;
    },
    async heartbeat(_, progress) {
      store.beats.push(progress);
      await store.before('heartbeat');
      return 'go-on';
    },
    async claim() {
      await note('claim');
      return { status: 'claimed' };
    },
    async finish(_, end) {
      await note('finish');
      store.ends.push(end);
      return { status: end.status, late: false };
    },
    async readFacts() {
      await note('readFacts');
      return { facts: parseFacts(graph.facts), proofByHost: new Map(), failed: [] };
    },
    async *readFindings() {
      await note('readFindings');
      const rowsNow = [...graph.rows.values()];
      for (const label of new Set(rowsNow.map(row => String(row.label)))) {
        const all = rowsNow.filter(row => row.label === label);
        for (let at = 0; at < all.length; at += pageSize) {
          await note('page');
          yield { label, rows: all.slice(at, at + pageSize) };
        }
      }
    },
    async *readStored() {
      await note('readStored');
      for (const [key, row] of graph.rows) yield [{ ...refOf(row), ...graph.stored.get(key) }];
    },
    async readEvidence(refs) {
      await note('readEvidence');
      return refs.flatMap(ref => graph.rows.get(toRefKey(ref)) ?? []);
    },
    async readCveCache(ids) {
      await note('readCveCache');
      return ids.flatMap(id => graph.cves.get(id) ?? []);
    },
    async writeCveCache(entries) {
      await note('WRITE cves');
      for (const entry of entries) graph.cves.set(entry.id, entry);
    },
    async upsertCodeFindings(findings) {
      await note('WRITE code findings');
      for (const { id, row } of findings) graph.rows.set(toRefKey({ label: 'CodeFinding', id }), row);
    },
    async markStale(ids) {
      await note('WRITE stale');
      for (const id of ids) {
        const key = toRefKey({ label: 'CodeFinding', id });
        graph.rows.set(key, { ...graph.rows.get(key), stale_since: '2027-01-01T00:00:00Z' });
      }
    },
    async removePullRequests() {
      await note('WRITE pull requests');
    },
    async publishRanking(_, ranking, onProgress) {
      await note('WRITE ranking');
      const counts = { updated: 0, skippedChanged: 0, missing: 0, reviewsWritten: 0, rejected: 0, failed: 0 };
      for (const row of ranking) {
        store.published.push(row);
        counts[publishOne(graph, row)]++;
        if (row.review?.kind === 'review') counts.reviewsWritten++;
      }
      onProgress(ranking.length);
      return { ...counts, reasons: [] };
    },
    async saveRemediations(_, items) {
      await note('WRITE remediations');
      const removed = graph.remediations.filter(old => !items.some(item => item.groupKey === old.groupKey)).length;
      graph.remediations = items;
      return { written: items.length, kept: 0, removed };
    },
  };
  return store;
}

const refOf = (row: FindingRow): FindingRef => ({ label: String(row.label), id: String(row.id) });

function publishOne(graph: MemoryGraph, row: RankingRow): 'updated' | 'missing' | 'skippedChanged' {
  const key = toRefKey(row);
  const node = graph.rows.get(key);
  if (node === undefined) return 'missing';
  if (row.seenUpdatedAt !== null && node.seen_updated_at !== row.seenUpdatedAt) return 'skippedChanged';
  const before = graph.stored.get(key) ?? {};
  const { decision, review } = toStored(before);
  const own = row.review?.kind === 'review' ? row.review.review : undefined;
  const final = combineLayers({
    base: row.base,
    review: own ?? review ?? undefined,
    decision: decision === null ? undefined : { status: decision },
    evidenceHash: row.evidenceHash,
  });
  graph.stored.set(key, {
    ...before,
    triage_tier: final.tier,
    triage_priority_score: final.score,
    triage_state: final.state,
    triage_evidence_hash: row.evidenceHash,
    ...(own === undefined ? {} : toReviewColumns(own)),
  });
  return 'updated';
}

type OwnReview = Extract<RankingRow['review'], { kind: 'review' }>['review'];

export const toReviewColumns = (review: OwnReview): Record<string, unknown> => ({
  triage_ai_verdict: review.verdict,
  triage_ai_corrections: JSON.stringify({
    verdict: review.verdict,
    impact_multiplier: review.impactMultiplier,
    impact_quote: review.impactQuote,
    disputed_facts: review.disputedFacts,
  }),
  triage_ai_quote: review.evidenceQuote,
  triage_ai_model: review.model,
  triage_ai_at: review.at,
  triage_ai_why: review.why,
  triage_ai_channel: review.channel,
  triage_ai_evidence_hash: review.evidenceHash,
  triage_ai_prompt_version: review.promptVersion,
  triage_fix_lever: review.fixLever,
});
