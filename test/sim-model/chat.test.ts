import OpenAI, { APIError } from 'openai';
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageToolCall,
} from 'openai/resources/chat/completions';
import { afterEach, describe, expect, test } from 'vitest';
import { type ChatOptions, type ChatSimulator, startChat } from './chat.ts';
import type { Fault } from './faults.ts';

let api: ChatSimulator | undefined;
afterEach(async () => {
  api?.takeViolations();
  await api?.close();
  api = undefined;
});

type Params = Partial<ChatCompletionCreateParamsNonStreaming>;

async function start(options: ChatOptions = {}) {
  api = await startChat(options);
  const client = new OpenAI({ apiKey: 'sk-test', baseURL: api.baseUrl, maxRetries: 0, logLevel: 'off' });
  const say = (params: Params = {}) => client.chat.completions.create(ask(params));
  const stream = (params: Params = {}, signal?: AbortSignal) =>
    client.chat.completions
      .stream(
        { ...ask(params), stream: true, stream_options: { include_usage: true } },
        signal === undefined ? {} : { signal },
      )
      .finalChatCompletion();
  return { api, client, say, stream };
}

function ask(params: Params): ChatCompletionCreateParamsNonStreaming {
  const messages = [{ role: 'user' as const, content: 'Review this.' }];
  return { model: 'gpt-5.5', max_completion_tokens: 1000, messages, ...params };
}

// The SDK's stream helper adds the parsed arguments, which the server refuses to take back.
function withoutParsed(call: ChatCompletionMessageToolCall): ChatCompletionMessageToolCall {
  if (call.type !== 'function') return call;
  return { ...call, function: { name: call.function.name, arguments: call.function.arguments } };
}

const FINDINGS = {
  type: 'object',
  properties: { findings: { type: 'array', items: { type: 'string' } } },
  required: ['findings'],
  additionalProperties: false,
};
const FORMAT = { type: 'json_schema' as const, json_schema: { name: 'findings', strict: true, schema: FINDINGS } };
const READ_FILE = {
  type: 'function' as const,
  function: {
    name: 'read_file',
    strict: true,
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    },
  },
};
const SCRIPT = [
  { when: { turn: 1 }, answer: { calls: [{ name: 'read_file', input: { path: 'a.js' } }] } },
  { requires: { results: [{ tool: 'read_file', text: 'eval' }] }, answer: { json: { findings: ['eval'] } } },
];

describe.each(['openai', 'openrouter', 'compatible'] as const)('%s', flavour => {
  test('says the same as JSON and as a stream, with usage', async () => {
    const { api, say, stream } = await start({ flavour, script: [{ answer: { text: 'Grüße 🎉 '.repeat(20) } }] });
    const whole = await say();
    const streamed = await stream();
    expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
    expect(streamed.usage).toEqual(whole.usage);
    expect(whole.usage?.completion_tokens).toBe(Math.ceil(Buffer.byteLength('Grüße 🎉 '.repeat(20)) / 4));
    await api.close();
  });

  test('finds what the tool has shown, and nothing without it', async () => {
    const { api, say, stream } = await start({ flavour, script: SCRIPT });
    const first = await stream({ tools: [READ_FILE], response_format: FORMAT });
    const message = first.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    expect(call).toMatchObject({ function: { name: 'read_file', arguments: '{"path":"a.js"}' } });
    for (const [content, text] of [
      ['1: eval(x)', '{"findings":["eval"]}'],
      ['1: x', '{"findings":[]}'],
    ]) {
      const second = await say({
        tools: [READ_FILE],
        response_format: FORMAT,
        messages: [
          { role: 'user', content: 'Review this.' },
          { role: 'assistant', content: null, tool_calls: (message?.tool_calls ?? []).map(withoutParsed) },
          { role: 'tool', tool_call_id: call?.id ?? '', content: content ?? '' },
        ],
      });
      expect(second.choices[0]?.message.content).toBe(text);
    }
    await api.close();
  });
});

test('a long prefix that was seen before counts as cached', async () => {
  const { api, say } = await start();
  const system = { role: 'system' as const, content: 'x'.repeat(8000) };
  const ends = ['security', 'style'].map(role => ({ messages: [system, { role: 'user' as const, content: role }] }));
  const usages = [await say(ends[0]), await say(ends[1])].map(answer => answer.usage?.prompt_tokens_details);
  expect(usages).toMatchObject([{ cached_tokens: 0 }, { cached_tokens: 1920 }]);
  expect(api.journal.prompts()[1]?.usage).toMatchObject({ cacheRead: 1920 });
});

