import { LEAST_OUTPUT_TOKENS } from '../model/budget.ts';
import { estimateRequestTokens } from '../model/estimate.ts';
import type { TextPart } from '../model/model.ts';
import { MAX_DIFF_CHARS, type RenderedDiff } from './change-text.ts';
import { REVIEWERS } from './outcome.ts';
import type { ReviewInput } from './review-setup.ts';

/** What every role's prompt begins with, for one length of the diff. */
export interface PromptStart {
  readonly diff: RenderedDiff;
  readonly shared: readonly TextPart[];
  readonly system: readonly TextPart[];
}

/**
 * The longest diff with which the budget allows every stage: a partial diff that is reviewed to the end is worth more than a
 * whole one that nobody can pay for. Where not even the shortest fits, that one is taken, and the budget says no in its turn.
 */
export function fitToBudget(
  { budget, policy }: ReviewInput,
  build: (maxDiffChars: number) => PromptStart,
): PromptStart {
  const { reviewerModel, judgeModel } = policy;
  for (let maxChars = MAX_DIFF_CHARS; ; maxChars = Math.floor(maxChars / 2)) {
    const start = build(maxChars);
    if (maxChars / 2 < LEAST_DIFF_CHARS) return start;
    const turns = [{ role: 'user' as const, parts: start.shared }];
    const size = estimateRequestTokens({ system: start.system, tools: [], answerSchema: null, turns });
    const call = (role: string, model: string, tokens: number) => ({
      role,
      model,
      inputTokens: size + tokens,
      outputTokens: 2 * LEAST_OUTPUT_TOKENS,
    });
    const reviewers = REVIEWERS.flatMap(role => [
      call(role, reviewerModel, TASK_TOKENS),
      call(role, reviewerModel, TASK_TOKENS + RESULT_TOKENS),
    ]);
    const after = [call('reflection', reviewerModel, TASK_TOKENS), call('judge', judgeModel, TASK_TOKENS)];
    // Calls are limited for all roles together and come later; money is what a shorter diff saves.
    if (budget.limitOf([...reviewers, ...after]) !== 'dollars') return start;
  }
}

const LEAST_DIFF_CHARS = 8_000;
/** Tools, the role's own text, findings, and the schema of the answer. */
const TASK_TOKENS = 5_000;
/** Results of the tools of one turn. */
const RESULT_TOKENS = 4_000;
