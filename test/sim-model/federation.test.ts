import Anthropic from '@anthropic-ai/sdk';
import { oidcFederationProvider } from '@anthropic-ai/sdk/lib/credentials/oidc-federation';
import { afterEach, expect, test } from 'vitest';
import { forgeIdentityToken } from './anthropic/token.ts';
import { startAnthropic } from './anthropic.ts';
import type { Simulator } from './site.ts';

const federation = { ruleId: 'fdrl_1', organizationId: 'org_1', subject: 'repo:owner/name:ref:refs/heads/main' };
const params = { model: 'claude-opus-5-5', max_tokens: 100, messages: [{ role: 'user' as const, content: 'x' }] };

let api: Simulator | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(claims: Record<string, unknown>, ruleId = 'fdrl_1') {
  api = await startAnthropic({ federation });
  const credentials = oidcFederationProvider({
    baseURL: api.url,
    federationRuleId: ruleId,
    organizationId: 'org_1',
    identityTokenProvider: async () => forgeIdentityToken(claims),
    fetch,
  });
  const client = new Anthropic({ baseURL: api.url, credentials, maxRetries: 0 });
  return { api, client };
}

test('an identity token is exchanged once, and its access token lets the calls in', async () => {
  const { api, client } = await start({ sub: federation.subject });
  await client.messages.create(params);
  await client.messages.create(params);
  expect(api.journal.of('token')).toHaveLength(1);
  const bearers = new Set(api.journal.prompts().map(exchange => exchange.headers['authorization']));
  expect([...bearers]).toEqual([expect.stringMatching(/^Bearer sk-ant-oat01-/)]);
});

test.each<[string, Record<string, unknown>, string]>([
  ['wrong subject', { sub: 'repo:other/name:pull_request' }, 'fdrl_1'],
  ['wrong audience', { sub: federation.subject, aud: 'sts.example' }, 'fdrl_1'],
  ['unknown federation rule', { sub: federation.subject }, 'fdrl_2'],
])('%s is not let in', async (reason, claims, ruleId) => {
  const { client } = await start(claims, ruleId);
  await expect(client.messages.create(params)).rejects.toThrow(reason);
});

test('the exchange has faults of its own', async () => {
  const { api, client } = await start({ sub: federation.subject });
  api.faults.add({ when: { operation: 'token' }, kind: 'status', status: 500 });
  await expect(client.messages.create(params)).rejects.toThrow(/status 500/);
  expect(api.journal.prompts()).toEqual([]);
  await client.messages.create(params);
});
