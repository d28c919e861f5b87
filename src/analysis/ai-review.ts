import type { RawFinding } from '../core/finding.ts';
import { toPathMatcher } from '../core/globs.ts';
import { NO_COST, type Report, type ReportReview } from '../core/report.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import type { AiVerdict } from '../findings/gate.ts';
import { GENERATED_PATHS } from '../findings/noise.ts';
import type { PlaceableFinding } from '../findings/place.ts';
import { createBudget, REVIEW_SHARES } from '../model/budget.ts';
import type { Model } from '../model/model.ts';
import type { Prices } from '../model/prices.ts';
import type { Policy } from '../policy/schema.ts';
import { REVIEWERS_TIME } from '../review/budget-views.ts';
import type { OpenFinding, ReviewerFinding, ReviewOutcome, ScannerBrief } from '../review/outcome.ts';
import { stubReview } from '../review/stub-review.ts';
import type { Sandbox, SandboxResult } from '../sandbox/sandbox.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { registerFound } from './register-found.ts';
import { isSpent, toBudgetKey, toRunBudget } from './run-budget.ts';
import type { Stopwatch } from './stopwatch.ts';

/** What the AI review of a run needs; `reason` says why there is none although a key or `--ai` asks for one. */
export type AiSetup =
  | { readonly kind: 'none'; readonly reason: string }
  | {
      readonly kind: 'review';
      readonly model: Model;
      readonly prices: Prices;
      /** Of the pull request, untrusted; null where there is none. */
      readonly title: string | null;
      readonly body: string | null;
    };

export interface AiReviewInput {
  /** Null where nobody asked for a review. */
  readonly ai: AiSetup | null;
  readonly policy: Policy;
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  /** That the change is to settle; untrusted. */
  readonly issues: readonly { readonly number: number; readonly title: string; readonly body: string }[];
  /** Scanners' findings with the ids that the report gives them. */
  readonly known: readonly PlaceableFinding[];
  /** What the scanners gave, before merging. */
  readonly scannerRaw: readonly RawFinding[];
  /** Reviewers' findings of earlier runs whose quoted text still stands. */
  readonly previousOpen: readonly OpenFinding[];
  /** What models cost in earlier runs of the pull request, in dollars. */
  readonly spentUsd: number;
  /** Keys of this run; what gitleaks matched is added before anything is sent. */
  readonly secrets: SecretRegistry;
  readonly stopwatch: Stopwatch;
  readonly now: (who: string) => Date;
  readonly random: (who: string) => string;
  readonly signal: AbortSignal;
}

export interface AiReview {
  /** Null where nobody asked for a review. */
  readonly outcome: ReviewOutcome | null;
  /** The reviewers' findings as merging takes them. */
  readonly raw: readonly RawFinding[];
  readonly cost: Report['cost'];
  /** Runs of the repository's tests that a reviewer asked for. */
  readonly sandboxRuns: readonly SandboxResult[];
  readonly notices: readonly string[];
}

/** Three reviewers of at most 8 calls, reflection, judge, revision and the second judge with room for one more each. */
const MAX_CALLS = 60;
/** What a reviewer needs for its answer after the last test run. */
const ANSWER_MS = 60_000;
const MAX_PATHS_NAMED = 10;

/** Loads what the review needs; afterwards its first call waits for nothing but the model. */
export async function prepareAiReview(ai: AiSetup | null): Promise<void> {
  if (ai?.kind !== 'review') return;
  await Promise.all([loadReview(), ai.model.prepare?.()]);
}

/** A run without AI loads neither prompts nor tools. */
const loadReview = () => Promise.all([import('../review/review-change.ts'), import('./run-tests.ts')]);

/**
 * Runs the AI review, or says in its place why there is none; nothing where nobody asked. Where the pull request's budget
 * is spent, none starts, and that counts as a review that did not finish. Rejects only when the signal aborts.
 */
export async function runAiReview(input: AiReviewInput): Promise<AiReview> {
  const { ai, policy, workspace, known, secrets, signal } = input;
  const { threshold } = policy.gate;
  if (ai === null || ai.kind === 'none') {
    const outcome = ai === null ? null : stubReview(threshold, ai.reason);
    return { outcome, raw: [], cost: NO_COST, sandboxRuns: [], notices: [] };
  }
  if (isSpent(policy.ai, input.spentUsd)) return spent(policy, input.spentUsd);
  const [{ reviewChange }, { createTestRunner }] = await loadReview();
  const now = (who: string) => input.now(who).getTime();
  const budget = createBudget({
    totalUsd: toRunBudget(policy.ai.budget_usd, policy.ai, input.spentUsd),
    shares: REVIEW_SHARES,
    maxCalls: MAX_CALLS,
    deadline: now('review') + policy.ai.timeout_min * 60_000,
    prices: ai.prices,
    key: toBudgetKey(policy.ai, input.spentUsd),
    now,
  });
  registerFound(secrets, input.scannerRaw);
  const sandboxRuns: SandboxResult[] = [];
  const reviewersEnd = now('run_tests') + policy.ai.timeout_min * 60_000 * REVIEWERS_TIME;
  const runTests = createTestRunner({
    policy,
    tree: workspace.head,
    sandbox: input.sandbox,
    secrets,
    timeLeft: () => reviewersEnd - now('run_tests') - ANSWER_MS,
    onRun: run => sandboxRuns.push(run),
  });
  const review = () =>
    reviewChange({
      change: workspace.change,
      tree: workspace.head,
      inspection: workspace.inspection,
      title: ai.title,
      body: ai.body,
      issues: input.issues,
      scannerFindings: known.filter(finding => finding.suppressed === undefined).map(toBrief),
      previousOpen: input.previousOpen,
      policy: {
        reviewerModel: policy.ai.reviewer_model,
        judgeModel: policy.ai.judge_model,
        reviewerEffort: policy.ai.effort.reviewer,
        judgeEffort: policy.ai.effort.judge,
        instructions: policy.ai.instructions,
        threshold,
        maxFiles: policy.review.max_files,
        isIgnored: toPathMatcher([...GENERATED_PATHS, ...policy.review.ignore_paths]),
      },
      model: ai.model,
      budget,
      runTests,
      random: () => input.random('review'),
      secrets,
      signal,
    });
  const outcome = await input.stopwatch.time('ai', 'Reviewing with models', review);
  const raw = outcome.findings.filter(hasPath).map(toRawFinding);
  return { outcome, raw, cost: budget.toCost(), sandboxRuns, notices: toNotices(outcome) };
}

