import type { Budget, Share } from '../model/budget.ts';
import { runConversation } from '../model/conversation.ts';
import type { FailureKind, Model, ModelRequest } from '../model/model.ts';
import type { AnswerParser } from '../model/parse-answer.ts';

/** How a run reaches its model. */
export interface TriageModel {
  readonly model: Model;
  /** The id as the policy writes it. */
  readonly name: string;
  readonly effort: ModelRequest['effort'];
  /** Has a share for each of the two roles; its deadline is the last moment for prose. */
  readonly budget: Budget;
}

export type TriageRole = 'evidence' | 'remediation';

/** Four fifths for the review of evidence, one for the words of remediations. */
export const TRIAGE_SHARES: readonly Share[] = [
  { roles: ['evidence'], share: 0.8 },
  { roles: ['remediation'], share: 0.2 },
];

/** At most 84 batches of evidence (1,000 findings) and as many of prose. */
export const TRIAGE_MAX_CALLS = 200;

/** Most output tokens of a call: twelve reviews and the thought before them. */
const MAX_TOKENS = 16_384;

/** Most calls at a time. */
export const MAX_CALLS_AT_ONCE = 3;

export interface Question<T> {
  readonly role: TriageRole;
  readonly system: string;
  readonly task: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly parse: AnswerParser<T>;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

export type Reply<T> =
  | { readonly status: 'ok'; readonly value: T }
  | { readonly status: 'failed'; readonly kind: FailureKind; readonly reason: string };

/** Asks once, without tools. Rejects only when the signal aborts. */
export async function ask<T>(
  { model, name, effort, budget }: TriageModel,
  { role, system, task, schema, parse, deadline }: Question<T>,
  signal: AbortSignal,
): Promise<Reply<T>> {
  return runConversation({
    model,
    budget,
    request: {
      model: name,
      role,
      system: [{ text: system, cache: true }],
      tools: [],
      answerSchema: schema,
      effort,
    },
    turns: [{ role: 'user', parts: [{ text: task }] }],
    runTool: null,
    parse,
    maxCalls: 1,
    maxTokens: MAX_TOKENS,
    deadline,
    signal,
  });
}
