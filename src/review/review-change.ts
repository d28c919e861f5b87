import { sortFindings } from './apply-decisions.ts';
import { keepingBack } from './budget-views.ts';
import { DEFENCES, type Defences } from './defences.ts';
import { type Judgement, judge, judgeAsk } from './judge.ts';
import type { ResolvedFinding, ReviewerFinding, ReviewOutcome, ScannerNote } from './outcome.ts';
import { reflect, reflectionAsk } from './reflect.ts';
import { type ReviewInput, type ReviewSetup, setUpReview } from './review-setup.ts';
import { type ReviewerRun, runReviewers } from './run-reviewers.ts';
import { toFindings, toText } from './to-findings.ts';

/**
 * The AI review of a change: three reviewers in parallel → reflection → judge → at most one revision, of which the better
 * version stays. What did not finish is in `failures`, never an exception; findings of scanners are neither changed nor
 * returned. Rejects when the signal aborts or a replay differs from its recording. `defences` is for tests.
 */
export async function reviewChange(input: ReviewInput, defences: Defences = DEFENCES): Promise<ReviewOutcome> {
  const setup = await setUpReview(input, defences);
  const runs = await runReviewers(setup);
  const drafts = await toDrafts(setup, runs);
  const failures = runs.flatMap(({ name, report }) =>
    report.status === 'failed' ? [`The ${name} reviewer did not finish: ${report.message}.`] : [],
  );
  const finished = runs.filter(run => run.answer !== null);
  const concluded = finished.length === 0 ? NOTHING : await conclude(setup, runs, drafts);
  const scannerNotes = toScannerNotes(setup, runs);
  const { shown, diff, guard } = setup;
  const paths = diff.whole.map(({ file }) => file.path);
  return {
    findings: concluded.version.findings,
    scannerNotes,
    resolved: toResolved(setup, runs),
    review: {
      score: concluded.judgement?.score ?? null,
      threshold: input.policy.threshold,
      dimensions: concluded.judgement?.dimensions ?? null,
      revisions: concluded.revisions,
      summary: concluded.version.summary,
      budgetLimited: setup.cutForBudget || concluded.budgetLimited || runs.some(run => run.budgetLimited),
      reviewers: runs.map(run => run.report),
      dropped: concluded.version.dropped,
      disputes: scannerNotes.filter(note => note.verdict === 'dispute').map(({ id, note }) => ({ id, note })),
      injection: guard.counts(),
    },
    failures: [...failures, ...concluded.failures],
    examined: finished.map(({ name }) => ({ reviewer: name, paths })),
    notShown: [...shown.left, ...diff.cut.map(({ file }) => ({ path: file.path, reason: toCutReason(setup) }))],
  };
}

/** Why a file of the diff is not before the models whole. */
const toCutReason = ({ cutForBudget }: ReviewSetup): string =>
  cutForBudget
    ? 'the diff is longer than the budget pays for, see ai.budget_usd'
    : 'the diff is longer than a prompt takes';

/** A consolidated review. */
interface Version {
  readonly findings: readonly ReviewerFinding[];
  readonly dropped: ReviewOutcome['review']['dropped'];
  readonly summary: string;
}

type Score = Judgement & { readonly status: 'ok' };

interface Concluded {
  readonly version: Version;
  readonly judgement: Score | null;
  readonly revisions: number;
  readonly failures: readonly string[];
  readonly budgetLimited: boolean;
}

const NOTHING: Concluded = {
  version: { findings: [], dropped: [], summary: 'No reviewer finished.' },
  judgement: null,
  revisions: 0,
  failures: [],
  budgetLimited: false,
};

async function conclude(setup: ReviewSetup, runs: readonly ReviewerRun[], drafts: readonly ReviewerFinding[]) {
  const { budget, policy } = setup.input;
  const notes = runs
    .flatMap(({ name, answer }) => (answer === null || answer.notes.trim() === '' ? [] : [`${name}: ${answer.notes}`]))
    .map(note => toText(note, setup.clean))
    .join('\n');
  const first = await firstVersion(setup, drafts, notes);
  const judged = await judge(setup, first.version, budget);
  const failures = [...first.failures];
  const budgetLimited = first.budgetLimited || judged.budgetLimited;
  if (judged.status === 'failed') {
    failures.push(`The judge did not finish: ${judged.message}.`);
    return { version: first.version, judgement: null, revisions: 0, failures, budgetLimited };
  }
  const weak = judged.score < policy.threshold && drafts.length > 0;
  const revised = weak ? await revise(setup, { drafts, notes, judged, first: first.version }) : UNREVISED;
  return {
    version: revised.better?.version ?? first.version,
    judgement: revised.better?.judgement ?? judged,
    revisions: revised.revisions,
    failures: [...failures, ...revised.failures],
    budgetLimited: budgetLimited || revised.budgetLimited,
  };
}

