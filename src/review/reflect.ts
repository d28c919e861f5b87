import type { Budget } from '../model/budget.ts';
import { type Ask, LEAST_OUTPUT_TOKENS } from '../model/budget.ts';
import { type ConversationResult, runConversation } from '../model/conversation.ts';
import { estimateRequestTokens } from '../model/estimate.ts';
import type { Turn } from '../model/model.ts';
import { REFLECTION_SCHEMA, ReflectionAnswer } from './answers.ts';
import { applyDecisions, type Reflected } from './apply-decisions.ts';
import type { ReviewerFinding } from './outcome.ts';
import { renderFindings } from './prompts/findings.ts';
import { reflectionTask } from './prompts/reflection.ts';
import type { ReviewSetup } from './review-setup.ts';
import { toText } from './to-findings.ts';
import { createReflectionToolbox } from './tools/tools.ts';

export const MAX_REFLECTION_CALLS = 4;

export interface ReflectionRequest {
  readonly role: 'reflection' | 'revise';
  readonly drafts: readonly ReviewerFinding[];
  /** The reviewers' notes. */
  readonly notes: string;
  /** The judge's words, when a review is revised. */
  readonly criticism: string | null;
  readonly budget: Budget;
}

export type Reflection =
  | { readonly status: 'ok'; readonly reflected: Reflected; readonly summary: string; readonly budgetLimited: boolean }
  | { readonly status: 'failed'; readonly message: string; readonly budgetLimited: boolean };

/** Has the drafts checked and decided on; code carries the decisions out. */
export async function reflect(setup: ReviewSetup, asked: ReflectionRequest): Promise<Reflection> {
  const { input } = setup;
  const toolbox = createReflectionToolbox(setup.tools);
  const result: ConversationResult<ReflectionAnswer> = await runConversation({
    model: input.model,
    budget: asked.budget,
    request: toRequest(setup, asked.role),
    turns: toTurns(setup, asked),
    runTool: toolbox.runnerFor(asked.role),
    parse: value => ReflectionAnswer.parse(value),
    maxCalls: MAX_REFLECTION_CALLS,
    signal: input.signal,
  });
  const { budgetLimited } = result;
  if (result.status === 'failed')
    return { status: 'failed', message: `${result.kind}: ${result.reason}`, budgetLimited };
  const { clean, place, defences } = setup;
  const { isKnownId } = defences;
  const reflected = await applyDecisions(asked.drafts, result.value.decisions, { clean, place, isKnownId });
  return { status: 'ok', reflected, summary: toText(result.value.summary, clean), budgetLimited };
}

/** The least that one reflecting call takes. */
export function reflectionAsk(setup: ReviewSetup, asked: Omit<ReflectionRequest, 'budget'>): Ask {
  const { role, model, ...request } = toRequest(setup, asked.role);
  const inputTokens = estimateRequestTokens({ ...request, turns: toTurns(setup, asked) });
  return { role, model, inputTokens, outputTokens: 2 * LEAST_OUTPUT_TOKENS };
}

function toRequest({ input, system, tools }: ReviewSetup, role: string) {
  const { reviewerModel: model, reviewerEffort: effort } = input.policy;
  const { specs } = createReflectionToolbox(tools);
  return { model, role, system, tools: specs, answerSchema: REFLECTION_SCHEMA, effort };
}

function toTurns({ guard, shared }: ReviewSetup, asked: Omit<ReflectionRequest, 'budget'>): Turn[] {
  const notes = guard.block('notes', asked.notes || '(none)');
  const criticism = asked.criticism === null ? null : guard.block('criticism', asked.criticism);
  const task = reflectionTask(renderFindings(asked.drafts, guard), notes, criticism);
  return [{ role: 'user', parts: [...shared, { text: task }] }];
}
