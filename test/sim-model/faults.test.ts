import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { afterEach, expect, test } from 'vitest';
import { startAnthropic } from './anthropic.ts';
import type { Fault } from './faults.ts';
import type { Simulator, SiteOptions } from './site.ts';

const open: Simulator[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

async function start(options: SiteOptions = {}, maxRetries = 0) {
  const api = await startAnthropic({ script: [{ answer: { text: 'word '.repeat(100) } }], ...options });
  open.push(api);
  const client = new Anthropic({ apiKey: 'sk-ant-test', baseURL: api.url, maxRetries, logLevel: 'off' });
  const params = { model: 'claude-opus-5-5', max_tokens: 1000, messages: [{ role: 'user' as const, content: 'x' }] };
  const stream = (signal?: AbortSignal) =>
    client.messages.stream(params, signal === undefined ? {} : { signal }).finalMessage();
  return { api, client, params, stream };
}

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [529, 'overloaded_error'],
])('status %i is %s', async (status, type) => {
  const { api, stream } = await start();
  api.faults.add({ kind: 'status', status });
  await expect(stream()).rejects.toMatchObject({ status, type });
  expect(api.journal.exchanges[0]).toMatchObject({ status, fault: 'status', rule: null });
  expect((await stream()).stop_reason).toBe('end_turn');
});

test('retry-after is obeyed in each of its forms', async () => {
  const { api, stream } = await start({}, 3);
  api.faults.add(
    { kind: 'status', status: 429, retryAfter: { ms: 60 } },
    { kind: 'status', status: 429, retryAfter: 1 },
    { kind: 'status', status: 529, retryAfter: new Date(Date.now() + 2500) },
  );
  await stream();
  const times = api.journal.exchanges.map(exchange => exchange.at);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(50);
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThan(950);
  expect(api.faults.pending()).toEqual([]);
});

test('a storm meets one role only, for ever', async () => {
  const { api, client, params, stream } = await start({ roles: { security: 'SECURITY' } });
  api.faults.add({ when: { role: 'security' }, times: Number.POSITIVE_INFINITY, kind: 'status', status: 529 });
  for (let call = 0; call < 3; call += 1) {
    await expect(client.messages.create({ ...params, system: 'SECURITY' })).rejects.toMatchObject({ status: 529 });
  }
  expect((await stream()).stop_reason).toBe('end_turn');
});

test.each<[Fault, RegExp]>([
  [{ kind: 'stream-error' }, /Overloaded/],
  [{ kind: 'stream-error', after: 'start' }, /Overloaded/],
  [{ kind: 'reset', at: 'headers' }, /terminated/],
  [{ kind: 'reset', at: 'body' }, /terminated/],
  [{ kind: 'reset', at: 'connection' }, /Connection error/],
  [{ kind: 'cut' }, /stream ended without/i],
  [{ kind: 'not-json' }, /JSON/],
])('%j breaks a stream', async (fault, message) => {
  const { api, stream } = await start();
  api.faults.add(fault);
  await expect(stream()).rejects.toThrow(message);
  expect(api.journal.exchanges[0]?.fault).toBe(fault.kind);
});

test('a broken stream has shown its usage', async () => {
  const { api, client, params } = await start();
  api.faults.add({ kind: 'stream-error', type: 'api_error' });
  const stream = client.messages.stream(params);
  await expect(stream.finalMessage()).rejects.toMatchObject({ type: 'api_error', status: undefined });
  expect(stream.currentMessage?.usage.input_tokens).toBe(api.journal.exchanges[0]?.usage?.input);
});

test.each<[Fault, object]>([
  [{ kind: 'truncated-answer' }, { stop_reason: 'max_tokens' }],
  [{ kind: 'refusal' }, { stop_reason: 'refusal', content: [] }],
  [{ kind: 'invalid-answer' }, { stop_reason: 'end_turn' }],
])('%j bends the answer', async (fault, shape) => {
  const { api, stream } = await start();
  api.faults.add(fault);
  expect(await stream()).toMatchObject(shape);
});

test.each<Fault>([
  { kind: 'stall', at: 'headers' },
  { kind: 'stall', at: 'body' },
  { kind: 'stall', at: 'body', pings: true },
])('%j holds until the client leaves', async fault => {
  const { api, stream } = await start({ pingEveryMs: 20 });
  api.faults.add(fault);
  await expect(stream(AbortSignal.timeout(150))).rejects.toThrow(/abort/i);
  await expect.poll(() => api.journal.exchanges[0]?.ending).toBe('client-gone');
});

test('a hanging answer does not keep close() waiting', async () => {
  const { api, stream } = await start();
  api.faults.add({ kind: 'stall', at: 'body' });
  const hanging = stream().catch((error: unknown) => error);
  await expect.poll(() => api.journal.exchanges[0]?.startedAt).toBeTypeOf('number');
  await api.close();
  expect(await hanging).toBeInstanceOf(Error);
});

test('a redirect to another origin arrives there without the key', async () => {
  const { api, client, params } = await start();
  const other = await startAnthropic();
  api.faults.add({ kind: 'redirect', to: `${other.url}/v1/messages` });
  await expect(client.messages.create(params)).rejects.toBeInstanceOf(APIError);
  expect(other.journal.exchanges[0]?.headers['authorization']).toBeUndefined();
  expect(other.takeViolations().join()).toMatch(/Bearer is missing/);
  await other.close();
});

test('the pace holds: headers, first byte, the whole', async () => {
  const pace = { headersAfterMs: 40, firstByteAfterMs: 120, totalMs: 300 };
  const { api, stream } = await start({ pace, pingEveryMs: 30 });
  await stream();
  const exchange = api.journal.exchanges[0];
  const since = (time: number | null | undefined) => (time ?? 0) - (exchange?.at ?? 0);
  expect(since(exchange?.headersAt)).toBeGreaterThanOrEqual(39);
  expect(since(exchange?.startedAt)).toBeGreaterThanOrEqual(119);
  expect(since(exchange?.endedAt)).toBeGreaterThanOrEqual(299);
  expect(since(exchange?.endedAt)).toBeLessThan(600);
});
