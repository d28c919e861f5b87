import { CypherFixError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { NO_REVIEWS, type TriageCounts, type TriageRemediation } from '../core/triage.ts';
import { SCORE_MODEL_VERSION } from '../risk/data/version.ts';
import { countFindings, NO_CHANGES, toChanges } from './board.ts';
import { createIntelSource } from './intel.ts';
import { readFeeds } from './intel-feeds.ts';
import { LEGACY_PROMPT_VERSION } from './legacy-review.ts';
import { type OwnFindings, type OwnPlan, planOwnFindings } from './own-findings.ts';
import { publishRun } from './publish-run.ts';
import { type FindingGroup, groupFindings, type RankedFinding } from './ranked-finding.ts';
import { type ProjectReading, readProject, readRows } from './read-project.ts';
import { writeProse } from './remediation-prose.ts';
import { type FixTarget, toRemediations } from './remediations.ts';
import { reviewEvidence } from './review-evidence.ts';
import { openFrame, type RunFrame } from './run-frame.ts';
import { type RunFault, type RunStart, type TriageStore, toRefKey } from './store.ts';
import type { TriageModel } from './triage-model.ts';
import {
  type CutResult,
  EMPTY_COUNTS,
  RESULT_LIMITS,
  type ResultLimits,
  toResult,
  toSummary,
  toWarnings,
} from './triage-result.ts';

export interface TriageRunInput {
  readonly store: TriageStore;
  readonly start: Omit<RunStart, 'modelVersion'>;
  /** Null where no code was looked at. */
  readonly own: OwnFindings | null;
  readonly target: FixTarget;
  /** Folder of CVE feeds; null where there is none. */
  readonly intelFolder: string | null;
  readonly model: TriageModel | null;
  /** Most findings whose evidence is reviewed. */
  readonly reviewBudget: number;
  readonly times?: RunTimes;
  readonly limits?: ResultLimits;
  readonly log: Log;
  readonly now: () => number;
  /** Letters and digits that nobody could foresee. */
  readonly random: () => string;
  /** Ends the run as stopped until it publishes; afterwards it goes on. */
  readonly signal: AbortSignal;
}

/** Milliseconds. */
export interface RunTimes {
  readonly heartbeatEvery: number;
  /** Between two heartbeats when the phase changes. */
  readonly heartbeatLeast: number;
  readonly review: number;
  readonly prose: number;
}

export const RUN_TIMES: RunTimes = {
  heartbeatEvery: 30_000,
  heartbeatLeast: 2_000,
  review: 20 * 60_000,
  prose: 5 * 60_000,
};

export type TriageOutcome =
  /** Another run is live, or it is too soon: nothing was done. */
  | { readonly status: 'refused'; readonly reason: string; readonly runId?: string }
  | (CutResult & { readonly status: 'ended'; readonly notices: readonly string[] });

/**
 * One triage run: authorize, read and score, group, review the evidence, word the fixes, claim, publish, finish. Nothing
 * but the run's own node is written before the claim, nothing stops it after the claim, and it always finishes. Aborted
 * before the claim it ends as `stopped`. Rejects when the graph cannot be used or takes the run away.
 */
export async function runTriage(input: TriageRunInput): Promise<TriageOutcome> {
  const { store, signal, log, times = RUN_TIMES } = input;
  signal.throwIfAborted();
  const granted = await store.authorize({ ...input.start, modelVersion: SCORE_MODEL_VERSION });
  if (granted.status === 'refused') return granted;
  const { runId, lost } = granted;
  for (const id of lost) log.warn(`triage run ${id} had fallen silent; it is marked as failed`);
  const frame = openFrame({ ...times, store, runId, log, signal });
  const tally: Tally = { counts: EMPTY_COUNTS, claimed: false, fault: 'internal_error' };
  try {
    return await carryOut(input, runId, frame, tally);
  } catch (error) {
    const loss = tally.claimed ? null : frame.lostWith();
    const stopped = loss === null && !tally.claimed && signal.aborted;
    const fault = loss !== null ? 'agent_lost' : stopped ? 'stopped' : tally.fault;
    const status = stopped ? 'stopped' : 'failed';
    const notices = await frame.finish({ status, fault, summary: toSummary(tally.counts) });
    if (!stopped) throw loss ?? error;
    const lists = { complete: false, groups: [], remediations: [], changes: [] };
    const cut = toResult({ runId, status, counts: tally.counts, ...lists });
    return { status: 'ended', ...cut, notices: ['The run was stopped before it wrote anything.', ...notices] };
  } finally {
    await frame.close();
  }
}

/** How far a run has come, for its record. */
interface Tally {
  counts: TriageCounts;
  claimed: boolean;
  fault: RunFault;
}

async function carryOut(input: TriageRunInput, runId: string, frame: RunFrame, tally: Tally): Promise<TriageOutcome> {
  const { store, own, now } = input;
  frame.enter('scoring', 10, 'Reading and scoring the findings');
  const today = new Date(now());
  const plan = planOwnFindings(own, today);
  const feeds = input.intelFolder === null ? null : await readFeeds(input.intelFolder, today, frame.signal);
  const intel = createIntelSource({ feeds, readCache: ids => store.readCveCache(ids), now: today });
  const project = await frame.until(readProject(store, plan, intel, frame.signal));
  tally.counts = { ...tally.counts, ...countFindings(project.findings) };

  frame.enter('grouping', 30, 'Grouping by fix');
  const groups = groupFindings(project.findings);
  const reviewed = await reviewGroups(input, frame, plan, project, groups);
  const fixes = await writeFixes(input, frame, reviewed.groups);
  const { limits = RESULT_LIMITS } = input;
  const changes = project.knowsStored
    ? toChanges(reviewed.findings, project.previous, project.complete, limits.changes)
    : NO_CHANGES;
  tally.counts = {
    ...tally.counts,
    ...countFindings(reviewed.findings),
    groups: reviewed.groups.length,
    reviews: reviewed.counts,
    changes: changes.count,
  };

  frame.enter('publishing', 92, 'Writing the ranking');
  const claim = await store.claim(runId);
  if (claim.status === 'refused') {
    tally.fault = 'publish_refused';
    throw new CypherFixError('missing', `the triage wrote nothing: ${claim.reason}`);
  }
  tally.claimed = true;
  frame.shield();
  const published = await publishRun(store, {
    runId,
    own,
    plan,
    news: intel.news(),
    findings: reviewed.findings,
    beyond: reviewed.beyond,
    facts: project.facts,
    intelDate: intel.date(),
    remediations: fixes.remediations,
    complete: project.complete,
    onProgress: share => frame.tell('publishing', 92 + share * 7),
  });
  const counts = { ...tally.counts, published: published.published, remediations: published.remediations };
  tally.counts = counts;
  const status = published.fault === null ? 'completed' : 'completed_partial';
  const late = await frame.finish({ status, fault: published.fault, summary: toSummary(counts) });
  const { remediations } = fixes;
  const { complete } = project;
  return {
    status: 'ended',
    ...toResult(
      { runId, status, counts, complete, groups: reviewed.groups, remediations, changes: changes.first },
      limits,
    ),
    notices: [
      ...intel.notices(),
      ...project.notices,
      ...toWarnings(reviewed.findings),
      ...reviewed.notices,
      ...fixes.notices,
      ...published.notices,
      ...late,
    ],
  };
}

async function reviewGroups(
  { store, model, reviewBudget, now, random, times = RUN_TIMES }: TriageRunInput,
  frame: RunFrame,
  plan: OwnPlan,
  { findings, knowsStored }: ProjectReading,
  groups: readonly FindingGroup[],
) {
  // Without knowing what was reviewed, everything would be reviewed again, and good reviews overwritten.
  if (!knowsStored) return { findings, groups, beyond: new Set<RankedFinding>(), counts: NO_REVIEWS, notices: [] };
  frame.enter('reviewing', 45, 'Reviewing the evidence');
  const { reviewed, beyond, counts, notices } = await frame.until(
    reviewEvidence({
      groups,
      model,
      budget: reviewBudget,
      readEvidence: refs => readRows(store, plan, refs),
      deadline: now() + times.review,
      now,
      random,
      onProgress: share => frame.tell('reviewing', 45 + share * 30),
      signal: frame.signal,
    }),
  );
  const isSame = reviewed.size === 0;
  const ranked = isSame ? findings : findings.map(one => reviewed.get(toRefKey(one)) ?? one);
  const adopted = ranked.filter(
    ({ reviewWrite }) => reviewWrite?.kind === 'review' && reviewWrite.review.promptVersion === LEGACY_PROMPT_VERSION,
  );
  return {
    findings: ranked,
    groups: isSame ? groups : groupFindings(ranked),
    beyond,
    counts: { ...counts, adopted: adopted.length },
    notices,
  };
}

async function writeFixes(
  { target, model, now, random, times = RUN_TIMES }: TriageRunInput,
  frame: RunFrame,
  groups: readonly FindingGroup[],
): Promise<{ readonly remediations: readonly TriageRemediation[]; readonly notices: readonly string[] }> {
  frame.enter('writing_remediations', 78, 'Writing the list of fixes');
  const remediations = toRemediations(groups, target);
  if (model === null || remediations.length === 0) return { remediations, notices: [] };
  return frame.until(
    writeProse({
      remediations,
      groups,
      model,
      deadline: now() + times.prose,
      now,
      random,
      onProgress: share => frame.tell('writing_remediations', 78 + share * 12),
      signal: frame.signal,
    }),
  );
}
