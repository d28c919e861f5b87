import type Anthropic from '@anthropic-ai/sdk';
import { toProviderSchema } from './answer-schema.ts';
import { type AttemptAnswer, failedAttempt } from './attempt.ts';
import type { ModelRequest, TextPart, ToolCall, Turn, Usage } from './model.ts';

type Messages = typeof Anthropic.Messages;
type Params = Parameters<InstanceType<Messages>['stream']>[0];
type Message = Anthropic.Message;
type MessageParam = Params['messages'][number];

/** The request in the protocol of API version 2026-10-21; `model` is the provider's own id. Pure. */
export function toMessageParams(request: ModelRequest, model: string): Params {
  const reasons = !hasFixedThinking(model);
  const format = request.answerSchema === null ? null : toProviderSchema(request.answerSchema);
  const output = {
    ...(reasons ? { effort: request.effort } : {}),
    ...(format === null ? {} : { format: { type: 'json_schema' as const, schema: format } }),
  };
  return {
    model,
    max_tokens: request.maxTokens,
    ...(reasons ? { thinking: { type: 'adaptive' as const } } : {}),
    ...(request.system.length > 0 ? { system: request.system.map(toBlock) } : {}),
    ...(request.tools.length > 0
      ? {
          tools: request.tools.map(tool => ({
            name: tool.name,
            description: tool.description,
            input_schema: tool.inputSchema as { type: 'object' },
          })),
          tool_choice: { type: request.toolChoice },
        }
      : {}),
    messages: toMessages(request),
    ...(Object.keys(output).length > 0 ? { output_config: output } : {}),
  };
}

/** A whole message as an answer: why it stopped is looked at before any tool call is handed out. */
export function toAnswer(message: Message): AttemptAnswer {
  switch (message.stop_reason) {
    case 'refusal':
      return failedAttempt('refused', `the model refused${detailsOf(message)}`);
    case 'max_tokens':
      return failedAttempt('truncated', `the answer was cut off at ${message.usage.output_tokens} output tokens`);
    case 'model_context_window_exceeded':
      return failedAttempt('too-large', 'the conversation exceeds the context window of the model');
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
      return {
        status: 'ok',
        text: message.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join(''),
        toolCalls: message.stop_reason === 'tool_use' ? toToolCalls(message) : [],
        // A plain copy, since the SDK's blocks parse their input when it is read.
        echo: JSON.parse(JSON.stringify(message.content)) as unknown,
      };
    default:
      return failedAttempt('malformed', `the answer ended with the unknown reason '${message.stop_reason}'`);
  }
}

/** What the provider bills, as far as a whole or broken message shows it. */
export function toUsage(usage: Message['usage']): Usage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
  };
}

/** Models before adaptive thinking: the API refuses it there, and the effort with it. */
const hasFixedThinking = (model: string): boolean => /claude-(?:haiku|sonnet|opus)-4-5/.test(model);

const toBlock = (part: TextPart) => ({
  type: 'text' as const,
  text: part.text,
  ...(part.cache === true ? { cache_control: { type: 'ephemeral' as const } } : {}),
});

/**
 * Turns of the user's side that follow each other become one message. The newest tool results carry a breakpoint while the
 * model may go on, so that its next call reads the conversation from the cache; a closing call would write it in vain.
 */
function toMessages({ turns, toolChoice }: ModelRequest): MessageParam[] {
  const messages: { role: 'user' | 'assistant'; content: unknown[] }[] = [];
  const newest = toolChoice === 'auto' ? turns.findLast(turn => turn.role === 'tool') : undefined;
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const content = toContent(turn, turn === newest);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content });
  }
  return messages as MessageParam[];
}

function toContent(turn: Turn, cached: boolean): unknown[] {
  switch (turn.role) {
    case 'user':
      return turn.parts.map(toBlock);
    case 'assistant':
      return turn.echo as unknown[];
    case 'tool':
      return turn.results.map((result, index) => ({
        type: 'tool_result' as const,
        tool_use_id: result.id,
        content: result.text,
        ...(result.isError ? { is_error: true } : {}),
        ...(cached && index === turn.results.length - 1 ? { cache_control: { type: 'ephemeral' as const } } : {}),
      }));
  }
}

const toToolCalls = (message: Message): ToolCall[] =>
  message.content.flatMap(block =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
  );

function detailsOf(message: Message): string {
  const details = message.stop_details;
  const category = details?.type === 'refusal' ? details.category : null;
  return category ? ` (${category})` : '';
}
