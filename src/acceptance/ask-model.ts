import type { z } from 'zod';
import type { Budget } from '../model/budget.ts';
import { runConversation } from '../model/conversation.ts';
import type { Effort, Model } from '../model/model.ts';
import type { Guard } from '../review/guard.ts';
import { toJsonSchema } from '../review/json-schema.ts';
import { systemText } from './judge-prompt.ts';

/** Who judges what no test decides. The budget must have a share for the role `acceptance` and a price for the model. */
export interface AcceptanceModel {
  readonly model: Model;
  readonly modelId: string;
  readonly effort: Effort;
  readonly budget: Budget;
}

export const ACCEPTANCE_ROLE = 'acceptance';

export type Answered<T> =
  | { readonly status: 'ok'; readonly value: T }
  | { readonly status: 'failed'; readonly reason: string };

export interface Question<T> {
  readonly text: string;
  readonly answer: z.ZodType<T>;
  readonly maxTokens: number;
}

/** One question without tools, one answer that fits its schema. Rejects only when the signal aborts. */
export async function askModel<T>(
  { model, modelId, effort, budget }: AcceptanceModel,
  { text, answer, maxTokens }: Question<T>,
  guard: Guard,
  signal: AbortSignal,
): Promise<Answered<T>> {
  const result = await runConversation({
    model,
    budget,
    request: {
      model: modelId,
      role: ACCEPTANCE_ROLE,
      system: [{ text: systemText(guard.boundary) }],
      tools: [],
      answerSchema: toJsonSchema(answer),
      effort,
    },
    turns: [{ role: 'user', parts: [{ text }] }],
    runTool: null,
    parse: value => answer.parse(value),
    maxCalls: 1,
    maxTokens,
    signal,
  });
  return result.status === 'ok' ? { status: 'ok', value: result.value } : { status: 'failed', reason: result.reason };
}
