import { toMessage } from '../core/errors.ts';
import { NO_REMEDIATIONS, NOTHING_PUBLISHED, type TriageCounts, type TriageRemediation } from '../core/triage.ts';
import { textOr } from '../risk/python-values.ts';
import type { OwnFindings, OwnPlan } from './own-findings.ts';
import type { RankedFinding } from './ranked-finding.ts';
import {
  BATCH_SIZE,
  type CachedCve,
  type FactsReading,
  type ProofLink,
  type RankingRow,
  type ReviewWrite,
  type RunFault,
  type TriageStore,
} from './store.ts';

export interface PublishInput {
  readonly runId: string;
  readonly own: OwnFindings | null;
  readonly plan: OwnPlan;
  readonly news: readonly CachedCve[];
  readonly findings: readonly RankedFinding[];
  /** Those that no review has reached. */
  readonly beyond: ReadonlySet<RankedFinding>;
  readonly facts: FactsReading;
  readonly intelDate: string | null;
  readonly remediations: readonly TriageRemediation[];
  readonly complete: boolean;
  readonly onProgress: (share: number) => void;
}

export interface Published {
  readonly published: TriageCounts['published'];
  readonly remediations: TriageCounts['remediations'];
  readonly fault: RunFault | null;
  readonly notices: readonly string[];
}

/** So many failed batches in a row: nothing says that the next will not fail. */
const MAX_VAIN_BATCHES = 3;

/**
 * Writes what a run found, in this order: this repository's findings, CVE intelligence, the ranking, the list of fixes.
 * What fails is counted and told, the rest is written. Never rejects, and nothing stops it.
 */
export async function publishRun(store: TriageStore, input: PublishInput): Promise<Published> {
  const notices: string[] = [];
  const faults = new Set<RunFault>();
  await writeFirst(store, input, failure => {
    faults.add('publish_failed');
    notices.push(failure);
  });

  // A node that this run has just written has another stamp than the one that was read.
  const written = new Set([...input.plan.ids, ...input.plan.stale()]);
  const rows = input.findings.map(finding => toRankingRow(finding, input, written));
  let published = NOTHING_PUBLISHED;
  try {
    const { reasons, ...counts } = await store.publishRanking(input.runId, rows, done =>
      input.onProgress(rows.length === 0 ? 1 : done / rows.length),
    );
    published = counts;
    notices.push(...reasons.map(reason => `The ranking was not written whole: ${reason}.`));
  } catch (error) {
    published = { ...NOTHING_PUBLISHED, failed: rows.length };
    notices.push(`The ranking was not written: ${toMessage(error)}.`);
  }
  if (published.failed > 0) faults.add('publish_failed');

  let remediations = NO_REMEDIATIONS;
  try {
    const { complete } = input;
    const { written, kept, removed } = await store.saveRemediations(input.runId, input.remediations, { complete });
    remediations = { written, kept, removed };
  } catch (error) {
    faults.add('save_failed');
    notices.push(`The list of fixes was not saved: ${toMessage(error)}.`);
  }
  const [fault = null] = faults;
  return { published, remediations, fault, notices };
}

/** The first batches: what the ranking then stands on. */
async function writeFirst(
  store: TriageStore,
  { own, plan, news }: PublishInput,
  onFailure: (failure: string) => void,
): Promise<void> {
  let vain = 0;
  const write = async <T>(what: string, items: readonly T[], task: (batch: readonly T[]) => Promise<void>) => {
    let failed = 0;
    let reason = '';
    for (let at = 0; at < items.length; at += BATCH_SIZE) {
      const batch = items.slice(at, at + BATCH_SIZE);
      if (vain >= MAX_VAIN_BATCHES) {
        failed += items.length - at;
        break;
      }
      try {
        await task(batch);
        vain = 0;
      } catch (error) {
        vain++;
        failed += batch.length;
        reason = toMessage(error);
      }
    }
    if (failed > 0) onFailure(`${failed} of ${items.length} ${what}: ${reason || 'batches before them failed'}.`);
  };
  await write('findings of this repository were not written', plan.upserts, batch => store.upsertCodeFindings(batch));
  await write('findings that are gone were not marked', plan.stale(), batch => store.markStale(batch));
  if (own !== null) {
    await write('closed pull requests were not cleared', own.closedPullRequests, batch =>
      store.removePullRequests(own.repository, batch),
    );
  }
  await write('CVEs were not written to the cache', news, batch => store.writeCveCache(batch));
}

function toRankingRow(
  finding: RankedFinding,
  { facts, intelDate, beyond }: PublishInput,
  written: ReadonlySet<string>,
): RankingRow {
  const { label, id, row, base, evidenceHash, signals, host, groupKey, detector, reviewWrite } = finding;
  const seen = label === 'CodeFinding' && written.has(id) ? '' : textOr(row.seen_updated_at);
  return {
    label,
    id,
    seenUpdatedAt: seen === '' ? null : seen,
    base,
    evidenceHash,
    signals,
    host,
    groupKey,
    detector,
    intelDate,
    proof: facts.proofByHost.get(host) ?? NO_PROOF,
    review: reviewWrite ?? (beyond.has(finding) ? NOT_REVIEWED : null),
  };
}

const NO_PROOF: readonly ProofLink[] = [];
const NOT_REVIEWED: ReviewWrite = { kind: 'not_reviewed' };
