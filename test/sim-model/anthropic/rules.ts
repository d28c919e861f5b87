import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Block, type CountTokensBody, type MessagesBody, toBlocks } from './body.ts';
import type { ClaudeModel } from './models.ts';
import { checkOutputSchema } from './output-schema.ts';
import { checkThinking } from './thinking.ts';

/** What the API refuses in a body that has the right shape; each complaint starts with the place. */
export function checkRules(body: CountTokensBody | MessagesBody, model: ClaudeModel): string[] {
  return [
    ...checkThinkingConfig(body, model),
    ...checkTools(body, model),
    ...checkOutputFormat(body),
    ...checkTurns(body),
    ...checkPairs(body),
    ...checkThinking(body, model),
    ...('max_tokens' in body ? checkMaxTokens(body, model) : []),
  ];
}

function checkMaxTokens(body: MessagesBody, model: ClaudeModel): string[] {
  if (body.max_tokens > model.maxOutputTokens) {
    return [
      `max_tokens: ${body.max_tokens} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.id}`,
    ];
  }
  // Zero only warms the cache, which no caller of ours means.
  return body.max_tokens === 0 ? ['max_tokens: 0 warms the cache without an answer; it is not simulated'] : [];
}

function checkThinkingConfig(body: CountTokensBody, model: ClaudeModel): string[] {
  const type = body.thinking?.type;
  if (type === undefined) return [];
  const effort = body.output_config?.effort ?? 'high';
  if (type === 'enabled' || !model.thinking.includes(type)) {
    return [`thinking.type: "thinking.type.${type}" is not supported for this model`];
  }
  if (type !== 'adaptive' && (effort === 'xhigh' || effort === 'max')) {
    return [`thinking.type: "${type}" is not supported with effort "${effort}"`];
  }
  return [];
}

function checkTools(body: CountTokensBody, model: ClaudeModel): string[] {
  const complaints: string[] = [];
  const tools = body.tools ?? [];
  const names = tools.map(tool => tool.name);
  if (new Set(names).size !== names.length) complaints.push('tools: Tool names must be unique.');
  const ajv = new Ajv2020({ strict: false });
  for (const [index, tool] of tools.entries()) {
    if (!ajv.validateSchema(tool.input_schema)) {
      complaints.push(`tools.${index}.custom.input_schema: JSON schema is invalid. It must match draft 2020-12`);
    }
    if (tool.strict === true)
      complaints.push(...checkOutputSchema(tool.input_schema, `tools.${index}.custom.input_schema`));
  }
  const choice = body.tool_choice;
  if (choice !== undefined && tools.length === 0) {
    complaints.push('tool_choice: tool_choice may only be specified while providing tools.');
  }
  if (choice?.type === 'any' || choice?.type === 'tool') {
    const thinks = body.thinking?.type !== 'disabled';
    if (!model.forcedTools) complaints.push(`tool_choice: Forced tool use is not supported for ${model.id}`);
    else if (thinks) complaints.push('tool_choice: Thinking may not be enabled when tool_choice forces tool use.');
  }
  return complaints;
}

function checkOutputFormat(body: CountTokensBody): string[] {
  const schema = body.output_config?.format?.schema;
  return schema === undefined ? [] : checkOutputSchema(schema, 'output_config.format.schema');
}

function checkTurns(body: CountTokensBody): string[] {
  const complaints: string[] = [];
  if (body.messages[0]?.role !== 'user') complaints.push('messages: first message must use the "user" role');
  for (const [index, message] of body.messages.entries()) {
    // The API would join such turns; for callers of ours two in a row are a lost or doubled turn.
    if (index > 0 && body.messages[index - 1]?.role === message.role) {
      complaints.push(`messages.${index}: two "${message.role}" messages in a row`);
    }
  }
  if (body.messages.at(-1)?.role === 'assistant') {
    complaints.push(
      'messages: This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  return complaints;
}

function checkPairs(body: CountTokensBody): string[] {
  const complaints: string[] = [];
  const seen = new Set<string>();
  for (const [index, message] of body.messages.entries()) {
    const blocks = toBlocks(message);
    const asked = idsOf(index > 0 ? toBlocks(body.messages[index - 1] ?? message) : [], 'tool_use');
    const answered = idsOf(blocks, 'tool_result');
    const missing = asked.filter(id => !answered.includes(id));
    if (message.role === 'user' && missing.length > 0) {
      complaints.push(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}.`,
      );
    }
    for (const [position, id] of answered.entries()) {
      if (!asked.includes(id)) {
        complaints.push(`messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}.`);
      }
      if (answered.indexOf(id) !== position) {
        complaints.push(`messages.${index}: each tool_use must have a single result. Found multiple for ${id}`);
      }
    }
    const firstOther = blocks.findIndex(block => block.type !== 'tool_result');
    if (firstOther >= 0 && blocks.slice(firstOther).some(block => block.type === 'tool_result')) {
      complaints.push(`messages.${index}: tool_result blocks must come first in the message`);
    }
    for (const id of idsOf(blocks, 'tool_use')) {
      if (seen.has(id)) complaints.push(`messages.${index}: \`tool_use\` ids must be unique: ${id}`);
      seen.add(id);
    }
  }
  if (seen.size > 0 && (body.tools ?? []).length === 0) {
    complaints.push('tools: Requests which include `tool_use` or `tool_result` blocks must define tools');
  }
  return complaints;
}

function idsOf(blocks: readonly Block[], type: 'tool_use' | 'tool_result'): string[] {
  return blocks.flatMap(block => {
    if (block.type === 'tool_use' && type === 'tool_use') return [block.id];
    if (block.type === 'tool_result' && type === 'tool_result') return [block.tool_use_id];
    return [];
  });
}
