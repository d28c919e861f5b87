import Anthropic from '@anthropic-ai/sdk';
import { Agent, EnvHttpProxyAgent, ProxyAgent, fetch as undiciFetch } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { startAnthropic } from './anthropic.ts';
import { createCertificate } from './certificate.ts';
import { startForwardProxy } from './proxy.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const params = { model: 'claude-opus-5-5', max_tokens: 100, messages: [{ role: 'user' as const, content: 'x' }] };

async function start(credentials?: string) {
  const certificate = createCertificate(['api.anthropic.com']);
  const api = await startAnthropic({ certificate, script: [{ answer: { text: 'through the tunnel' } }] });
  const proxy = await startForwardProxy({
    routes: { 'api.anthropic.com:443': api.port },
    ...(credentials === undefined ? {} : { credentials }),
  });
  closing.push(
    () => api.close(),
    () => proxy.close(),
  );
  return { api, proxy, certificate };
}

test('a client that heeds HTTPS_PROXY streams through CONNECT and TLS', async () => {
  const { api, proxy, certificate } = await start();
  const dispatcher = new EnvHttpProxyAgent({ httpsProxy: proxy.url, requestTls: { ca: certificate.pem } });
  closing.push(() => dispatcher.close());
  const client = new Anthropic({
    apiKey: 'sk-ant-test',
    baseURL: 'https://api.anthropic.com',
    maxRetries: 0,
    fetchOptions: { dispatcher },
  });
  const message = await client.messages.stream(params).finalMessage();
  expect(message.content.at(-1)).toMatchObject({ text: 'through the tunnel' });
  expect(proxy.journal).toMatchObject([{ method: 'CONNECT', target: 'api.anthropic.com:443', status: 200 }]);
  expect(proxy.journal[0]?.bytesDown).toBeGreaterThan(500);
  expect(api.journal.prompts()).toHaveLength(1);
});

test('the certificate is trusted by who was given it, and by nobody else', async () => {
  const { api, certificate } = await start();
  const trusting = new Agent({ connect: { ca: certificate.pem } });
  const doubting = new Agent();
  closing.push(
    () => trusting.close(),
    () => doubting.close(),
  );
  const headers = { authorization: 'Bearer sk-ant-test', 'anthropic-version': '2026-10-21' };
  const answer = await undiciFetch(`${api.url}/v1/models`, { dispatcher: trusting, headers });
  expect(answer.status).toBe(200);
  await answer.text();
  await expect(undiciFetch(`${api.url}/v1/models`, { dispatcher: doubting })).rejects.toThrow('fetch failed');
});

test('the proxy asks for credentials and leads nowhere but to loopback', async () => {
  const { api, proxy, certificate } = await start('user:pass');
  const through = async (uri: string, target: string) => {
    const dispatcher = new ProxyAgent({ uri, requestTls: { ca: certificate.pem } });
    closing.push(() => dispatcher.close());
    return undiciFetch(target, { dispatcher });
  };
  const bare = proxy.url.replace('user:pass@', '');
  await expect(through(bare, 'https://api.anthropic.com/v1/models')).rejects.toThrow('fetch failed');
  await expect(through(proxy.url, 'https://example.org/')).rejects.toThrow('fetch failed');
  expect(await through(proxy.url, 'https://api.anthropic.com/nothing')).toMatchObject({ status: 404 });
  expect(api.takeViolations()).toEqual(['#1 GET /nothing: there is no such endpoint']);
  expect(proxy.journal.map(entry => entry.status)).toEqual([407, 403, 200]);
});

test('a plain request is forwarded too', async () => {
  const api = await startAnthropic();
  const proxy = await startForwardProxy();
  const dispatcher = new ProxyAgent({ uri: proxy.url, proxyTunnel: false });
  closing.push(
    () => api.close(),
    () => proxy.close(),
    () => dispatcher.close(),
  );
  const client = new Anthropic({ apiKey: 'sk-ant-test', baseURL: api.url, fetchOptions: { dispatcher } });
  expect((await client.messages.create(params)).stop_reason).toBe('end_turn');
  expect(proxy.journal).toMatchObject([{ method: 'POST', target: `${api.url}/v1/messages`, status: 200 }]);
});
