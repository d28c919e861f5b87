import { afterEach, describe, expect, test } from 'vitest';
import type { AwsCredential } from '../../src/model/bedrock.ts';
import { NO_CREDENTIALS } from '../../src/model/choose-provider.ts';
import type { FederationSettings } from '../../src/model/federation.ts';
import { forgeIdentityToken } from '../sim-model/anthropic/token.ts';
import { startAnthropic } from '../sim-model/anthropic.ts';
import { startChat } from '../sim-model/chat.ts';
import { startForwardProxy } from '../sim-model/proxy.ts';
import { startLoopback } from '../sim-model/server.ts';
import { connect, KEY, never, READ_FILE, toRequest } from './setup.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
async function open<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  closers.push(() => server.close());
  return server;
}

describe('a proxy', () => {
  const PASSWORD = 'hunter2-hunter2';

  test('carries the calls, with its own credentials, and sees no key', async () => {
    const api = await open(startAnthropic());
    const proxy = await open(startForwardProxy({ credentials: `me:${PASSWORD}` }));
    const { model } = connect(api.url, { proxies: { httpsProxy: null, httpProxy: proxy.url, noProxy: null } });
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
    expect(proxy.journal.map(entry => [entry.method, entry.target])).toEqual([['CONNECT', `127.0.0.1:${api.port}`]]);
    expect(JSON.stringify(proxy.journal)).not.toContain(KEY);
  });

  test('carries https, and its refusal ends the call without a password in the reason', async () => {
    const proxy = await open(startForwardProxy({ credentials: `me:${PASSWORD}` }));
    const { model } = connect(null, { proxies: { httpsProxy: proxy.url, httpProxy: null, noProxy: null } });
    const answer = await model.call(toRequest(), never());
    expect(answer).toMatchObject({ status: 'failed', kind: 'network' });
    expect(JSON.stringify(answer)).not.toContain(PASSWORD);
    expect(proxy.journal[0]).toMatchObject({ method: 'CONNECT', target: 'api.anthropic.com:443' });
  });

  test('is passed by for the hosts of NO_PROXY', async () => {
    const api = await open(startAnthropic());
    const proxy = await open(startForwardProxy());
    const { model } = connect(api.url, { proxies: { httpsProxy: null, httpProxy: proxy.url, noProxy: '127.0.0.1' } });
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
    expect(proxy.journal).toEqual([]);
  });

  test('of the environment is not read behind our back', async () => {
    const api = await open(startAnthropic());
    const proxy = await open(startForwardProxy());
    process.env['HTTP_PROXY'] = proxy.url;
    try {
      expect(await connect(api.url).model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
    } finally {
      delete process.env['HTTP_PROXY'];
    }
    expect(proxy.journal).toEqual([]);
  });
});

test('base URLs and keys of the environment are not read behind our back', async () => {
  const [api, other] = [await open(startAnthropic()), await open(startAnthropic())];
  const foreign = {
    ANTHROPIC_BASE_URL: other.url,
    ANTHROPIC_API_KEY: 'sk-ant-foreign',
    ANTHROPIC_AUTH_TOKEN: 'foreign',
    ANTHROPIC_LOG: 'debug',
  };
  Object.assign(process.env, foreign);
  try {
    expect(await connect(api.url).model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
  } finally {
    for (const name of Object.keys(foreign)) delete process.env[name];
  }
  expect(other.journal.exchanges).toEqual([]);
  expect(api.journal.prompts()).toHaveLength(1);
});

test('what the environment says of Bedrock and OpenAI is not read behind our back', async () => {
  const other = await open(startAnthropic());
  const [bedrock, openai] = [await open(startAnthropic()), await open(startChat({ flavour: 'openai', key: KEY }))];
  const aws = { region: 'eu-west-1', bearerToken: KEY, accessKeyId: null, secretAccessKey: null, sessionToken: null };
  const claude = 'bedrock/global.anthropic.claude-sonnet-5-5-v1:0';
  const foreign = {
    ANTHROPIC_BEDROCK_BASE_URL: other.url,
    AWS_BEARER_TOKEN_BEDROCK: 'foreign',
    AWS_REGION: 'us-east-1',
    OPENAI_BASE_URL: other.url,
    OPENAI_API_KEY: 'foreign',
    OPENAI_ORG_ID: 'foreign',
  };
  Object.assign(process.env, foreign);
  try {
    const credentials = { ...NO_CREDENTIALS, aws, openaiApiKey: KEY };
    const one = connect(bedrock.url, { models: [claude], credentials }).model;
    expect(await one.call(toRequest({ model: claude }), never())).toMatchObject({ status: 'ok' });
    const two = connect(`${openai.url}/v1`, { models: ['gpt-6-sol'], credentials }).model;
    expect(await two.call(toRequest({ model: 'gpt-6-sol' }), never())).toMatchObject({ status: 'ok' });
  } finally {
    for (const name of Object.keys(foreign)) delete process.env[name];
  }
  expect(other.journal.exchanges).toEqual([]);
  expect(openai.journal.prompts()[0]?.headers).not.toHaveProperty('openai-organization');
});

test('is made ready ahead of the first call without a request', async () => {
  const api = await open(startAnthropic());
  const { model } = connect(api.url);
  await model.prepare?.();
  expect(api.journal.exchanges).toEqual([]);
  expect(await model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
  expect(api.journal.prompts()).toHaveLength(1);
});

describe('the identity federation', () => {
  const federation = { ruleId: 'fdrl_1', organizationId: 'org_1', workspaceId: 'wrkspc_1', subject: 'repo:o/r' };

  async function start(claims: Record<string, unknown>, identityStatus = 200, expiresIn = 3_600) {
    const api = await open(startAnthropic({ federation: { ...federation, expiresIn } }));
    const asked: string[] = [];
    const github = await open(
      startLoopback(async (request, response) => {
        asked.push(`${request.url} ${request.headers.authorization}`);
        response.writeHead(identityStatus, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ value: forgeIdentityToken(claims) }));
      }),
    );
    const settings: FederationSettings = {
      ruleId: federation.ruleId,
      organizationId: federation.organizationId,
      workspaceId: federation.workspaceId,
      serviceAccountId: null,
      audience: 'https://api.anthropic.com',
      requestUrl: `${github.url}/token?version=1`,
      requestToken: 'runner-request-token',
    };
    const credentials = { ...NO_CREDENTIALS, federation: settings };
    return { api, asked, ...connect(api.url, { credentials }) };
  }

  test('trades the identity of the workflow for a token, once for all calls', async () => {
    const { api, asked, model } = await start({ sub: 'repo:o/r' });
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
    expect(asked).toEqual(['/token?version=1&audience=https%3A%2F%2Fapi.anthropic.com Bearer runner-request-token']);
    expect(api.journal.of('token')).toHaveLength(1);
  });

  test('is renewed once when a token that served is refused, by calls side by side together', async () => {
    const { api, asked, model } = await start({ sub: 'repo:o/r' });
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
    api.faults.add({ kind: 'status', status: 401, times: 2 });
    const answers = await Promise.all([model.call(toRequest(), never()), model.call(toRequest(), never())]);
    expect(answers.map(answer => answer.status)).toEqual(['ok', 'ok']);
    expect([asked.length, api.journal.of('token').length]).toEqual([2, 2]);
  });

  test('is not renewed within a call for a token that never served', async () => {
    const { api, model } = await start({ sub: 'repo:o/r' });
    api.faults.add({ kind: 'status', status: 401, times: Number.POSITIVE_INFINITY });
    expect(await model.call(toRequest(), never())).toMatchObject({ status: 'failed', kind: 'unauthorized' });
    expect([api.journal.of('token').length, api.journal.prompts().length]).toEqual([1, 1]);
  });

  test('that runs out is renewed before the next call', async () => {
    const { api, model } = await start({ sub: 'repo:o/r' }, 200, 20);
    for (let call = 0; call < 2; call++) {
      expect(await model.call(toRequest(), never())).toMatchObject({ status: 'ok' });
    }
    expect(api.journal.of('token').length).toBeGreaterThan(1);
  });

  test('that is refused is unauthorized, without a token in the reason', async () => {
    const { model } = await start({ sub: 'repo:someone/else' });
    const answer = await model.call(toRequest(), never());
    expect(answer).toMatchObject({ status: 'failed', kind: 'unauthorized' });
    expect(JSON.stringify(answer)).not.toMatch(/eyJ|runner-request-token/);
  });

  test('without an identity token says which step failed', async () => {
    const { model } = await start({}, 403);
    const answer = await model.call(toRequest(), never());
    expect(answer).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('identity token was refused with status 403'),
    });
  });
});

