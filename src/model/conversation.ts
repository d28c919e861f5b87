import { type Budget, LEAST_OUTPUT_TOKENS, type Limit } from './budget.ts';
import { estimateRequestTokens, estimateTokens, estimateTurnTokens } from './estimate.ts';
import type { FailureKind, Model, ModelRequest, Turn, Usage } from './model.ts';
import { type AnswerParser, parseAnswer } from './parse-answer.ts';
import { answerCalls, REFUSED_RESULT, type ToolRunner } from './tool-results.ts';

export type ConversationRequest = Omit<ModelRequest, 'turns' | 'toolChoice' | 'maxTokens' | 'deadline'>;

export interface ConversationOptions<T> {
  readonly model: Model;
  readonly budget: Budget;
  readonly request: ConversationRequest;
  readonly turns: readonly Turn[];
  /** Runs a tool call that the model made; null where there are no tools. */
  readonly runTool: ToolRunner | null;
  /** Checks the parsed JSON of the last answer; throws when it does not fit. */
  readonly parse: AnswerParser<T>;
  readonly maxCalls: number;
  /** Most output tokens of a call, thinking included. */
  readonly maxTokens?: number;
  /** Milliseconds since the epoch, where the conversation has less time than the budget. */
  readonly deadline?: number;
  readonly signal: AbortSignal;
}

export type ConversationResult<T> =
  | { readonly status: 'ok'; readonly value: T; readonly calls: number; readonly budgetLimited: boolean }
  | {
      readonly status: 'failed';
      readonly kind: FailureKind;
      readonly reason: string;
      readonly calls: number;
      readonly budgetLimited: boolean;
    };

/** Output tokens that a call asks for (decision 17). */
export const MAX_OUTPUT_TOKENS = 8_000;

/**
 * Calls the model, runs the tools it asks for and calls again, until it answers. Each call is reserved first. The last one
 * that calls, money or time allow forbids tools, so that an answer comes; an answer that does not fit the schema fails as
 * `malformed`, without a second try. Rejects when the signal aborts, and with the error of a replay that differs.
 */
export async function runConversation<T>(options: ConversationOptions<T>): Promise<ConversationResult<T>> {
  const { budget, request, signal } = options;
  const { role, model } = request;
  const turns: Turn[] = [...options.turns];
  let inputTokens = estimateRequestTokens({ ...request, turns });
  let budgetLimited = false;

  for (let calls = 0; ; calls++) {
    const plan = planCall(options, inputTokens, calls);
    if (plan.limit !== null) budgetLimited = true;
    if (plan.last && plan.tellWhy !== null && request.tools.length > 0) {
      const note: Turn = { role: 'user', parts: [{ text: closingNote(plan.tellWhy) }] };
      turns.push(note);
      inputTokens += estimateTurnTokens([note]);
    }
    const late = timeLeft(options) === 0;
    const reservation = late ? null : budget.reserve({ role, model, inputTokens, outputTokens: plan.outputTokens });
    if (reservation === null) {
      const least = [{ role, model, inputTokens, outputTokens: LEAST_OUTPUT_TOKENS }];
      const limit = late ? 'time' : (budget.limitOf(least) ?? 'dollars');
      const never = limit === 'dollars' && calls === 0;
      const reason = never
        ? budget.explain({ role, model, inputTokens, outputTokens: LEAST_OUTPUT_TOKENS })
        : LIMIT_REASON[limit];
      return { status: 'failed', kind: 'budget', reason, calls, budgetLimited: true };
    }
    const answer = await callWithin(options, turns, reservation.maxTokens, plan.last, reservation.settle);
    const made = calls + 1;
    if (answer.status === 'failed') {
      const { kind, reason } = answer;
      return { status: 'failed', kind, reason, calls: made, budgetLimited: budgetLimited || kind === 'deadline' };
    }
    if (answer.toolCalls.length === 0) {
      const parsed = parseAnswer(answer.text, options.parse);
      if (parsed.status === 'ok') return { status: 'ok', value: parsed.value, calls: made, budgetLimited };
      return { status: 'failed', kind: 'malformed', reason: parsed.reason, calls: made, budgetLimited };
    }
    if (plan.last || options.runTool === null) {
      const reason = 'the model asked for a tool where none is allowed';
      return { status: 'failed', kind: 'malformed', reason, calls: made, budgetLimited };
    }
    const results = await answerCalls(answer.toolCalls, options.runTool, signal);
    const { echo, text, toolCalls } = answer;
    turns.push({ role: 'assistant', echo, text, toolCalls });
    const measured = promptOf(answer.usage, inputTokens) + answer.usage.outputTokens;
    const shown = fitResults(options, measured, results);
    turns.push(shown);
    inputTokens = measured + estimateTurnTokens([shown]);
  }
}

