import type { ChatBody } from './body.ts';
import { FLAVOURS, type Flavour, isReasoningModel } from './flavour.ts';
import { checkStrictSchema } from './strict-schema.ts';

/** What a server of this flavour refuses in a body that has the right shape. */
export function checkChatRules(body: ChatBody, flavour: Flavour): string[] {
  return [...checkFields(body, flavour), ...checkChatTools(body), ...checkSchemas(body), ...checkOrder(body)];
}

function checkFields(body: ChatBody, flavour: Flavour): string[] {
  const rules = FLAVOURS[flavour];
  const complaints = rules.refusedFields.filter(field => field in body).map(field => `Unknown parameter: '${field}'.`);
  if (flavour === 'openai' && isReasoningModel(body.model)) {
    if (body.max_tokens != null) {
      complaints.push(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      );
    }
    for (const field of ['temperature', 'top_p'] as const) {
      if (body[field] != null && body[field] !== 1) complaints.push(`Unsupported value: '${field}'.`);
    }
  }
  // No server asks for it, but a call without a limit breaks every budget.
  if (body.max_tokens == null && body.max_completion_tokens == null)
    complaints.push('no limit of output tokens is set');
  if (body.stream !== true && body.stream_options != null) {
    complaints.push("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
  const marked = body.messages.some(
    message => Array.isArray(message.content) && message.content.some(part => part.cache_control !== undefined),
  );
  if (marked && !rules.cacheMarks) complaints.push("Unknown parameter: 'cache_control'.");
  return complaints;
}

function checkChatTools(body: ChatBody): string[] {
  const complaints: string[] = [];
  const names = (body.tools ?? []).map(tool => tool.function.name);
  if (new Set(names).size !== names.length) complaints.push('tools: names must be unique');
  if (body.tools === undefined) {
    if (body.tool_choice !== undefined) complaints.push("'tool_choice' is only allowed when 'tools' are specified.");
    if (body.parallel_tool_calls !== undefined) {
      complaints.push("'parallel_tool_calls' is only allowed when 'tools' are specified.");
    }
  }
  return complaints;
}

function checkSchemas(body: ChatBody): string[] {
  const complaints: string[] = [];
  if (body.response_format?.type === 'json_schema') {
    const { name, schema, strict } = body.response_format.json_schema;
    if (strict === true) complaints.push(...checkStrictSchema(schema, `response_format '${name}'`));
  }
  for (const { function: tool } of body.tools ?? []) {
    if (tool.strict === true) complaints.push(...checkStrictSchema(tool.parameters ?? {}, `function '${tool.name}'`));
  }
  return complaints;
}

function checkOrder(body: ChatBody): string[] {
  const complaints: string[] = [];
  let open: string[] = [];
  for (const [index, message] of body.messages.entries()) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) {
        complaints.push(
          `messages[${index}]: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`,
        );
      }
      open = open.filter(id => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) complaints.push(toMissing(open));
    open = [];
    if (message.role !== 'assistant') continue;
    open = (message.tool_calls ?? []).map(call => call.id);
    if (open.length === 0 && message.content == null) {
      complaints.push(`messages[${index}]: an assistant message needs content or tool_calls`);
    }
    for (const call of message.tool_calls ?? []) {
      if (!isJson(call.function.arguments)) complaints.push(`messages[${index}]: arguments of ${call.id} are no JSON`);
    }
  }
  if (open.length > 0) complaints.push(toMissing(open));
  if (body.messages.at(-1)?.role === 'assistant' && open.length === 0) {
    complaints.push('messages: the last message is the assistant’s own');
  }
  return complaints;
}

function toMissing(ids: readonly string[]): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The question was whether it parses.
    return false;
  }
}
