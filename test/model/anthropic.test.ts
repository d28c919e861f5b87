import { afterEach, describe, expect, test } from 'vitest';
import { type AnthropicOptions, startAnthropic } from '../sim-model/anthropic.ts';
import { startLoopback } from '../sim-model/server.ts';
import type { Simulator } from '../sim-model/site.ts';
import { connect, KEY, never, READ_FILE, toRequest } from './setup.ts';

let api: Simulator | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(options: AnthropicOptions = {}) {
  api = await startAnthropic(options);
  return { api, ...connect(api.url) };
}

describe('an answer', () => {
  test('is streamed with effort, adaptive thinking, an enforceable schema and no sampling parameters', async () => {
    const { api, model } = await start({ script: [{ answer: { json: { notes: ['one'] } } }] });
    let started = 0;
    const answer = await model.call(toRequest({ onStarted: () => started++ }), never());
    expect(answer).toMatchObject({ status: 'ok', text: '{"notes":["one"]}', toolCalls: [] });
    expect(started).toBe(1);
    const [exchange] = api.journal.prompts();
    expect(exchange?.headers['authorization']).toBe(`Bearer ${KEY}`);
    const body = exchange?.body as Record<string, unknown>;
    expect(body).toMatchObject({ stream: true, thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['temperature']));
    expect(JSON.stringify(body)).not.toContain('maxLength');
  });

  test('bills what the API says, cached tokens apart', async () => {
    const system = [{ text: 'A long rule. '.repeat(500), cache: true }];
    const { api, model } = await start({ script: [{ answer: { json: { notes: [] } } }] });
    const first = await model.call(toRequest({ system }), never());
    const second = await model.call(toRequest({ system }), never());
    expect(first.usage.cacheWriteTokens).toBeGreaterThan(1_024);
    expect(second.usage).toMatchObject({ cacheReadTokens: first.usage.cacheWriteTokens, cacheWriteTokens: 0 });
    const seen = api.journal.prompts().map(exchange => exchange.usage);
    expect(seen.map(usage => usage?.input)).toEqual([first.usage.inputTokens, second.usage.inputTokens]);
  });

  test('hands out tool calls, and thinking comes back unchanged with the results', async () => {
    const { api, model } = await start({
      script: [
        { when: { turn: 1 }, answer: { thinking: 'look', calls: [{ name: 'read_file', input: { path: 'a.ts' } }] } },
        { requires: { results: [{ tool: 'read_file', text: 'const a' }] }, answer: { json: { notes: ['seen'] } } },
      ],
    });
    const request = toRequest({ tools: [READ_FILE] });
    const first = await model.call(request, never());
    if (first.status !== 'ok') throw new Error(first.reason);
    expect(first.toolCalls).toMatchObject([{ name: 'read_file', input: { path: 'a.ts' } }]);
    const results = first.toolCalls.map(({ id }) => ({ id, text: 'const a = 1;', isError: false }));
    const turns = [
      ...request.turns,
      { role: 'assistant', echo: first.echo, text: first.text, toolCalls: first.toolCalls } as const,
      { role: 'tool', results } as const,
      { role: 'user', parts: [{ text: 'Stop now.' }] } as const,
    ];
    const last = await model.call({ ...request, turns, toolChoice: 'none' }, never());
    expect(last).toMatchObject({ status: 'ok', text: '{"notes":["seen"]}' });
    expect(api.journal.prompts().map(exchange => exchange.violations)).toEqual([[], []]);
    expect(JSON.stringify(first.echo)).toContain('signature');
  });
});

describe('an answer that ends badly', () => {
  test.each([
    ['refused', { kind: 'refusal', category: 'cyber' }, /refused \(cyber\)/],
    ['truncated', { kind: 'truncated-answer' }, /cut off/],
    ['overloaded', { kind: 'stream-error', after: 'middle' }, /overloaded_error/],
    ['overloaded', { kind: 'stream-error', after: 'start' }, /overloaded_error/],
    ['malformed', { kind: 'not-json' }, /Anthropic: /],
    ['network', { kind: 'reset', at: 'body' }, /Anthropic: /],
    ['network', { kind: 'cut' }, /Anthropic: /],
  ] as const)('is %s, billed and not repeated (%o)', async (kind, fault, reason) => {
    const { api, model, slept } = await start({ script: [{ answer: { text: 'word '.repeat(400) } }] });
    api.faults.add(fault);
    const answer = await model.call(toRequest({ answerSchema: null }), never());
    expect(answer).toMatchObject({ status: 'failed', kind });
    expect(answer.status === 'failed' && answer.reason).toMatch(reason);
    expect(answer.usage.inputTokens).toBeGreaterThan(0);
    expect(slept).toEqual([]);
    expect(api.journal.prompts()).toHaveLength(1);
  });

  test('is never mistaken for tool calls when it was truncated', async () => {
    const { api, model } = await start({
      script: [{ answer: { calls: [{ name: 'read_file', input: { path: 'x'.repeat(900) } }], stop: 'max_tokens' } }],
    });
    const answer = await model.call(toRequest({ tools: [READ_FILE] }), never());
    expect(answer).toMatchObject({ status: 'failed', kind: 'truncated' });
    expect(api.journal.prompts()).toHaveLength(1);
  });
});

