import { type Answer, cutToTokens, type Stop, toPieces, toStop, toText, toTokens } from '../answer.ts';
import type { SeenUsage } from '../exchange.ts';
import type { ChatBody } from './body.ts';
import type { Flavour } from './flavour.ts';
import type { ChatCachePlan } from './prompt-cache.ts';

export type Completion = ReturnType<typeof buildCompletion>;

export interface CompletionParts {
  readonly id: string;
  readonly body: ChatBody;
  readonly answer: Answer;
  readonly plan: ChatCachePlan;
  readonly flavour: Flavour;
}

const PIECE = 48;
/** A fixed moment: the same conversation gives the same bytes. */
const CREATED = 1_795_996_800;

/** The completion that the server would give for this answer, with its usage. */
export function buildCompletion(parts: CompletionParts) {
  const { answer, body, plan } = parts;
  const limit = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY;
  const reasoning = toTokens(answer.thinking ?? '');
  const calls = answer.calls ?? [];
  const text = toText(answer);
  const whole = reasoning + toTokens(text) + toTokens(calls.map(call => JSON.stringify(call)).join(''));
  const fits = whole <= limit;
  const stop: Stop = fits ? toStop(answer) : 'max_tokens';
  const output = Math.max(1, answer.outputTokens ?? (fits ? whole : limit));
  const content = fits ? text : cutToTokens(text, Math.max(0, limit - reasoning));
  return {
    id: parts.id,
    object: 'chat.completion' as const,
    created: CREATED,
    model: body.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant' as const,
          content: content === '' ? null : content,
          refusal: stop === 'refusal' ? (answer.refusal?.explanation ?? 'I cannot help with that.') : null,
          ...(fits && calls.length > 0 ? { tool_calls: toToolCalls(parts, stop === 'max_tokens') } : {}),
          ...(parts.flavour === 'openrouter' ? { reasoning: answer.thinking ?? null } : {}),
        },
        logprobs: null,
        finish_reason: toFinish(stop, parts.flavour),
      },
    ],
    usage: {
      prompt_tokens: plan.promptTokens,
      completion_tokens: output,
      total_tokens: plan.promptTokens + output,
      prompt_tokens_details: { cached_tokens: plan.cachedTokens, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
    },
  };
}

export function toSeenChatUsage(completion: Completion): SeenUsage {
  const { usage } = completion;
  const cacheRead = usage.prompt_tokens_details.cached_tokens;
  return { input: usage.prompt_tokens - cacheRead, cacheRead, cacheWrite: 0, output: usage.completion_tokens };
}

/** The completion in chunks: role, text, calls piece by piece, the reason, and usage where it is due. */
export function toChunks(completion: Completion, withUsage: boolean): Record<string, unknown>[] {
  const { choices, usage, ...rest } = completion;
  const frame = { ...rest, object: 'chat.completion.chunk' };
  const choice = choices[0];
  const message = choice?.message;
  const chunk = (delta: object, finish: string | null = null) => ({
    ...frame,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage ? { usage: null } : {}),
  });
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...toPieces(message?.reasoning ?? '', PIECE).map(reasoning => chunk({ reasoning })),
    ...toPieces(message?.content ?? '', PIECE).map(content => chunk({ content })),
    ...toPieces(message?.refusal ?? '', PIECE).map(refusal => chunk({ refusal })),
    ...(message?.tool_calls ?? []).flatMap((call, index) => [
      chunk({ tool_calls: [{ ...call, index, function: { name: call.function.name, arguments: '' } }] }),
      ...toPieces(call.function.arguments, PIECE).map(part =>
        chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ]),
    chunk({}, choice?.finish_reason ?? 'stop'),
    ...(withUsage ? [{ ...frame, choices: [], usage }] : []),
  ];
}

function toFinish(stop: Stop, flavour: Flavour): 'stop' | 'tool_calls' | 'length' | 'content_filter' {
  if (stop === 'tools') return 'tool_calls';
  if (stop === 'max_tokens' || stop === 'context_window') return 'length';
  return stop === 'refusal' && flavour !== 'openai' ? 'content_filter' : 'stop';
}

function toToolCalls(parts: CompletionParts, cut: boolean) {
  const calls = parts.answer.calls ?? [];
  return calls.map((call, index) => {
    const json = JSON.stringify(call.input);
    // A call cut off by the limit ends inside its arguments.
    const text = cut && index === calls.length - 1 ? json.slice(0, Math.floor(json.length / 2)) : json;
    const id = `call_${parts.id.slice(-12)}${String(index).padStart(2, '0')}`;
    return { id, type: 'function' as const, function: { name: call.name, arguments: text } };
  });
}
