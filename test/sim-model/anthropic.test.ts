import Anthropic, { APIError } from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming, MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import { afterEach, describe, expect, test } from 'vitest';
import { type AnthropicOptions, startAnthropic } from './anthropic.ts';
import type { Simulator } from './site.ts';

let api: Simulator | undefined;
afterEach(async () => {
  api?.takeViolations();
  await api?.close();
  api = undefined;
});

async function start(options: AnthropicOptions = {}) {
  api = await startAnthropic(options);
  const client = new Anthropic({ apiKey: 'sk-ant-test', baseURL: api.url, maxRetries: 0 });
  const say = (params: Partial<MessageCreateParamsNonStreaming>) => client.messages.stream(ask(params)).finalMessage();
  return { api, client, say };
}

function ask(params: Partial<MessageCreateParamsNonStreaming> = {}): MessageCreateParamsNonStreaming {
  return {
    model: 'claude-opus-5-5',
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'Review this.' }],
    ...params,
  };
}

const READ_FILE = {
  name: 'read_file',
  description: 'Reads a file.',
  strict: true,
  input_schema: {
    type: 'object' as const,
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
};
const FINDINGS = {
  type: 'object',
  properties: { findings: { type: 'array', items: { type: 'string' } } },
  required: ['findings'],
  additionalProperties: false,
};

describe('answers', () => {
  test('say the same as JSON and as a stream, with usage by the bytes', async () => {
    const { client, api } = await start({ script: [{ answer: { text: 'Grüße 🎉 '.repeat(40) } }] });
    const whole = await client.messages.create(ask());
    const streamed = await client.messages.stream(ask()).finalMessage();
    expect(streamed.content.at(-1)).toEqual(whole.content.at(-1));
    expect(streamed.usage.output_tokens).toBe(Math.ceil(Buffer.byteLength('Grüße 🎉 '.repeat(40)) / 4));
    expect(streamed.usage).toMatchObject({ input_tokens: whole.usage.input_tokens, cache_read_input_tokens: 0 });
    await api.close();
  });

  test('are neutral, by the schema, where no rule fits', async () => {
    const { say } = await start();
    const format = { type: 'json_schema' as const, schema: FINDINGS };
    const message = await say({ output_config: { format } });
    expect(message.content.at(-1)).toMatchObject({ text: '{"findings":[]}' });
  });

  test('run into max_tokens when they are longer', async () => {
    const { say } = await start({ script: [{ answer: { text: 'x'.repeat(1000) } }] });
    const message = await say({ max_tokens: 20 });
    expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 20 } });
    expect(message.content.at(-1)).toMatchObject({ text: 'x'.repeat(80) });
  });

  test('refuse with a category', async () => {
    const refusal = { category: 'cyber', explanation: 'no' };
    const { say } = await start({ script: [{ answer: { stop: 'refusal', refusal } }] });
    const message = await say({});
    expect(message).toMatchObject({ content: [], stop_reason: 'refusal', stop_details: { category: 'cyber' } });
  });
});

describe('a conversation with tools', () => {
  const script = [
    { when: { turn: 1 }, answer: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'a.js' } }] } },
    {
      name: 'finding',
      requires: { prompt: 'Review', results: [{ tool: 'read_file', text: 'eval(x)', input: 'a.js' }] },
      answer: { json: { findings: ['eval'] } },
    },
  ];
  const tools = [READ_FILE];
  const output_config = { format: { type: 'json_schema' as const, schema: FINDINGS } };

  async function secondTurn(change: (messages: MessageParam[]) => unknown, result = 'eval(x)') {
    const { say, api } = await start({ script });
    const first = await say({ tools, output_config });
    const call = first.content.find(block => block.type === 'tool_use');
    expect(first.stop_reason).toBe('tool_use');
    const messages: MessageParam[] = [
      { role: 'user', content: 'Review this.' },
      { role: 'assistant', content: structuredClone(first.content) as MessageParam['content'] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: result }] },
    ];
    change(messages);
    const second = await say({ tools, output_config, messages }).catch((error: APIError) => error);
    return { second, api };
  }

  test('gives the finding once the tool has shown the line', async () => {
    const { second, api } = await secondTurn(() => undefined);
    expect(second).toMatchObject({ stop_reason: 'end_turn', content: [{}, { text: '{"findings":["eval"]}' }] });
    expect(api.journal.prompts()[1]?.rule).toBe('finding');
    await api.close();
  });

  test('gives none when the line was not in the result', async () => {
    const { second, api } = await secondTurn(() => undefined, 'nothing here');
    expect(second).toMatchObject({ content: [{}, { text: '{"findings":[]}' }] });
    expect(api.journal.prompts()[1]?.rule).toContain('neutral (finding lacks result read_file');
  });

  const assistant = (messages: MessageParam[]) => messages[1]?.content as unknown as Record<string, unknown>[];
  test.each<[string, (messages: MessageParam[]) => unknown, RegExp]>([
    ['changed thinking', m => Object.assign(assistant(m)[0] ?? {}, { thinking: 'other' }), /Invalid `signature`/],
    ['a changed opening', m => Object.assign(m[0] ?? {}, { content: 'Other.' }), /bound to a different conversation/],
    ['a result left out', m => Object.assign(m[2] ?? {}, { content: 'so?' }), /without `tool_result` blocks/],
    ['a result without a call', m => assistant(m).pop(), /unexpected `tool_use_id`/],
    ['a call without a result', m => m.push(m[1] as MessageParam), /prefill|unique/],
    ['two user turns in a row', m => m.push({ role: 'user', content: 'more' }), /in a row/],
    ['an empty text', m => assistant(m).splice(1, 0, { type: 'text', text: '' }), /non-empty/],
  ])('refuses %s', async (_name, change, message) => {
    const { second, api } = await secondTurn(change);
    expect(second).toBeInstanceOf(APIError);
    expect(second).toMatchObject({ status: 400, type: 'invalid_request_error' });
    await expect(api.close()).rejects.toThrow(message);
  });

  test('accepts cache marks that move', async () => {
    const { second } = await secondTurn(messages => {
      Object.assign(messages[0] ?? {}, {
        content: [{ type: 'text', text: 'Review this.', cache_control: { type: 'ephemeral' } }],
      });
    });
    expect(second).toMatchObject({ stop_reason: 'end_turn' });
  });

  test('goes on to the next rule where tools are forbidden', async () => {
    const { say } = await start({ script: [script[0] ?? { answer: {} }, { answer: { text: 'without tools' } }] });
    const message = await say({ tools, tool_choice: { type: 'none' } });
    expect(message.content.at(-1)).toMatchObject({ text: 'without tools' });
  });

  test('blames a script that no model could follow', async () => {
    const { say, api } = await start({
      script: [{ answer: { calls: [{ name: 'delete_all', input: {} }], json: { findings: [1] } } }],
    });
    await say({ tools, output_config });
    expect(api.takeViolations().join()).toMatch(/calls delete_all.*breaks the schema/s);
  });
});

