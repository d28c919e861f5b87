import { afterEach, describe, expect, test } from 'vitest';
import { NO_CREDENTIALS } from '../../src/model/choose-provider.ts';
import { type ChatOptions, type ChatSimulator, startChat } from '../sim-model/chat.ts';
import { startLoopback } from '../sim-model/server.ts';
import { connect, never, READ_FILE, toRequest } from './setup.ts';

let api: ChatSimulator | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const KEYS = { ...NO_CREDENTIALS, openaiApiKey: 'sk-test', openrouterApiKey: 'sk-test' };
const GPT = 'gpt-6-sol';

const link = (url: string, model: string) => connect(url, { models: [model], credentials: KEYS });

async function start(options: ChatOptions = {}, model = GPT) {
  api = await startChat(options);
  return { api, ...link(api.baseUrl, model) };
}

describe.each([
  ['openai', 'openai', 'gpt-6-sol'],
  ['openai', 'openai', 'gpt-4.1'],
  ['openrouter', 'openrouter', 'openrouter/anthropic/claude-sonnet-5.5'],
  ['openai_compat', 'compatible', 'openai_compat/org/qwen'],
] as const)('%s', (_, flavour, model) => {
  test(`streams an answer of ${model} with tools, schema and usage`, async () => {
    const connected = await start(
      {
        flavour,
        script: [
          { when: { turn: 1 }, answer: { calls: [{ name: 'read_file', input: { path: 'a.ts' } }] } },
          { requires: { results: [{ tool: 'read_file', text: 'const a' }] }, answer: { json: { notes: ['seen'] } } },
        ],
      },
      model,
    );
    const request = toRequest({ model, tools: [READ_FILE] });
    let started = 0;
    const first = await connected.model.call({ ...request, onStarted: () => started++ }, never());
    if (first.status !== 'ok') throw new Error(first.reason);
    expect(first.toolCalls).toMatchObject([{ name: 'read_file', input: { path: 'a.ts' } }]);
    const results = first.toolCalls.map(({ id }) => ({ id, text: 'const a = 1;', isError: false }));
    const turns = [
      ...request.turns,
      { role: 'assistant', echo: first.echo, text: first.text, toolCalls: first.toolCalls } as const,
      { role: 'tool', results } as const,
    ];
    const last = await connected.model.call({ ...request, turns, toolChoice: 'none' }, never());
    expect(last).toMatchObject({ status: 'ok', text: '{"notes":["seen"]}' });
    expect(started).toBe(1);
    const [exchange] = connected.api.journal.prompts();
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = first.usage;
    expect([inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens]).toEqual(
      ['input', 'cacheRead', 'cacheWrite', 'output'].map(key => exchange?.usage?.[key as 'input']),
    );
    expect(inputTokens + cacheWriteTokens).toBeGreaterThan(0);
    expect(exchange?.seen?.model).toBe(model.replace(/^(?:openrouter|openai_compat)\//, ''));
  });
});

test('cached tokens are counted once', async () => {
  const { model } = await start({ script: [{ answer: { json: { notes: [] } } }] });
  const request = toRequest({ model: GPT, system: [{ text: 'A long rule. '.repeat(800) }] });
  await model.call(request, never());
  const second = await model.call(request, never());
  expect(second.usage.cacheReadTokens).toBeGreaterThan(1_000);
  expect(second.usage.inputTokens).toBeLessThan(1_000);
});

describe('an answer that ends badly', () => {
  test.each([
    ['refused', { kind: 'refusal' }],
    ['truncated', { kind: 'truncated-answer' }],
    ['network', { kind: 'cut' }],
    ['network', { kind: 'reset', at: 'body' }],
  ] as const)('is %s, billed and not repeated (%o)', async (kind, fault) => {
    const { api, model, slept } = await start({ script: [{ answer: { text: 'word '.repeat(400) } }] });
    api.faults.add(fault);
    const answer = await model.call(toRequest({ model: GPT, answerSchema: null }), never());
    expect(answer).toMatchObject({ status: 'failed', kind });
    expect(answer.usage.inputTokens).toBeGreaterThan(0);
    expect(slept).toEqual([]);
  });

  test('in mid-stream with an error event is never a success', async () => {
    const { api, model } = await start({ script: [{ answer: { text: 'word '.repeat(400) } }] });
    api.faults.add({ kind: 'stream-error', after: 'middle' });
    const answer = await model.call(toRequest({ model: GPT, answerSchema: null }), never());
    expect(answer.status).toBe('failed');
    expect(answer.usage.inputTokens).toBeGreaterThan(0);
  });

  test('with status 200 and an error in its body is a failure', async () => {
    const slug = 'openrouter/openai/gpt-6-sol';
    const { api, model } = await start({ flavour: 'openrouter' }, slug);
    api.faults.add({ kind: 'error-200', code: 402, message: 'no credits' });
    const answer = await model.call(toRequest({ model: slug }), never());
    expect(answer).toMatchObject({ status: 'failed', kind: 'payment', reason: expect.stringContaining('no credits') });
  });
});

test.each([
  [401, 'unauthorized', 0],
  [429, 'rate-limit', 4],
  [503, 'server', 3],
])('status %i is %s after %i retries', async (status, kind, retries) => {
  const { api, model, slept } = await start();
  api.faults.add({ kind: 'status', status, times: Number.POSITIVE_INFINITY });
  expect(await model.call(toRequest({ model: GPT }), never())).toMatchObject({ status: 'failed', kind });
  expect(slept).toHaveLength(retries);
  api.faults.clear();
});

describe('a server with habits of its own', () => {
  async function serve(type: string, body: string) {
    const server = await startLoopback(async (_, response) => {
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    const model = 'openai_compat/local';
    const answer = await link(`${server.url}/v1`, model).model.call(toRequest({ model, tools: [READ_FILE] }), never());
    await server.close();
    return answer;
  }
  const stream = (...chunks: unknown[]) =>
    serve(
      'text/event-stream',
      [...chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'].join(''),
    );

  test('that does not stream is understood', async () => {
    const choices = [{ message: { role: 'assistant', content: '{"notes":[]}' }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 10, completion_tokens: 4 };
    const answer = await serve('application/json', JSON.stringify({ choices, usage }));
    expect(answer).toMatchObject({ status: 'ok', text: '{"notes":[]}', usage: { inputTokens: 10, outputTokens: 4 } });
  });

  test('that tells no usage is billed by estimate', async () => {
    const answer = await stream({ choices: [{ delta: { content: '{}' }, finish_reason: 'stop' }] });
    expect(answer.status).toBe('ok');
    expect(answer.usage.inputTokens).toBeGreaterThan(50);
    expect(answer.usage.outputTokens).toBeGreaterThan(0);
  });

  test.each([
    ['broken tool input', [{ index: 0, id: 'c', function: { name: 'read_file', arguments: '{"path":' } }]],
    ['input that is no object', [{ index: 0, id: 'c', function: { name: 'read_file', arguments: '[1]' } }]],
    ['a call without a name', [{ index: 0, id: 'c', function: { arguments: '{}' } }]],
  ])('that sends %s is malformed', async (_, calls) => {
    const answer = await stream({ choices: [{ delta: { tool_calls: calls }, finish_reason: 'tool_calls' }] });
    expect(answer).toMatchObject({ status: 'failed', kind: 'malformed' });
  });

  test('that ends for an unknown reason is malformed', async () => {
    const answer = await stream({ choices: [{ delta: { content: 'x' }, finish_reason: 'function_call' }] });
    expect(answer).toMatchObject({ status: 'failed', kind: 'malformed' });
  });

  test('that says nothing at all was cut', async () => {
    expect(await stream()).toMatchObject({ status: 'failed', kind: 'network' });
  });
});
