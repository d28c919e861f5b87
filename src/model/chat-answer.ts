import type OpenAI from 'openai';
import { type AttemptAnswer, failedAttempt } from './attempt.ts';
import { kindOf } from './failure.ts';
import type { ToolCall, Usage } from './model.ts';

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;
type ChatUsage = OpenAI.CompletionUsage;

/** The pieces of a streamed answer put together; foreign servers leave out what they like, so every field is doubted. */
export interface ChatDraft {
  text: string;
  refusal: string;
  finishReason: string | null;
  readonly calls: { id: string; name: string; args: string }[];
  readonly reasoningDetails: unknown[];
  usage: Usage | null;
  error: AttemptAnswer | null;
}

export const emptyDraft = (): ChatDraft => ({
  text: '',
  refusal: '',
  finishReason: null,
  calls: [],
  reasoningDetails: [],
  usage: null,
  error: null,
});

/** Adds one chunk of a stream, or a whole completion from a server that does not stream. */
export function addChunk(draft: ChatDraft, chunk: Partial<Chunk> & { readonly error?: unknown }): void {
  if (chunk.error !== undefined && chunk.error !== null) draft.error = readError(chunk.error);
  if (chunk.usage) draft.usage = toChatUsage(chunk.usage);
  const choice = chunk.choices?.[0] as (Chunk['choices'][number] & { message?: unknown }) | undefined;
  const delta = (choice?.delta ?? choice?.message) as Delta | undefined;
  if (typeof delta?.content === 'string') draft.text += delta.content;
  if (typeof delta?.refusal === 'string') draft.refusal += delta.refusal;
  if (Array.isArray(delta?.reasoning_details)) draft.reasoningDetails.push(...delta.reasoning_details);
  for (const [position, call] of (delta?.tool_calls ?? []).entries()) {
    const index = call.index ?? position;
    draft.calls[index] ??= { id: '', name: '', args: '' };
    const target = draft.calls[index];
    target.id ||= call.id ?? '';
    target.name += call.function?.name ?? '';
    target.args += call.function?.arguments ?? '';
  }
  if (choice?.finish_reason) draft.finishReason = choice.finish_reason;
}

/** The finished draft as an answer: why it stopped is looked at before any tool call is handed out. */
export function toChatAnswer(draft: ChatDraft): AttemptAnswer {
  if (draft.error !== null) return draft.error;
  if (draft.refusal !== '') return failedAttempt('refused', 'the model refused');
  switch (draft.finishReason) {
    case null:
      return failedAttempt('network', 'the answer ended without a finish reason: the stream was cut');
    case 'length':
      return failedAttempt('truncated', 'the answer was cut off at its token limit');
    case 'content_filter':
      return failedAttempt('refused', "the provider's content filter withheld the answer");
    case 'stop':
    case 'tool_calls':
      return finish(draft);
    default:
      return failedAttempt('malformed', `the answer ended with the unknown reason '${draft.finishReason}'`);
  }
}

/** Prompt tokens include the cached ones in this protocol; ours count each token once. */
export function toChatUsage(usage: ChatUsage): Usage {
  const read = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const write = usage.prompt_tokens_details?.cache_write_tokens ?? 0;
  return {
    inputTokens: Math.max(0, (usage.prompt_tokens ?? 0) - read - write),
    outputTokens: usage.completion_tokens ?? 0,
    cacheReadTokens: read,
    cacheWriteTokens: write,
  };
}

interface Delta {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_details?: unknown;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

function finish(draft: ChatDraft): AttemptAnswer {
  const calls = draft.calls.filter(call => call !== undefined);
  const toolCalls: ToolCall[] = [];
  for (const { id, name, args } of calls) {
    const input = parseArguments(args);
    if (input === undefined || id === '' || name === '') {
      return failedAttempt('malformed', `the input of the tool call '${name}' is no JSON object`);
    }
    toolCalls.push({ id, name, input });
  }
  return { status: 'ok', text: draft.text, toolCalls, echo: toEcho(draft, calls) };
}

function toEcho(draft: ChatDraft, calls: ChatDraft['calls']): unknown {
  return {
    role: 'assistant',
    content: draft.text === '' && calls.length > 0 ? null : draft.text,
    ...(draft.reasoningDetails.length > 0 ? { reasoning_details: draft.reasoningDetails } : {}),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map(call => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: call.args || '{}' },
          })),
        }
      : {}),
  };
}

function parseArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    // Not JSON: the caller says so.
    return undefined;
  }
}

function readError(error: unknown): AttemptAnswer {
  const { code, type, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const status = typeof code === 'number' ? code : undefined;
  const name = [type, code].find(value => typeof value === 'string') as string | undefined;
  return failedAttempt(kindOf(status, name), `the provider answered with an error: ${String(message ?? 'no message')}`);
}
