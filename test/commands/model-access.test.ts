import { describe, expect, it } from 'vitest';
import { whyNoAi } from '../../src/commands/ai-due.ts';
import {
  hasCredential,
  takeActionAccess,
  takeLocalAccess,
  toAiSetup,
  toLocalAiSetup,
  toSecretRegistry,
} from '../../src/commands/model-access.ts';
import { redact } from '../../src/core/secrets.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../src/policy/schema.ts';
import { readInputs } from '../../src/runner/inputs.ts';

const signal = new AbortController().signal;
const policyOf = (text: string) => parsePolicy(new TextEncoder().encode(text));
const BEDROCK = policyOf(
  'ai: { reviewer_model: bedrock/global.anthropic.claude-sonnet-5-5, judge_model: bedrock/global.anthropic.claude-opus-5-5 }\n',
);
const FEDERATION = {
  INPUT_ANTHROPIC_FEDERATION_RULE_ID: 'fdrl_1',
  INPUT_ANTHROPIC_ORGANIZATION_ID: 'org-1',
  INPUT_ANTHROPIC_WORKSPACE_ID: 'ws-1',
  INPUT_ANTHROPIC_SERVICE_ACCOUNT_ID: 'svac-1',
};
const IDENTITY = {
  ACTIONS_ID_TOKEN_REQUEST_URL: 'https://id.example/token?x=1',
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'identity-request-token',
};

/** The access and what is left of the environment. */
function fromAction(env: Record<string, string>) {
  const left = { ...env };
  return { access: takeActionAccess(left, readInputs(left)), left };
}

describe('a local run', () => {
  it('takes keys from variables named like the inputs, and leaves no secret for children', () => {
    const env = {
      ANTHROPIC_API_KEY: ' sk-ant-1234567 ',
      OPENAI_API_KEY: '',
      OPENROUTER_API_KEY: 'or-1234567',
      MODEL_BASE_URL: 'http://127.0.0.1:1',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'aws-secret-value',
      HTTPS_PROXY: 'http://user:proxy-password@proxy:3128',
      ANTHROPIC_CUSTOM_HEADERS: 'x-team: a',
      OPENAI_CUSTOM_HEADERS: 'x-team: a',
      PATH: '/bin',
    };
    const access = takeLocalAccess(env);
    expect(access.credentials).toMatchObject({
      anthropicApiKey: 'sk-ant-1234567',
      openaiApiKey: null,
      openrouterApiKey: 'or-1234567',
      federation: null,
      aws: { region: 'eu-central-1', secretAccessKey: 'aws-secret-value', bearerToken: null },
    });
    expect(access.baseUrl).toBe('http://127.0.0.1:1');
    expect(access.proxies.httpsProxy).toContain('proxy:3128');
    expect(Object.keys(env).sort()).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_REGION',
      'HTTPS_PROXY',
      'MODEL_BASE_URL',
      'PATH',
    ]);
    const shown = redact('sk-ant-1234567 or-1234567 aws-secret-value proxy-password', toSecretRegistry(access));
    expect(shown).not.toMatch(/1234567|secret-value|proxy-password/);
  });

  it.each([
    ['ANTHROPIC_API_KEY', DEFAULT_POLICY],
    ['AWS_REGION', BEDROCK],
    ['OPENAI_API_KEY', policyOf('ai: { reviewer_model: gpt-x, judge_model: gpt-x }\n')],
    ['OPENROUTER_API_KEY', policyOf('ai: { reviewer_model: openrouter/a/b }\n')],
  ])('without a key names %s and ends as something missing', async (variable, policy) => {
    await expect(toLocalAiSetup(takeLocalAccess({}), policy, signal)).rejects.toMatchObject({
      exitStatus: 69,
      message: expect.stringContaining(variable),
    });
  });

  it.each([
    ['', null],
    ['0.5', 500],
    ['60', 60_000],
  ])('waits for a silent server as long as the person says: %j', (CYPHERFIX_MODEL_PATIENCE_S, expected) => {
    expect(takeLocalAccess({ CYPHERFIX_MODEL_PATIENCE_S }).patienceMs).toBe(expected);
  });

  it.each(['soon', '0', '-1', '61', 'Infinity'])('refuses a patience of %j seconds', CYPHERFIX_MODEL_PATIENCE_S => {
    expect(() => takeLocalAccess({ CYPHERFIX_MODEL_PATIENCE_S })).toThrow(/CYPHERFIX_MODEL_PATIENCE_S is '.*up to 60/);
  });

  it('has the full patience in a job, whatever its environment says', () => {
    const env = { CYPHERFIX_MODEL_PATIENCE_S: '1', GITHUB_ACTIONS: 'true' };
    expect(takeLocalAccess({ ...env }).patienceMs).toBeNull();
    expect(fromAction(env).access.patienceMs).toBeNull();
  });

  it('with a key has a model and its prices', async () => {
    const setup = await toLocalAiSetup(takeLocalAccess({ ANTHROPIC_API_KEY: 'sk-ant-1' }), DEFAULT_POLICY, signal);
    expect(setup).toMatchObject({ kind: 'review', title: null });
    if (setup.kind === 'review') expect([...setup.prices.keys()]).toEqual(['claude-sonnet-5-5', 'claude-opus-5-5']);
  });

  it('refuses a model without a price, naming the key of the policy', async () => {
    const policy = policyOf('ai: { reviewer_model: claude-unheard-of-9 }\n');
    const asked = toLocalAiSetup(takeLocalAccess({ ANTHROPIC_API_KEY: 'sk-ant-1' }), policy, signal);
    await expect(asked).rejects.toMatchObject({ exitStatus: 64, hint: expect.stringContaining('ai.prices') });
  });
});