/** The report's part: findings that name no file are with those that were dropped. */
export function toReviewPart({ review, findings }: ReviewOutcome, redact: (text: string) => string): ReportReview {
  const lost = findings
    .filter(finding => !hasPath(finding))
    .map(({ quote, placeReason }) => ({ quote, reason: placeReason ?? 'the finding names no file' }));
  return {
    ...review,
    summary: cut(redact(review.summary), MAX_SUMMARY_CHARS),
    reviewers: review.reviewers.map(({ message, ...reviewer }) =>
      message === undefined ? reviewer : { ...reviewer, message: cut(redact(message), MAX_TEXT_CHARS) },
    ),
    dropped: [...review.dropped, ...lost].slice(0, MAX_ENTRIES).map(({ quote, reason }) => ({
      quote: cut(redact(quote), MAX_TEXT_CHARS),
      reason: cut(redact(reason), MAX_TEXT_CHARS),
    })),
    disputes: review.disputes
      .slice(0, MAX_ENTRIES)
      .map(({ id, note }) => ({ id, note: cut(redact(note), MAX_TEXT_CHARS) })),
    injection: { ...review.injection },
  };
}

/** Path → reviewers that had its diff before them. */
export function toReviewedPaths({ outcome }: AiReview): Map<string, string[]> {
  const reviewed = new Map<string, string[]>();
  for (const { reviewer, paths } of outcome?.examined ?? []) {
    for (const path of paths) reviewed.set(path, [...(reviewed.get(path) ?? []), reviewer]);
  }
  return reviewed;
}

/** What the gate reads of it. */
export const toVerdict = ({ outcome }: AiReview): AiVerdict | null =>
  outcome === null
    ? null
    : { score: outcome.review.score, threshold: outcome.review.threshold, failures: outcome.failures };

/** A review was due and nobody looked: like one that did not finish, so that spending it all makes no check green. */
function spent(policy: Policy, spentUsd: number): AiReview {
  const reason = `the models' budget of this pull request is spent ($${spentUsd.toFixed(2)} of $${policy.ai.budget_usd_per_pr.toFixed(2)}, ai.budget_usd_per_pr)`;
  const outcome = stubReview(policy.gate.threshold, reason);
  const failures = [`The AI review did not start: ${reason}.`];
  const review = { ...outcome.review, budgetLimited: true };
  return { outcome: { ...outcome, failures, review }, raw: [], cost: NO_COST, sandboxRuns: [], notices: [] };
}

/** Without lines of its own a finding stands on line 1, which then means nothing. */
export function toRawFinding(finding: ReviewerFinding): RawFinding {
  const { startLine, endLine, place, placeReason, suggestion } = finding;
  const hasLines = startLine !== null && endLine !== null;
  return {
    tool: finding.tool,
    ruleId: finding.ruleId,
    title: finding.title,
    message: finding.message,
    severity: finding.severity,
    confidence: finding.confidence,
    cwe: finding.cwe,
    path: finding.path,
    startLine: hasLines ? startLine : 1,
    endLine: hasLines ? endLine : 1,
    matchedText: finding.matchedText,
    quote: finding.quote,
    origin: 'reviewer',
    anchor: hasLines ? place : 'none',
    ...(placeReason === undefined ? {} : { anchorReason: placeReason }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

const MAX_ENTRIES = 200;
const MAX_TEXT_CHARS = 1_000;
const MAX_SUMMARY_CHARS = 4_000;

const hasPath = ({ path }: ReviewerFinding): boolean => path !== '';

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

const toBrief = ({ id, severity, path, primary }: PlaceableFinding): ScannerBrief => ({
  id,
  tool: primary.tool,
  ruleId: primary.ruleId,
  severity,
  path,
  startLine: primary.startLine,
  title: primary.title,
  message: primary.message,
});

const LIMITED =
  'The AI review is partial: a limit of the policy (ai.budget_usd, ai.budget_usd_per_pr or ai.timeout_min) ended it early.';

function toNotices({ notShown, review }: ReviewOutcome): string[] {
  const limited = review.budgetLimited ? [LIMITED] : [];
  if (notShown.length === 0) return limited;
  const named = notShown.slice(0, MAX_PATHS_NAMED).map(({ path, reason }) => `${path} (${reason})`);
  const more = notShown.length > named.length ? ` and ${notShown.length - named.length} more` : '';
  return [...limited, `No model read these files of the change: ${named.join(', ')}${more}.`];
}
