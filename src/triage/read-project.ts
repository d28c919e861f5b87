import { toMessage } from '../core/errors.ts';
import { NO_FACTS } from '../risk/facts.ts';
import { textOr } from '../risk/python-values.ts';
import type { FindingRow } from '../risk/row.ts';
import type { PreviousStandings } from './board.ts';
import type { IntelSource } from './intel.ts';
import type { OwnPlan } from './own-findings.ts';
import { type RankedFinding, rankRow, withEvidence } from './ranked-finding.ts';
import { BATCH_SIZE, type FactsReading, type FindingRef, type TriageStore, toRefKey } from './store.ts';
import { NOTHING_STORED, type Stored, toStored } from './stored.ts';

/** A project as a run sees it: every finding ranked by the rules, with what was stored of it. */
export interface ProjectReading {
  readonly findings: readonly RankedFinding[];
  readonly previous: PreviousStandings;
  readonly facts: FactsReading;
  /** False where some findings could not be read: none may then be taken for gone. */
  readonly complete: boolean;
  /** False where nothing is known of earlier reviews and standings. */
  readonly knowsStored: boolean;
  readonly notices: readonly string[];
}

/**
 * Reads facts, stored layers and findings, and ranks the findings page by page, so that their long texts are never all
 * in memory. What cannot be read is left out and told. Rejects when the signal aborts.
 */
export async function readProject(
  store: TriageStore,
  own: OwnPlan,
  intel: IntelSource,
  signal: AbortSignal,
): Promise<ProjectReading> {
  const notices: string[] = [];
  const facts = await store.readFacts().catch((error: unknown): FactsReading => {
    notices.push(`The facts of the project cannot be read (${toMessage(error)}): the ranking does without them.`);
    return { facts: NO_FACTS, proofByHost: new Map(), failed: [] };
  });
  signal.throwIfAborted();
  if (facts.failed.length > 0) {
    notices.push(`Some facts cannot be read, and count as not known: ${facts.failed.join(', ')}.`);
  }
  const { stored, failure } = await readStored(store, signal);
  let knowsStored = failure === null;
  if (failure !== null) {
    notices.push(`Earlier reviews and standings cannot be read (${failure}): no evidence is reviewed, no change told.`);
  }
  const context = {
    facts: facts.facts,
    intel: intel.intel,
    storedOf: (ref: FindingRef) => stored.get(toRefKey(ref)) ?? NOTHING_STORED,
  };
  const findings: RankedFinding[] = [];
  const rank = async (rows: readonly FindingRow[]) => {
    await intel.learn(rows);
    for (const row of rows) findings.push(rankRow(row, textOr(row.id), context));
  };
  let complete = true;
  for await (const page of store.readFindings()) {
    signal.throwIfAborted();
    if ('failed' in page) {
      complete = false;
      notices.push(`Findings ${page.label} cannot be read, or not to their end (${page.failed}).`);
    } else await rank(page.rows.map(own.take).filter(row => row !== null));
  }
  await rank(own.upserts.map(({ row }) => row));
  await lookAtReviewed(store, own, findings, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    notices.push(`The evidence of reviewed findings cannot be read (${toMessage(error)}): their reviews do not count.`);
    knowsStored = false;
  });
  return { findings, previous: stored, facts, complete, knowsStored, notices };
}

/** Rows with their long texts, as they are now: this repository's own from the run itself, the others from the graph. */
export async function readRows(
  store: TriageStore,
  own: OwnPlan,
  refs: readonly FindingRef[],
): Promise<readonly FindingRow[]> {
  const ids = new Set(refs.filter(({ label }) => label === 'CodeFinding').map(({ id }) => id));
  const ownRows = own.upserts.filter(({ id }) => ids.has(id)).map(({ row }) => row);
  const others = refs.filter(({ label, id }) => label !== 'CodeFinding' || !own.ids.has(id));
  return others.length === 0 ? ownRows : [...ownRows, ...(await store.readEvidence(others))];
}

/** A review counts for the evidence that it was made of; the long texts are read for those that have one. */
async function lookAtReviewed(
  store: TriageStore,
  own: OwnPlan,
  findings: RankedFinding[],
  signal: AbortSignal,
): Promise<void> {
  const reviewed = [...findings.entries()].filter(([, { review, base }]) => review !== null && base.state === 'open');
  for (let at = 0; at < reviewed.length; at += BATCH_SIZE) {
    signal.throwIfAborted();
    const part = reviewed.slice(at, at + BATCH_SIZE);
    const indexOf = new Map(part.map(([index, finding]) => [toRefKey(finding), index]));
    for (const row of await readRows(
      store,
      own,
      part.map(([, { label, id }]) => ({ label, id })),
    )) {
      const index = indexOf.get(toRefKey({ label: textOr(row.label), id: textOr(row.id) }));
      const finding = index === undefined ? undefined : findings[index];
      if (index !== undefined && finding !== undefined) findings[index] = withEvidence(finding, row);
    }
  }
}

async function readStored(store: TriageStore, signal: AbortSignal) {
  const stored = new Map<string, Stored>();
  try {
    for await (const page of store.readStored()) {
      signal.throwIfAborted();
      for (const columns of page) {
        const found = toStored(columns);
        const ref = { label: textOr(columns['label']), id: textOr(columns['id']) };
        if (found !== NOTHING_STORED) stored.set(toRefKey(ref), found);
      }
    }
    return { stored, failure: null };
  } catch (error) {
    signal.throwIfAborted();
    return { stored: new Map<string, Stored>(), failure: toMessage(error) };
  }
}
