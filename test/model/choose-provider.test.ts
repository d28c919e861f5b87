import { describe, expect, test } from 'vitest';
import { parseBaseUrl, withoutVersion } from '../../src/model/base-url.ts';
import { chooseProvider, missingCredential, NO_CREDENTIALS } from '../../src/model/choose-provider.ts';
import { createModel, type ModelOptions } from '../../src/model/create-model.ts';
import { NO_PROXIES } from '../../src/model/dispatcher.ts';
import { toRequest } from './setup.ts';

test.each([
  ['claude-sonnet-5-5', 'anthropic'],
  ['bedrock/anthropic.claude-sonnet-5-5', 'bedrock'],
  ['openrouter/anthropic/claude-sonnet-5.5', 'openrouter'],
  ['openai_compat/qwen', 'openai_compat'],
  ['gpt-6-sol', 'openai'],
  ['o3', 'openai'],
])('%s is of %s', (model, provider) => {
  expect(chooseProvider(model)).toBe(provider);
});

test.each(['', 'bedrock/', 'openrouter', 'two words'])("'%s' is no model", model => {
  expect(() => chooseProvider(model)).toThrow(/no model id/);
});

const create = (changes: Partial<ModelOptions>) =>
  createModel({
    models: ['claude-sonnet-5-5', 'claude-opus-5-5'],
    credentials: NO_CREDENTIALS,
    baseUrl: null,
    proxies: NO_PROXIES,
    lifetime: new AbortController().signal,
    ...changes,
  });

describe('without a key', () => {
  test('there is no model, and the reason names the input', () => {
    expect(create({})).toEqual({ status: 'skipped', reason: expect.stringContaining('anthropic-api-key') });
    expect(create({ models: ['gpt-6-sol'] })).toMatchObject({ reason: expect.stringContaining('openai-api-key') });
    expect(create({ models: ['openrouter/x/y'] })).toMatchObject({
      reason: expect.stringContaining('openrouter-api-key'),
    });
    expect(create({ models: ['bedrock/x'] })).toMatchObject({ reason: expect.stringContaining('AWS') });
  });

  test('for one of the models there is none either', () => {
    const credentials = { ...NO_CREDENTIALS, anthropicApiKey: 'sk-ant-test' };
    expect(create({ credentials, models: ['claude-opus-5-5', 'gpt-6-sol'] }).status).toBe('skipped');
    expect(create({ credentials }).status).toBe('ok');
  });

  test('half of an AWS key is none', () => {
    const aws = {
      region: 'us-east-1',
      bearerToken: null,
      accessKeyId: 'AKIA',
      secretAccessKey: null,
      sessionToken: null,
    };
    expect(missingCredential('bedrock', { ...NO_CREDENTIALS, aws })).toContain('AWS');
  });
});

describe('the base URL', () => {
  test('serves one provider', () => {
    const models = ['claude-opus-5-5', 'openai_compat/x'];
    expect(() => create({ models, baseUrl: 'https://proxy.example' })).toThrow(
      /two providers \(anthropic and openai_compat\)/,
    );
    expect(() => create({ models: ['openai_compat/x'] })).toThrow(/needs the input model-base-url/);
  });

  test.each([
    'http://example.com',
    'ftp://example.com',
    'nonsense',
    'https://user:password@example.com',
    'https://a.b/?k=1',
  ])('%s is refused without being repeated', value => {
    expect(() => parseBaseUrl(value)).toThrow(/^input model-base-url (?!.*password@)/);
  });

  test.each([
    ['https://example.com/', 'https://example.com'],
    ['https://example.com/v1/', 'https://example.com/v1'],
    ['http://127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1'],
    ['http://[::1]:1', 'http://[::1]:1'],
    ['http://localhost:1', 'http://localhost:1'],
  ])('%s is taken', (value, url) => {
    expect(parseBaseUrl(value)).toBe(url);
  });

  test('ends before the version that the SDK of Anthropic appends', () => {
    expect(withoutVersion('https://example.com/anthropic/v1')).toBe('https://example.com/anthropic');
  });
});

test('a model that the run was not set up for is not called', async () => {
  const outcome = create({ credentials: { ...NO_CREDENTIALS, anthropicApiKey: 'sk-ant-test' } });
  if (outcome.status !== 'ok') throw new Error('no model');
  const call = outcome.value.call(toRequest({ model: 'gpt-6-sol' }), new AbortController().signal);
  await expect(call).rejects.toThrow(/not among those/);
});