describe('the API refuses', () => {
  const unsupported = {
    ...FINDINGS,
    properties: { findings: { type: 'array', maxItems: 3, items: { type: 'string' } } },
  };
  const mark = { cache_control: { type: 'ephemeral' as const } };
  const text = (part: string) => ({ type: 'text' as const, text: part, ...mark });
  test.each<[string, object, RegExp]>([
    ['temperature', { temperature: 1 }, /temperature: Extra inputs are not permitted/],
    ['top_p', { top_p: 1 }, /top_p: Extra/],
    ['an unknown field in a block', { system: [{ type: 'text', text: 'x', id: 1 }] }, /system\.0\.id: Extra/],
    ['forced tools', { tools: [READ_FILE], tool_choice: { type: 'any' } }, /Forced tool use/],
    ['thinking turned off', { thinking: { type: 'disabled' } }, /not supported for this model/],
    ['manual thinking', { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 9000 }, /not supported/],
    ['a tool choice without tools', { tool_choice: { type: 'none' } }, /only be specified while providing tools/],
    ['max_tokens over the limit', { max_tokens: 128_001 }, /128001 > 128000/],
    [
      'prefill',
      {
        messages: [
          { role: 'user', content: 'x' },
          { role: 'assistant', content: '{' },
        ],
      },
      /prefill/,
    ],
    ['a length in a schema', { output_config: { format: { type: 'json_schema', schema: unsupported } } }, /'maxItems'/],
    [
      'an open object in a schema',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object', properties: {} } } } },
      /additionalProperties/,
    ],
    ['an open strict tool', { tools: [{ ...READ_FILE, input_schema: { type: 'object' } }] }, /additionalProperties/],
    ['two tools of one name', { tools: [READ_FILE, READ_FILE] }, /unique/],
    ['a fifth breakpoint', { system: ['a', 'b', 'c', 'd', 'e'].map(text) }, /maximum of 4 blocks/],
    ['no message', { messages: [] }, /at least one message/],
    ['the key in the prompt', { system: 'use sk-ant-test' }, /API key is in the body/],
  ])('%s', async (_name, params, complaint) => {
    const { client, api } = await start();
    const params400 = ask(params as Partial<MessageCreateParamsNonStreaming>);
    await expect(client.messages.create(params400, { timeout: 5000 })).rejects.toMatchObject({ status: 400 });
    await expect(api.close()).rejects.toThrow(complaint);
  });

  test('an unknown model with 404, a wrong key with 401, and neither is held against the caller', async () => {
    const { client, api } = await start();
    await expect(client.messages.create(ask({ model: 'claude-9' }))).rejects.toMatchObject({ status: 404 });
    const stranger = new Anthropic({ apiKey: 'sk-other', baseURL: api.url, maxRetries: 0 });
    await expect(stranger.messages.create(ask())).rejects.toMatchObject({ status: 401 });
    await api.close();
  });

  test('a call without the version header', async () => {
    const { api } = await start();
    const answer = await fetch(`${api.url}/v1/messages`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(400);
    await expect(api.close()).rejects.toThrow(/anthropic-version: header is missing/);
  });
});

test('tokens can be counted, models listed', async () => {
  const { client, api } = await start();
  const { messages, model } = ask();
  const counted = await client.messages.countTokens({ model, messages });
  const message = await client.messages.create(ask());
  expect(counted.input_tokens).toBe(message.usage.input_tokens);
  expect((await client.models.list()).data.map(entry => entry.id)).toContain('claude-opus-5-5');
  await api.close();
});