async function firstVersion(setup: ReviewSetup, drafts: readonly ReviewerFinding[], notes: string) {
  if (drafts.length === 0) {
    const version: Version = { findings: [], dropped: [], summary: notes || 'The reviewers found nothing to report.' };
    return { version, failures: [], budgetLimited: false };
  }
  const unreflected = { findings: sortFindings(drafts), dropped: [] };
  const budget = keepingBack(setup.input.budget, judgeAsk(setup, { findings: drafts, summary: notes }));
  const reflection = await reflect(setup, { role: 'reflection', drafts, notes, criticism: null, budget });
  const { budgetLimited } = reflection;
  if (reflection.status === 'ok') {
    const version: Version = { ...reflection.reflected, summary: reflection.summary };
    return { version, failures: [], budgetLimited };
  }
  const summary = 'The findings are shown as the reviewers gave them: reflection did not finish.';
  const failures = [`Reflection did not finish: ${reflection.message}.`];
  return { version: { ...unreflected, summary }, failures, budgetLimited };
}

interface Revision {
  /** The revised version, when it scored better. */
  readonly better: { readonly version: Version; readonly judgement: Score } | null;
  readonly revisions: number;
  readonly failures: readonly string[];
  readonly budgetLimited: boolean;
}

const UNREVISED: Revision = { better: null, revisions: 0, failures: [], budgetLimited: false };

interface ToRevise {
  readonly drafts: readonly ReviewerFinding[];
  readonly notes: string;
  readonly judged: Score;
  readonly first: Version;
}

/** One more reflection with the judge's words, and its score; begun only when both are affordable. */
async function revise(setup: ReviewSetup, { drafts, notes, judged, first }: ToRevise): Promise<Revision> {
  const { budget } = setup.input;
  const asked = { role: 'revise' as const, drafts, notes, criticism: toCriticism(judged) };
  const again = judgeAsk(setup, { findings: drafts, summary: first.summary });
  if (budget.limitOf([reflectionAsk(setup, asked), again]) !== null) return { ...UNREVISED, budgetLimited: true };
  const reflection = await reflect(setup, { ...asked, budget: keepingBack(budget, again) });
  if (reflection.status === 'failed') return gaveUp(`The revision did not finish: ${reflection.message}.`, reflection);
  const version: Version = { ...reflection.reflected, summary: reflection.summary };
  const rejudged = await judge(setup, version, budget);
  if (rejudged.status === 'failed') return gaveUp(`The revision was not judged: ${rejudged.message}.`, rejudged);
  const better = rejudged.score > judged.score ? { version, judgement: rejudged } : null;
  return { better, revisions: 1, failures: [], budgetLimited: reflection.budgetLimited || rejudged.budgetLimited };
}

/** The first version and its score stand. */
const gaveUp = (failure: string, { budgetLimited }: { readonly budgetLimited: boolean }): Revision => ({
  better: null,
  revisions: 1,
  failures: [failure],
  budgetLimited,
});

const toCriticism = ({ score, dimensions, rationale }: Score): string =>
  [`score ${score}`, ...Object.entries(dimensions).map(([name, value]) => `${name} ${value}`), rationale].join('\n');

async function toDrafts(setup: ReviewSetup, runs: readonly ReviewerRun[]): Promise<ReviewerFinding[]> {
  const drafts: ReviewerFinding[] = [];
  for (const { name, answer } of runs) drafts.push(...(await toFindings(name, answer?.findings ?? [], setup)));
  return drafts;
}

/** Verdicts on findings that the reviewers were given; at most one of each reviewer on each. */
function toScannerNotes({ input, defences, clean }: ReviewSetup, runs: readonly ReviewerRun[]): ScannerNote[] {
  const given = new Set(input.scannerFindings.map(finding => finding.id));
  return runs.flatMap(({ name, answer }) => {
    const seen = new Set<string>();
    return (answer?.scanner ?? []).flatMap(({ id, verdict, note }): ScannerNote[] => {
      if (!defences.isKnownId(id, given) || seen.has(id)) return [];
      seen.add(id);
      return [{ id, reviewer: name, verdict, note: toText(note, clean) }];
    });
  });
}

/** Earlier findings that their own reviewer calls mended. */
function toResolved({ input, defences, clean }: ReviewSetup, runs: readonly ReviewerRun[]): ResolvedFinding[] {
  return runs.flatMap(({ name, answer }) => {
    const own = input.previousOpen.filter(finding => finding.reviewer === name);
    const given = new Set(own.map(finding => finding.id));
    return (answer?.resolved ?? [])
      .filter(({ id }) => defences.isKnownId(id, given))
      .map(({ id, reason }) => ({ id, reviewer: name, reason: toText(reason, clean) }));
  });
}
