import type OpenAI from 'openai';
import { requiresAll, toProviderSchema } from './answer-schema.ts';
import type { ModelRequest, TextPart, Turn } from './model.ts';

type ChatParams = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;

/** How the servers of this protocol differ in what they take. */
export interface ChatDialect {
  /** `max_completion_tokens` counts reasoning and is what OpenAI takes; others know `max_tokens` alone. */
  readonly limit: 'max_completion_tokens' | 'max_tokens';
  readonly effort: 'reasoning_effort' | 'reasoning' | 'none';
  /** Whether parts of a text may carry a cache breakpoint. */
  readonly breakpoints: boolean;
}

/** The request as chat completions, streamed with usage; `model` is the server's own id. Pure. */
export function toChatParams(request: ModelRequest, model: string, dialect: ChatDialect): ChatParams {
  const schema = request.answerSchema === null ? null : toProviderSchema(request.answerSchema);
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    [dialect.limit]: request.maxTokens,
    ...(dialect.effort === 'reasoning_effort' ? { reasoning_effort: request.effort } : {}),
    ...(dialect.effort === 'reasoning' ? { reasoning: { effort: request.effort } } : {}),
    messages: [
      ...(request.system.length > 0 ? [{ role: 'system', content: toContent(request.system, dialect) }] : []),
      ...request.turns.flatMap(turn => toMessages(turn, dialect)),
    ] as ChatParams['messages'],
    ...(request.tools.length > 0
      ? {
          tools: request.tools.map(tool => ({
            type: 'function' as const,
            function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
          })),
          tool_choice: request.toolChoice,
        }
      : {}),
    ...(schema === null
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: 'answer', schema, strict: requiresAll(schema) },
          },
        }),
  };
}

function toContent(parts: readonly TextPart[], { breakpoints }: ChatDialect): unknown {
  if (!breakpoints) return parts.map(part => part.text).join('\n\n');
  return parts.map(part => ({
    type: 'text',
    text: part.text,
    ...(part.cache === true ? { cache_control: { type: 'ephemeral' } } : {}),
  }));
}

function toMessages(turn: Turn, dialect: ChatDialect): unknown[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: toContent(turn.parts, dialect) }];
    case 'assistant':
      return [turn.echo];
    case 'tool':
      return turn.results.map(result => ({ role: 'tool', tool_call_id: result.id, content: result.text }));
  }
}