describe('Bedrock', () => {
  const MODEL = 'bedrock/global.anthropic.claude-sonnet-5-5-v1:0';
  const aws: AwsCredential = {
    region: 'eu-west-1',
    bearerToken: null,
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'secret-access-key',
    sessionToken: null,
  };

  async function start(credential: AwsCredential) {
    const api = await open(
      startAnthropic({
        script: [
          { when: { turn: 1 }, answer: { thinking: 'look', calls: [{ name: 'read_file', input: { path: 'a' } }] } },
        ],
      }),
    );
    return { api, ...connect(api.url, { models: [MODEL], credentials: { ...NO_CREDENTIALS, aws: credential } }) };
  }

  test('is asked by the same protocol, signed and in its own frames', async () => {
    const { api, model } = await start(aws);
    const answer = await model.call(toRequest({ model: MODEL, tools: [READ_FILE] }), never());
    expect(answer).toMatchObject({ status: 'ok', toolCalls: [{ name: 'read_file' }] });
    expect(answer.usage.inputTokens).toBeGreaterThan(0);
    const [exchange] = api.journal.prompts();
    expect(exchange?.headers['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-west-1\/bedrock/,
    );
    expect(decodeURIComponent(exchange?.path ?? '')).toBe(
      '/model/global.anthropic.claude-sonnet-5-5-v1:0/invoke-with-response-stream',
    );
  });

  test('takes a key of its own', async () => {
    const { api, model } = await start({ ...aws, bearerToken: KEY });
    expect(await model.call(toRequest({ model: MODEL, tools: [READ_FILE] }), never())).toMatchObject({ status: 'ok' });
    expect(api.journal.prompts()[0]?.headers['authorization']).toBe(`Bearer ${KEY}`);
  });

  test('fails like the others', async () => {
    const { api, model, slept } = await start(aws);
    api.faults.add({ kind: 'status', status: 403 });
    expect(await model.call(toRequest({ model: MODEL }), never())).toMatchObject({
      status: 'failed',
      kind: 'forbidden',
    });
    expect(slept).toEqual([]);
  });
});