describe('refused', () => {
  const open = { ...FORMAT, json_schema: { ...FORMAT.json_schema, schema: { ...FINDINGS, required: [] } } };
  const call = { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{}' } };
  const asking = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: null, tool_calls: [call] },
  ];
  test.each<[string, object, RegExp]>([
    ['temperature', { temperature: 0 }, /Unsupported value: 'temperature'/],
    ['the old limit', { max_tokens: 5, max_completion_tokens: undefined }, /Use 'max_completion_tokens' instead/],
    ['no limit', { max_completion_tokens: undefined }, /no limit of output tokens/],
    ['OpenRouter’s reasoning', { reasoning: { effort: 'low' } }, /Unknown parameter: 'reasoning'/],
    ['an unknown field', { top_k: 5 }, /Unknown parameter: 'top_k'/],
    ['an optional property', { response_format: open }, /Missing 'findings'/],
    ['a tool choice without tools', { tool_choice: 'none' }, /only allowed when 'tools'/],
    ['stream options without a stream', { stream_options: { include_usage: true } }, /'stream_options'/],
    ['a call without a result', { tools: [READ_FILE], messages: asking }, /did not have response messages: call_1/],
    ['a result without a call', { messages: [{ role: 'tool', tool_call_id: 'x', content: '' }] }, /preceeding message/],
    [
      'a cache mark',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] }] },
      /cache_control/,
    ],
    ['the key in the prompt', { messages: [{ role: 'user', content: 'sk-test' }] }, /API key is in the body/],
  ])('%s', async (_name, params, complaint) => {
    const { api, say } = await start();
    await expect(say(params as Params)).rejects.toMatchObject({ status: 400 });
    await expect(api.close()).rejects.toThrow(complaint);
  });

  test('a model that does not exist, a wrong key; neither is held against the caller', async () => {
    const { api, say } = await start({ models: ['gpt-5.5'] });
    await expect(say({ model: 'gpt-9' })).rejects.toMatchObject({ status: 404 });
    const stranger = new OpenAI({ apiKey: 'sk-other', baseURL: api.baseUrl, maxRetries: 0 });
    await expect(stranger.chat.completions.create(ask({}))).rejects.toMatchObject({ status: 401 });
    await api.close();
  });
});

describe('faults', () => {
  test.each([400, 401, 402, 403, 404, 413, 429, 500, 529])('status %i', async status => {
    const { api, say } = await start();
    api.faults.add({ kind: 'status', status });
    await expect(say()).rejects.toMatchObject({ status });
  });

  test.each<[Fault, RegExp]>([
    [{ kind: 'stream-error' }, /Provider disconnected/],
    [{ kind: 'reset', at: 'body' }, /terminated/],
    [{ kind: 'reset', at: 'connection' }, /Connection error/],
    [{ kind: 'cut' }, /finish_reason|ended/],
    [{ kind: 'not-json' }, /JSON/],
  ])('%j breaks a stream', async (fault, message) => {
    const { api, stream } = await start({ flavour: 'openrouter', script: [{ answer: { text: 'word '.repeat(99) } }] });
    api.faults.add(fault);
    await expect(stream()).rejects.toThrow(message);
  });

  test('an error in a 200 comes through as an answer without choices', async () => {
    const { api, say } = await start({ flavour: 'openrouter' });
    api.faults.add({ kind: 'error-200', code: 429, message: 'busy' });
    expect(await say()).toMatchObject({ error: { code: 429, message: 'busy' } });
  });

  test('a raw stream that is cut ends without a reason', async () => {
    const { api, client } = await start({ script: [{ answer: { text: 'word '.repeat(99) } }] });
    api.faults.add({ kind: 'cut' });
    const reasons: (string | null | undefined)[] = [];
    for await (const chunk of await client.chat.completions.create({ ...ask({}), stream: true })) {
      reasons.push(chunk.choices[0]?.finish_reason);
    }
    expect(new Set(reasons)).toEqual(new Set([null]));
  });

  test('comments keep a slow stream alive, and a stall holds until the client leaves', async () => {
    const pace = { firstByteAfterMs: 10, totalMs: 200 };
    const { api, stream } = await start({ flavour: 'openrouter', pingEveryMs: 15, pace });
    expect((await stream()).choices[0]?.message.content).toBe('Nothing to report.');
    api.faults.add({ kind: 'stall', at: 'body', pings: true });
    await expect(stream({}, AbortSignal.timeout(400))).rejects.toThrow(/abort/i);
    await expect.poll(() => api.journal.exchanges[1]?.ending).toBe('client-gone');
  });

  test.each<[Fault, object]>([
    [{ kind: 'truncated-answer' }, { finish_reason: 'length' }],
    [{ kind: 'refusal' }, { finish_reason: 'stop', message: { content: null, refusal: expect.any(String) } }],
  ])('%j bends the answer', async (fault, choice) => {
    const { api, say } = await start();
    api.faults.add(fault);
    expect((await say()).choices[0]).toMatchObject(choice);
  });

  test('an error is the SDK’s own', async () => {
    const { api, say } = await start();
    api.faults.add({ kind: 'status', status: 429, retryAfter: 7 });
    const error = await say().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect((error as APIError).headers?.get('retry-after')).toBe('7');
  });
});