const LIMIT_REASON: Record<Limit, string> = {
  dollars: 'the budget does not allow another call',
  calls: 'no more calls are allowed',
  time: 'the time limit was reached',
};

/** Tokens that must remain for an investigating call to be worth its tools. */
const LEAST_TOOL_TURN_TOKENS = 2_048;
/** Room for the closing note and short results in the call after an investigating one. */
const CLOSING_TOKENS = 1_000;
/** An investigating call is not started when less time than this remains. */
const CLOSING_MS = 45_000;

interface Plan {
  readonly last: boolean;
  readonly outputTokens: number;
  /** What keeps the model from going on, when the budget does. */
  readonly limit: Limit | null;
  readonly tellWhy: string | null;
}

/** An investigating call must leave enough for the call that closes the conversation; otherwise this one closes it. */
function planCall<T>(options: ConversationOptions<T>, inputTokens: number, calls: number): Plan {
  const { budget, request, runTool, maxCalls, maxTokens = MAX_OUTPUT_TOKENS } = options;
  const closing = { last: true, outputTokens: maxTokens };
  if (runTool === null || request.tools.length === 0) return { ...closing, limit: null, tellWhy: null };
  if (calls + 1 >= maxCalls) return { ...closing, limit: null, tellWhy: 'the number of calls is used up' };
  if (timeLeft(options) < CLOSING_MS) return { ...closing, limit: 'time', tellWhy: LIMIT_REASON.time };
  let limit: Limit | null = null;
  for (let tokens = maxTokens; ; tokens = Math.max(LEAST_TOOL_TURN_TOKENS, Math.floor(tokens / 2))) {
    const { role, model } = request;
    const afterwards = inputTokens + tokens + CLOSING_TOKENS;
    limit = budget.limitOf([
      { role, model, inputTokens, outputTokens: tokens },
      { role, model, inputTokens: afterwards, outputTokens: LEAST_OUTPUT_TOKENS },
    ]);
    if (limit === null) return { last: false, outputTokens: tokens, limit: null, tellWhy: null };
    if (limit !== 'dollars' || tokens <= LEAST_TOOL_TURN_TOKENS) break;
  }
  return { ...closing, limit, tellWhy: LIMIT_REASON[limit] };
}

const endOf = <T>({ budget, deadline }: ConversationOptions<T>): number =>
  Math.min(budget.deadline, deadline ?? budget.deadline);

const timeLeft = <T>(options: ConversationOptions<T>): number =>
  Math.max(0, options.budget.timeLeft(options.request.role) - (options.budget.deadline - endOf(options)));

const closingNote = (why: string): string =>
  `Stop investigating now: ${why}. No more tools. Give your answer in the required format from what you know.`;

async function callWithin<T>(
  options: ConversationOptions<T>,
  turns: readonly Turn[],
  maxTokens: number,
  last: boolean,
  settle: (usage: Usage) => void,
) {
  const toolChoice = last ? 'none' : 'auto';
  const { model, request, signal } = options;
  const answer = await model.call({ ...request, turns, toolChoice, maxTokens, deadline: endOf(options) }, signal);
  settle(answer.usage);
  return answer;
}

/** The size of the prompt as it was billed; our estimate where the server counted nothing. */
function promptOf(usage: Usage, estimated: number): number {
  const billed = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return billed > 0 ? billed : estimated;
}

/** The results as they are, or a short refusal in their place when the closing call could not carry them. */
function fitResults<T>(
  { budget, request: { role, model } }: ConversationOptions<T>,
  measured: number,
  results: readonly { id: string; text: string; isError: boolean }[],
): Turn & { role: 'tool' } {
  const whole = { role: 'tool' as const, results };
  const inputTokens = measured + estimateTurnTokens([whole]) + estimateTokens(closingNote(LIMIT_REASON.dollars));
  const limit = budget.limitOf([{ role, model, inputTokens, outputTokens: LEAST_OUTPUT_TOKENS }]);
  if (limit !== 'dollars') return whole;
  return { role: 'tool', results: results.map(({ id }) => ({ id, text: REFUSED_RESULT, isError: true })) };
}
