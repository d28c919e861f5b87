import { type ConversationResult, runConversation } from '../model/conversation.ts';
import { REVIEWER_SCHEMA, ReviewerAnswer } from './answers.ts';
import { REVIEWERS_TIME, withTimeShare } from './budget-views.ts';
import { REVIEWERS, type ReviewerName, type ReviewerReport } from './outcome.ts';
import { CORRECTNESS_DUTY } from './prompts/correctness.ts';
import { renderOpenFindings } from './prompts/findings.ts';
import { reviewerTask } from './prompts/reviewer.ts';
import { SECURITY_DUTY } from './prompts/security.ts';
import { STYLE_DUTY } from './prompts/style.ts';
import type { ReviewSetup } from './review-setup.ts';
import { createToolbox } from './tools/tools.ts';

export const MAX_REVIEWER_CALLS = 8;
/** What reading the cache saves is not worth a longer wait. */
const START_PATIENCE_MS = 15_000;

export interface ReviewerRun {
  readonly name: ReviewerName;
  /** Null when the reviewer did not finish. */
  readonly answer: ReviewerAnswer | null;
  readonly report: ReviewerReport;
  readonly budgetLimited: boolean;
}

const DUTIES: Readonly<Record<ReviewerName, string>> = {
  security: SECURITY_DUTY,
  correctness: CORRECTNESS_DUTY,
  style: STYLE_DUTY,
};

/**
 * The three reviewers side by side; one that fails leaves the others alone. The second and the third begin when the first
 * one's answer begins: the shared prompt is then in the provider's cache, and they read it instead of writing it again. A
 * first one whose answer does not begin within `patienceMs`, or that ends before, keeps them waiting no longer.
 */
export async function runReviewers(setup: ReviewSetup, patienceMs = START_PATIENCE_MS): Promise<ReviewerRun[]> {
  const toolbox = createToolbox(setup.tools);
  const budget = withTimeShare(setup.input.budget, REVIEWERS_TIME);
  const [first, ...others] = REVIEWERS;
  const { started, onStarted } = newStart(patienceMs);
  const runOne = async (name: ReviewerName, whenStarted?: () => void): Promise<ReviewerRun> => {
    const { input, system, shared, guard } = setup;
    const { reviewerModel: model, reviewerEffort: effort } = input.policy;
    const open = renderOpenFindings(
      input.previousOpen.filter(finding => finding.reviewer === name),
      guard,
    );
    const result = await runConversation({
      model: input.model,
      budget,
      request: {
        model,
        role: name,
        system,
        tools: toolbox.specs,
        answerSchema: REVIEWER_SCHEMA,
        effort,
        ...(whenStarted === undefined ? {} : { onStarted: whenStarted }),
      },
      turns: [{ role: 'user', parts: [...shared, { text: reviewerTask(DUTIES[name], open) }] }],
      runTool: toolbox.runnerFor(name),
      parse: value => ReviewerAnswer.parse(value),
      maxCalls: MAX_REVIEWER_CALLS,
      signal: input.signal,
    });
    return toRun(name, model, result);
  };
  const leader = runOne(first, onStarted).finally(onStarted);
  const runs = [leader, ...others.map(async name => started.then(() => runOne(name)))];
  // All of them end before an abort or an internal error goes on, so that nothing works on behind it.
  await Promise.allSettled(runs);
  return Promise.all(runs);
}

function toRun(name: ReviewerName, model: string, result: ConversationResult<ReviewerAnswer>): ReviewerRun {
  const { calls, budgetLimited } = result;
  if (result.status === 'ok') {
    const status = budgetLimited ? 'limited' : 'ok';
    return { name, answer: result.value, budgetLimited, report: { name, model, status, calls } };
  }
  const message = `${result.kind}: ${result.reason}`;
  return { name, answer: null, budgetLimited, report: { name, model, status: 'failed', calls, message } };
}

function newStart(patienceMs: number): { readonly started: Promise<void>; readonly onStarted: () => void } {
  let onStarted = (): void => {};
  const started = new Promise<void>(resolve => {
    const timer = setTimeout(resolve, patienceMs);
    onStarted = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  return { started, onStarted };
}
