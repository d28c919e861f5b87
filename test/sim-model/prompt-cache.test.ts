import { setTimeout as sleep } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages/messages';
import { afterEach, expect, test } from 'vitest';
import { type AnthropicOptions, startAnthropic } from './anthropic.ts';
import type { Simulator } from './site.ts';

let api: Simulator | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(options: AnthropicOptions = {}) {
  api = await startAnthropic(options);
  const client = new Anthropic({ apiKey: 'sk-ant-test', baseURL: api.url, maxRetries: 0 });
  const usageOf = async (params: Partial<MessageCreateParamsNonStreaming>) => {
    const stream = client.messages.stream({ model: 'claude-opus-5-5', max_tokens: 100, messages: [], ...params });
    const { usage } = await stream.finalMessage();
    return {
      read: usage.cache_read_input_tokens,
      written: usage.cache_creation_input_tokens,
      rest: usage.input_tokens,
      hour: usage.cache_creation?.ephemeral_1h_input_tokens,
    };
  };
  return { api, client, usageOf };
}

const SHARED = 'the change under review '.repeat(400);

function prompt(role: string, options: { shared?: string; ttl?: '1h' } = {}): Partial<MessageCreateParamsNonStreaming> {
  const cache_control = { type: 'ephemeral' as const, ...(options.ttl === undefined ? {} : { ttl: options.ttl }) };
  return {
    system: [{ type: 'text', text: 'You review.' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: options.shared ?? SHARED, cache_control },
          { type: 'text', text: `You are the ${role} reviewer.` },
        ],
      },
    ],
  };
}

test('the second reviewer reads what the first one wrote', async () => {
  const { usageOf, api } = await start({ roles: { security: 'the security reviewer', style: 'the style reviewer' } });
  const first = await usageOf(prompt('security'));
  const second = await usageOf(prompt('style'));
  expect(first).toMatchObject({ read: 0, hour: 0 });
  expect(first.written).toBeGreaterThan(SHARED.length / 4);
  expect(second).toMatchObject({ read: first.written, written: 0 });
  const [one, two] = api.journal.prompts();
  expect(one?.prefixes).toEqual(two?.prefixes);
  expect(one?.prefixes).toMatchObject([{ place: 'messages.0.content.0', tokens: first.written }]);
  expect([one?.role, two?.role]).toEqual(['security', 'style']);
});

test('one byte more before the breakpoint reads nothing', async () => {
  const { usageOf } = await start();
  await usageOf(prompt('security'));
  expect(await usageOf(prompt('style', { shared: `${SHARED}.` }))).toMatchObject({ read: 0 });
});

test.each<[string, Partial<MessageCreateParamsNonStreaming>]>([
  ['effort', { output_config: { effort: 'low' } }],
  ['model', { model: 'claude-sonnet-5-5' }],
  ['thinking display', { thinking: { type: 'adaptive', display: 'summarized' } }],
])('another %s reads nothing', async (_name, change) => {
  const { usageOf } = await start();
  await usageOf(prompt('security'));
  expect(await usageOf({ ...prompt('style'), ...change })).toMatchObject({ read: 0 });
});

test('a prefix under the minimum is not cached', async () => {
  const { usageOf } = await start();
  const short = { shared: 'x'.repeat(3000) };
  const first = await usageOf(prompt('security', short));
  expect(first).toMatchObject({ read: 0, written: 0 });
  expect(await usageOf(prompt('style', short))).toMatchObject({ read: 0, written: 0 });
});

test('nothing is read before the first answer has begun, all of it right after', async () => {
  const { client, usageOf } = await start({ pace: { firstByteAfterMs: 200, totalMs: 400 } });
  const params = { model: 'claude-opus-5-5', max_tokens: 100, messages: [], ...prompt('security') };
  const first = client.messages.stream(params);
  await sleep(50);
  const early = usageOf({ ...prompt('style') });
  await new Promise<void>(resolve => first.once('streamEvent', () => resolve()));
  const late = await usageOf({ ...prompt('correctness') });
  await first.finalMessage();
  expect(await early).toMatchObject({ read: 0 });
  expect(late).toMatchObject({ written: 0 });
  expect(late.read).toBeGreaterThan(1024);
});

test('an hour is counted apart, and a conversation reads its own past', async () => {
  const { client, usageOf } = await start({ script: [{ answer: { text: 'well '.repeat(50) } }] });
  const opening = prompt('security', { ttl: '1h' });
  const first = await usageOf(opening);
  expect(first.hour).toBe(first.written);
  const params = { model: 'claude-opus-5-5', max_tokens: 500, messages: [], ...opening };
  const answer = await client.messages.stream({ ...params, cache_control: { type: 'ephemeral' } }).finalMessage();
  const next = await usageOf({
    ...opening,
    max_tokens: 500,
    cache_control: { type: 'ephemeral' },
    messages: [
      ...(opening.messages ?? []),
      { role: 'assistant', content: answer.content as never },
      { role: 'user', content: 'And now?' },
    ],
  });
  expect(next.read).toBeGreaterThan(first.written ?? 0);
  expect(next.hour).toBe(0);
});