describe('an error', () => {
  test.each([
    [400, 'invalid-request'],
    [401, 'unauthorized'],
    [402, 'payment'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [413, 'too-large'],
  ] as const)('%i is %s and is not repeated', async (status, kind) => {
    const { api, model, slept } = await start();
    api.faults.add({ kind: 'status', status, message: `no ${KEY} here` });
    const answer = await model.call(toRequest(), never());
    expect(answer).toMatchObject({ status: 'failed', kind });
    expect(answer.status === 'failed' && answer.reason).toContain(String(status));
    expect(JSON.stringify(answer)).not.toContain(KEY);
    expect(slept).toEqual([]);
  });

  test.each([
    ['429 with seconds', { kind: 'status', status: 429, retryAfter: 7 }, 7_000],
    ['429 with milliseconds', { kind: 'status', status: 429, retryAfter: { ms: 1_234 } }, 1_234],
    ['429 that asks for an hour', { kind: 'status', status: 429, retryAfter: 3_600 }, 60_000],
    ['529', { kind: 'status', status: 529 }, 500],
    ['500', { kind: 'status', status: 500 }, 500],
    ['a broken connection', { kind: 'reset', at: 'connection' }, 500],
  ] as const)('%s is waited for, then the answer comes', async (_, fault, wait) => {
    const { api, model, slept } = await start();
    api.faults.add(fault);
    const answer = await model.call(toRequest(), never());
    expect(answer).toMatchObject({ status: 'ok' });
    expect(slept).toEqual([wait]);
  });

  test('a storm of 529 ends after five tries and says so', async () => {
    const { api, model, slept } = await start();
    api.faults.add({ kind: 'status', status: 529, times: Number.POSITIVE_INFINITY });
    const answer = await model.call(toRequest(), never());
    expect(answer).toMatchObject({ status: 'failed', kind: 'overloaded' });
    expect(answer.status === 'failed' && answer.reason).toMatch(/529 overloaded_error.*\(5 tries\)/);
    expect(slept).toEqual([500, 1_000, 2_000, 4_000]);
  });

  test('that says another try is pointless is believed', async () => {
    const { api, model, slept } = await start();
    api.faults.add({ kind: 'status', status: 529, shouldRetry: false });
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'failed', kind: 'overloaded' });
    expect(slept).toEqual([]);
  });

  test('in the very first event costs nothing, so that the attempt is repeated', async () => {
    let asked = 0;
    const server = await startLoopback(async (_, response) => {
      asked++;
      const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
    });
    const { model, slept } = connect(server.url);
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'failed', kind: 'overloaded' });
    expect([asked, slept.length]).toEqual([5, 4]);
    await server.close();
  });

  test('is the end when the deadline leaves no room for the wait', async () => {
    const { api, model, slept } = await start();
    api.faults.add({ kind: 'status', status: 429, retryAfter: 30 });
    const answer = await model.call(toRequest({ deadline: Date.now() + 10_000 }), never());
    expect(answer).toMatchObject({ status: 'failed', kind: 'rate-limit' });
    expect(answer.status === 'failed' && answer.reason).toContain('no room for another try');
    expect(slept).toEqual([]);
  });

  test('a redirect is not followed', async () => {
    const { api, model } = await start();
    const elsewhere = await startAnthropic();
    try {
      api.faults.add({ kind: 'redirect', to: `${elsewhere.url}/v1/messages`, status: 307 });
      expect(await model.call(toRequest(), never())).toMatchObject({ status: 'failed' });
      expect(elsewhere.journal.exchanges).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });
});
