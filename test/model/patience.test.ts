import { afterEach, describe, expect, test } from 'vitest';
import { NO_CREDENTIALS } from '../../src/model/choose-provider.ts';
import type { ModelOptions } from '../../src/model/create-model.ts';
import { waitFor } from '../../src/model/wait.ts';
import { type AnthropicOptions, startAnthropic } from '../sim-model/anthropic.ts';
import { startLoopback } from '../sim-model/server.ts';
import type { Simulator } from '../sim-model/site.ts';
import { connect, never, toRequest } from './setup.ts';

/** Long enough that a busy machine is not taken for a silent server. */
const LIMITS = { headersMs: 2_000, idleMs: 2_000 };

let api: Simulator | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(options: AnthropicOptions = {}, changes: Partial<ModelOptions> = {}) {
  api = await startAnthropic({ script: [{ answer: { json: { notes: ['x'.repeat(400)] } } }], ...options });
  return { api, ...connect(api.url, { limits: LIMITS, ...changes }) };
}

describe('a server that falls silent', () => {
  test('in the middle of an answer is left after the idle limit, and billed', async () => {
    const { api, model } = await start();
    api.faults.add({ kind: 'stall', at: 'body' });
    const answer = await model.call(toRequest(), never());
    expect(answer).toMatchObject({ status: 'failed', kind: 'stalled' });
    expect(answer.status === 'failed' && answer.reason).toContain('no byte for 2 s');
    expect(answer.usage.inputTokens).toBeGreaterThan(0);
    expect(api.journal.prompts()).toHaveLength(1);
  });

  test('before its headers is asked once more', async () => {
    const { api, model, slept } = await start();
    api.faults.add({ kind: 'stall', at: 'headers' });
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
    expect(slept).toHaveLength(1);
  });

  test('but sends pings is waited for', async () => {
    const { model } = await start({ pingEveryMs: 60, pace: { firstByteAfterMs: 0, totalMs: 5_000 } });
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
  });

  test('is left at the deadline, with what it showed', async () => {
    const { api, model } = await start({}, { limits: { headersMs: 30_000, idleMs: 30_000 } });
    api.faults.add({ kind: 'stall', at: 'body' });
    const answer = await model.call(toRequest({ deadline: Date.now() + 1_500 }), never());
    expect(answer).toMatchObject({ status: 'failed', kind: 'deadline' });
    expect(answer.usage.inputTokens).toBeGreaterThan(0);
  });
});

describe('an abort settles at once', () => {
  const patient = { limits: { headersMs: 30_000, idleMs: 30_000 }, retry: { sleep: waitFor, random: () => 1 } };

  test.each([
    ['without headers', { kind: 'stall', at: 'headers' }],
    ['in a stalled body', { kind: 'stall', at: 'body' }],
    ['in the sleep before a retry', { kind: 'status', status: 429, retryAfter: 50 }],
  ] as const)('%s', async (_, fault) => {
    const { api, model } = await start({}, patient);
    api.faults.add(fault);
    const ending = new AbortController();
    const call = model.call(toRequest(), ending.signal);
    await waitFor(400, never());
    const from = performance.now();
    ending.abort(new Error('interrupted'));
    await expect(call).rejects.toThrow('interrupted');
    expect(performance.now() - from).toBeLessThan(2_000);
  });

  test('in the exchange of tokens', async () => {
    const silent = await startLoopback(() => new Promise(() => {}));
    const { model } = connect(silent.url, {
      ...patient,
      credentials: {
        ...NO_CREDENTIALS,
        federation: {
          ruleId: 'fdrl_1',
          organizationId: 'org_1',
          workspaceId: null,
          serviceAccountId: null,
          audience: 'https://api.anthropic.com',
          requestUrl: `${silent.url}/identity?a=1`,
          requestToken: 'request-token',
        },
      },
    });
    const ending = new AbortController();
    const call = model.call(toRequest(), ending.signal);
    await waitFor(400, never());
    const from = performance.now();
    ending.abort(new Error('interrupted'));
    await expect(call).rejects.toThrow('interrupted');
    expect(performance.now() - from).toBeLessThan(2_000);
    await silent.close();
  });

  test('before the call, nothing is sent', async () => {
    const { api, model } = await start();
    await expect(model.call(toRequest(), AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted');
    expect(api.journal.exchanges).toEqual([]);
  });
});
