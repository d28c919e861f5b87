import type { SeenPrompt, SeenResult } from '../exchange.ts';
import { type CountTokensBody, type MessageParam, type MessagesBody, toBlocks } from './body.ts';

/** The prompt of a body in the simulators' common shape. */
export function readPrompt(body: MessagesBody | CountTokensBody): SeenPrompt {
  const system =
    typeof body.system === 'string' ? body.system : (body.system ?? []).map(block => block.text).join('\n');
  const users = body.messages.filter(message => message.role === 'user').map(toUserText);
  return {
    model: body.model,
    stream: 'stream' in body && body.stream === true,
    turn: body.messages.filter(message => message.role === 'assistant').length + 1,
    system,
    opening: `${system}\n${users[0] ?? ''}`,
    prompt: [system, ...users].join('\n'),
    results: listResults(body.messages),
    tools: (body.tools ?? []).map(tool => tool.name),
    toolsAllowed: (body.tools ?? []).length > 0 && body.tool_choice?.type !== 'none',
    schema: body.output_config?.format?.schema ?? null,
    maxTokens: 'max_tokens' in body ? body.max_tokens : 0,
  };
}

function toUserText(message: MessageParam): string {
  return toBlocks(message)
    .flatMap(block => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}

function listResults(messages: readonly MessageParam[]): SeenResult[] {
  const calls = new Map<string, { name: string; input: unknown }>();
  const results: SeenResult[] = [];
  for (const block of messages.flatMap(toBlocks)) {
    if (block.type === 'tool_use') calls.set(block.id, block);
    if (block.type !== 'tool_result') continue;
    const { content = '' } = block;
    results.push({
      id: block.tool_use_id,
      tool: calls.get(block.tool_use_id)?.name ?? '?',
      input: calls.get(block.tool_use_id)?.input ?? null,
      text: typeof content === 'string' ? content : content.map(part => part.text).join('\n'),
      isError: block.is_error === true,
    });
  }
  return results;
}