describe("the action's step", () => {
  it('takes every input and leaves none of the keys behind', () => {
    const { access, left } = fromAction({
      INPUT_ANTHROPIC_API_KEY: 'a-key-1',
      INPUT_OPENAI_API_KEY: 'b-key-1',
      INPUT_OPENROUTER_API_KEY: 'c-key-1',
      INPUT_MODEL_BASE_URL: 'https://models.example',
    });
    expect(access).toMatchObject({
      credentials: { anthropicApiKey: 'a-key-1', openaiApiKey: 'b-key-1', openrouterApiKey: 'c-key-1' },
      baseUrl: 'https://models.example',
    });
    expect(left).toEqual({ INPUT_MODEL_BASE_URL: 'https://models.example' });
  });

  it('reads the identity of the job only where federation is configured, and drops it in any case', () => {
    const without = fromAction(IDENTITY);
    expect(without.access.credentials.federation).toBeNull();
    expect(without.left).toEqual({});
    const configured = fromAction({ ...FEDERATION, ...IDENTITY });
    expect(configured.access.credentials.federation).toEqual({
      ruleId: 'fdrl_1',
      organizationId: 'org-1',
      workspaceId: 'ws-1',
      serviceAccountId: 'svac-1',
      audience: 'https://api.anthropic.com',
      requestUrl: IDENTITY.ACTIONS_ID_TOKEN_REQUEST_URL,
      requestToken: IDENTITY.ACTIONS_ID_TOKEN_REQUEST_TOKEN,
    });
    expect(configured.left).toEqual(FEDERATION);
    const own = fromAction({ ...FEDERATION, ...IDENTITY, INPUT_ANTHROPIC_OIDC_AUDIENCE: 'https://own.example' });
    expect(own.access.credentials.federation?.audience).toBe('https://own.example');
  });

  it('says what a federation lacks where the job has no identity', async () => {
    const { access } = fromAction(FEDERATION);
    expect(hasCredential(access, DEFAULT_POLICY)).toBe(true);
    const setup = await toAiSetup(access, DEFAULT_POLICY, { title: null, body: null }, signal);
    expect(setup).toMatchObject({ kind: 'none', reason: expect.stringContaining('id-token: write') });
  });

  it('refuses half a federation', () => {
    expect(() => fromAction({ INPUT_ANTHROPIC_FEDERATION_RULE_ID: 'fdrl_1' })).toThrow('go together');
  });

  it('counts AWS credentials where the policy names Bedrock only', () => {
    const { access } = fromAction({ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
    expect(hasCredential(access, DEFAULT_POLICY)).toBe(false);
    expect(hasCredential(access, BEDROCK)).toBe(true);
    expect(hasCredential(fromAction({}).access, BEDROCK)).toBe(false);
    expect(hasCredential(fromAction({ INPUT_OPENAI_API_KEY: 'k' }).access, DEFAULT_POLICY)).toBe(true);
  });

  it('says which key is missing where another one is there', async () => {
    const { access } = fromAction({ INPUT_OPENAI_API_KEY: 'k' });
    const setup = await toAiSetup(access, DEFAULT_POLICY, { title: 'T', body: '' }, signal);
    expect(setup).toMatchObject({ kind: 'none', reason: expect.stringContaining('anthropic-api-key') });
  });
});

describe('the AI review is due', () => {
  const request = (trigger: string, over: object = {}) => ({
    restricted: false,
    task: 'review' as const,
    request: { kind: 'review' as const, trigger },
    ...over,
  });

  it.each(['pull_request.opened', 'pull_request.ready_for_review', 'issue_comment', 'workflow_dispatch'])(
    'on %s',
    trigger => expect(whyNoAi(request(trigger), DEFAULT_POLICY)).toBeNull(),
  );

  it('on a push only where the policy says so', () => {
    expect(whyNoAi(request('pull_request.synchronize'), DEFAULT_POLICY)).toContain('ai.on_push');
    expect(whyNoAi(request('pull_request.synchronize'), policyOf('ai: { on_push: true }\n'))).toBeNull();
  });

  it('never for a restricted run or a whole tree', () => {
    expect(whyNoAi(request('pull_request.opened', { restricted: true }), DEFAULT_POLICY)).toContain('fork');
    expect(whyNoAi(request('push', { task: 'whole-tree' }), DEFAULT_POLICY)).toContain('no pull request');
  });
});
