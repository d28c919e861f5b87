import type { SeenPrompt, SeenResult } from '../exchange.ts';
import { type ChatBody, type ChatMessage, toContentText } from './body.ts';

/** The prompt of a chat body in the simulators' common shape. */
export function readChatPrompt(body: ChatBody): SeenPrompt {
  const textOf = (...roles: ChatMessage['role'][]) =>
    body.messages.filter(message => roles.includes(message.role)).map(message => toContentText(message.content));
  const system = textOf('system', 'developer').join('\n');
  const users = textOf('user');
  const format = body.response_format;
  return {
    model: body.model,
    stream: body.stream === true,
    turn: body.messages.filter(message => message.role === 'assistant').length + 1,
    system,
    opening: `${system}\n${users[0] ?? ''}`,
    prompt: [system, ...users].join('\n'),
    results: listResults(body.messages),
    tools: (body.tools ?? []).map(tool => tool.function.name),
    toolsAllowed: body.tools !== undefined && body.tool_choice !== 'none',
    schema: format?.type === 'json_schema' ? format.json_schema.schema : null,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY,
  };
}

function listResults(messages: readonly ChatMessage[]): SeenResult[] {
  const calls = new Map<string, { name: string; input: unknown }>();
  const results: SeenResult[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) {
        calls.set(call.id, { name: call.function.name, input: JSON.parse(call.function.arguments) as unknown });
      }
    }
    if (message.role !== 'tool') continue;
    const call = calls.get(message.tool_call_id);
    const text = toContentText(message.content);
    // The protocol has no mark for a failed tool; its text says so.
    const isError = text.startsWith('error:');
    results.push({ id: message.tool_call_id, tool: call?.name ?? '?', input: call?.input ?? null, text, isError });
  }
  return results;
}
