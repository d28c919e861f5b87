import { z } from 'zod';

/** What of the Messages API's body is simulated; anything else is refused, as the API refuses unknown fields. */
const CacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });
const Cacheable = { cache_control: CacheControl.nullish() };

const Text = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1, 'text content blocks must be non-empty'),
  // Citations in a user's text are refused since 2026-10-21; the assistant's own come back as null.
  citations: z.null().optional(),
  ...Cacheable,
});
const Thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const RedactedThinking = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });
const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/, 'String should match pattern ^[a-zA-Z0-9_-]+$'),
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  caller: z.strictObject({ type: z.literal('direct') }).optional(),
  toolset_name: z.null().optional(),
  ...Cacheable,
});
const ToolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z.union([z.string(), z.array(Text)]).optional(),
  is_error: z.boolean().optional(),
  ...Cacheable,
});

const UserBlock = z.discriminatedUnion('type', [Text, ToolResult]);
const AssistantBlock = z.discriminatedUnion('type', [Text, Thinking, RedactedThinking, ToolUse]);

const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.union([z.string().min(1), z.array(UserBlock).min(1)]) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string().min(1), z.array(AssistantBlock).min(1)]),
  }),
]);

const Tool = z.strictObject({
  type: z.literal('custom').optional(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, 'String should match pattern ^[a-zA-Z0-9_-]{1,128}$'),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  ...Cacheable,
});

const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal('any'), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal('none') }),
]);

const Display = { display: z.enum(['summarized', 'omitted']).nullish() };
const ThinkingConfig = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('adaptive'), ...Display }),
  z.strictObject({ type: z.literal('disabled') }),
  z.strictObject({ type: z.literal('between_tools') }),
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.number().int().min(1024), ...Display }),
]);

const OutputConfig = z.strictObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z.strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }).nullish(),
});

export const CountTokensBody = z.strictObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1, 'at least one message is required').max(100_000),
  system: z.union([z.string(), z.array(Text)]).optional(),
  tools: z.array(Tool).optional(),
  tool_choice: ToolChoice.optional(),
  thinking: ThinkingConfig.optional(),
  output_config: OutputConfig.optional(),
  cache_control: CacheControl.nullish(),
});
export type CountTokensBody = z.infer<typeof CountTokensBody>;

export const MessagesBody = z.strictObject({
  ...CountTokensBody.shape,
  max_tokens: z.number().int().min(0),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string().min(1)).optional(),
  metadata: z.strictObject({ user_id: z.string().max(512).nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
});
export type MessagesBody = z.infer<typeof MessagesBody>;
export type MessageParam = MessagesBody['messages'][number];
export type Block = z.infer<typeof UserBlock> | z.infer<typeof AssistantBlock>;

/** The blocks of a message; a string stands for one block of text. */
export function toBlocks(message: MessageParam): Block[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : [...message.content];
}

/** The schema's complaints in the API's words: the place, then what is wrong there. */
export function toComplaints(error: z.ZodError): string[] {
  return error.issues.flatMap(issue => {
    const place = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map(key => `${place === '' ? '' : `${place}.`}${key}: Extra inputs are not permitted`);
    }
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const closest = issue.errors.reduce((best, errors) => (depthOf(errors) > depthOf(best) ? errors : best));
      return toComplaints(new z.ZodError(closest.map(inner => ({ ...inner, path: [...issue.path, ...inner.path] }))));
    }
    const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
    return [`${place}: ${missing ? 'Field required' : issue.message}`];
  });
}

// Of a union's branches the one that was read furthest is the one that was meant.
function depthOf(issues: readonly { path: readonly PropertyKey[] }[]): number {
  return Math.max(0, ...issues.map(issue => issue.path.length));
}
