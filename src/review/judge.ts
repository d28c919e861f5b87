import { type Ask, type Budget, LEAST_OUTPUT_TOKENS } from '../model/budget.ts';
import { runConversation } from '../model/conversation.ts';
import { estimateRequestTokens } from '../model/estimate.ts';
import type { Turn } from '../model/model.ts';
import { JUDGE_SCHEMA, JudgeAnswer, toShare } from './answers.ts';
import type { Dimensions, ReviewerFinding } from './outcome.ts';
import { renderFindings } from './prompts/findings.ts';
import { judgeTask } from './prompts/judge.ts';
import type { ReviewSetup } from './review-setup.ts';
import { toText } from './to-findings.ts';

/** A review as the judge sees it. */
export interface Judged {
  readonly findings: readonly ReviewerFinding[];
  readonly summary: string;
}

export type Judgement =
  | {
      readonly status: 'ok';
      readonly score: number;
      readonly dimensions: Dimensions;
      readonly rationale: string;
      readonly budgetLimited: boolean;
    }
  | { readonly status: 'failed'; readonly message: string; readonly budgetLimited: boolean };

/** Scores a review with one call and no tools; numbers are brought within 0 to 1. */
export async function judge(setup: ReviewSetup, review: Judged, budget: Budget): Promise<Judgement> {
  const { input, clean } = setup;
  const result = await runConversation({
    model: input.model,
    budget,
    request: toRequest(setup),
    turns: toTurns(setup, review),
    runTool: null,
    parse: value => JudgeAnswer.parse(value),
    maxCalls: 1,
    signal: input.signal,
  });
  const { budgetLimited } = result;
  if (result.status === 'failed')
    return { status: 'failed', message: `${result.kind}: ${result.reason}`, budgetLimited };
  const { score, dimensions, rationale } = result.value;
  const { correctness, groundedness, actionability, signal_to_noise } = dimensions;
  return {
    status: 'ok',
    score: toShare(score),
    dimensions: {
      correctness: toShare(correctness),
      groundedness: toShare(groundedness),
      actionability: toShare(actionability),
      signalToNoise: toShare(signal_to_noise),
    },
    rationale: toText(rationale, clean),
    budgetLimited,
  };
}

/** What the judge's call takes; findings that reflection rewrites may grow a little. */
export function judgeAsk(setup: ReviewSetup, review: Judged): Ask {
  const { role, model, ...request } = toRequest(setup);
  const inputTokens = estimateRequestTokens({ ...request, turns: toTurns(setup, review) }) + GROWTH_TOKENS;
  return { role, model, inputTokens, outputTokens: 2 * LEAST_OUTPUT_TOKENS };
}

const GROWTH_TOKENS = 2_000;

function toRequest({ input, system }: ReviewSetup) {
  const { judgeModel: model, judgeEffort: effort } = input.policy;
  return { model, role: 'judge', system, tools: [], answerSchema: JUDGE_SCHEMA, effort };
}

function toTurns({ guard, shared }: ReviewSetup, { findings, summary }: Judged): Turn[] {
  const task = judgeTask(renderFindings(findings, guard), guard.block('summary', summary || '(none)'));
  // One call, as a rule: nothing would read what a cache breakpoint writes.
  const uncached = shared.map(({ text }) => ({ text }));
  return [{ role: 'user', parts: [...uncached, { text: task }] }];
}
