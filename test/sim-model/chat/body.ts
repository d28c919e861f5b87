import { z } from 'zod';

const Part = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control: z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).optional(),
});
const Content = z.union([z.string(), z.array(Part).min(1)]);

const ToolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: Content }),
  z.strictObject({ role: z.literal('developer'), content: Content }),
  z.strictObject({ role: z.literal('user'), content: Content }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: Content }),
  z.strictObject({
    role: z.literal('assistant'),
    content: Content.nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(ToolCall).min(1).optional(),
    annotations: z.array(z.unknown()).optional(),
    reasoning: z.string().nullish(),
    reasoning_details: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
]);

const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "does not match pattern '^[a-zA-Z0-9_-]{1,64}$'"),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
});

const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
      description: z.string().optional(),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean().nullish(),
    }),
  }),
]);

const Effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

export const ChatBody = z.strictObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).min(1).max(128).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: ResponseFormat.optional(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  seed: z.number().int().nullish(),
  reasoning_effort: Effort.nullish(),
  reasoning: z
    .strictObject({
      effort: Effort.optional(),
      max_tokens: z.number().int().optional(),
      exclude: z.boolean().optional(),
      enabled: z.boolean().optional(),
    })
    .optional(),
  usage: z.strictObject({ include: z.boolean() }).optional(),
  provider: z.record(z.string(), z.unknown()).optional(),
  transforms: z.array(z.string()).optional(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullish(),
  prompt_cache_key: z.string().nullish(),
  store: z.boolean().nullish(),
  user: z.string().optional(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
});
export type ChatBody = z.infer<typeof ChatBody>;
export type ChatMessage = ChatBody['messages'][number];

/** Text of a message, its parts put together. */
export function toContentText(content: ChatMessage['content']): string {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map(part => part.text).join('\n');
}

/** The schema's complaints in OpenAI's words. */
export function toChatComplaints(error: z.ZodError): string[] {
  return error.issues.flatMap(issue => {
    const place = issue.path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
    const param = place.replace(/^\./, '');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map(key => `Unknown parameter: '${param === '' ? '' : `${param}.`}${key}'.`);
    }
    return [`Invalid value for '${param}': ${issue.message}`];
  });
}
