import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { afterEach, expect, test } from 'vitest';
import { startAnthropic } from './anthropic.ts';
import type { Fault } from './faults.ts';
import type { Simulator } from './site.ts';

const params = {
  model: 'us.anthropic.claude-opus-5-5-v1:0',
  max_tokens: 500,
  messages: [{ role: 'user' as const, content: 'x' }],
};

let api: Simulator | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start() {
  api = await startAnthropic({ key: 'bedrock-key', script: [{ answer: { text: 'Grüße '.repeat(50) } }] });
  const client = new AnthropicBedrock({
    apiKey: 'bedrock-key',
    baseURL: api.url,
    awsRegion: 'eu-west-1',
    maxRetries: 0,
  });
  return { api, client };
}

test('streams in event stream frames, the same as JSON', async () => {
  const { api, client } = await start();
  const whole = await client.messages.create(params);
  const streamed = await client.messages.stream(params).finalMessage();
  expect(streamed.content.at(-1)).toEqual(whole.content.at(-1));
  expect(streamed.usage).toMatchObject({ input_tokens: whole.usage.input_tokens });
  expect(api.journal.prompts().map(exchange => exchange.path.split('/').at(-1))).toEqual([
    'invoke',
    'invoke-with-response-stream',
  ]);
});

test('takes a call that AWS credentials signed', async () => {
  const { api } = await start();
  const signing = new AnthropicBedrock({
    awsAccessKey: 'AKIASIMULATED',
    awsSecretKey: 'not a secret',
    baseURL: api.url,
    awsRegion: 'eu-west-1',
    maxRetries: 0,
  });
  expect((await signing.messages.create(params)).stop_reason).toBe('end_turn');
});

test.each<[Fault, RegExp]>([
  [{ kind: 'stream-error' }, /Overloaded/],
  [{ kind: 'reset', at: 'body' }, /terminated/],
  [{ kind: 'status', status: 403 }, /403/],
])('%j', async (fault, message) => {
  const { api, client } = await start();
  api.faults.add(fault);
  await expect(client.messages.stream(params).finalMessage()).rejects.toThrow(message);
});

test('an unknown model is not found', async () => {
  const { client } = await start();
  await expect(client.messages.create({ ...params, model: 'anthropic.claude-9' })).rejects.toMatchObject({
    status: 404,
  });
});
