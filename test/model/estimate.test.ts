import { describe, expect, test } from 'vitest';
import { requiresAll, toProviderSchema } from '../../src/model/answer-schema.ts';
import { estimateRequestTokens, estimateTokens } from '../../src/model/estimate.ts';
import { readRetryAfter } from '../../src/model/failure.ts';
import { READ_FILE, toRequest } from './setup.ts';

describe('an estimate', () => {
  test.each([
    ['', 0],
    ['word', 2],
    ['WORD', 4],
    ['12345', 5],
    ['a          b', 2],
    ['\n\t\n\t', 4],
    ['é', 2],
    ['漢', 3],
    ['🎉', 6],
  ])('of %o is %i tokens', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  test('of code is more than a token for every two and a half bytes, less than one for every one and a half', () => {
    const code =
      `${JSON.stringify(READ_FILE, null, 2)}\nfunction readFile(path) { return open(path).read(); }\n`.repeat(20);
    expect(estimateTokens(code)).toBeGreaterThan(code.length / 2.5);
    expect(estimateTokens(code)).toBeLessThan(code.length / 1.25);
  });

  test('of a request counts system, tools, schema and every turn', () => {
    const base = estimateRequestTokens(toRequest());
    expect(estimateRequestTokens(toRequest({ tools: [READ_FILE] }))).toBeGreaterThan(base + 50);
    expect(estimateRequestTokens(toRequest({ answerSchema: null }))).toBeLessThan(base - 50);
    const results = [{ id: 'a', text: 'X'.repeat(100), isError: false }];
    const turns = [...toRequest().turns, { role: 'tool' as const, results }];
    expect(estimateRequestTokens(toRequest({ turns }))).toBeGreaterThanOrEqual(base + 100);
  });
});

describe('the schema for providers', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: '^a', minLength: 1, description: 'kept' },
      list: {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'number', minimum: 0 } }, required: ['n'] },
      },
      kind: { oneOf: [{ const: 'a' }, { type: 'null' }] },
    },
    required: ['pattern', 'list', 'kind'],
  };

  test('keeps the shape, closes objects and leaves bounds to our own check', () => {
    expect(toProviderSchema(schema)).toEqual({
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'kept' },
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: { n: { type: 'number' } },
            required: ['n'],
            additionalProperties: false,
          },
        },
        kind: { anyOf: [{ const: 'a' }, { type: 'null' }] },
      },
      required: ['pattern', 'list', 'kind'],
      additionalProperties: false,
    });
  });

  test('is strict only when every property is required, however deep', () => {
    expect(requiresAll(schema)).toBe(true);
    expect(requiresAll({ ...schema, required: ['pattern'] })).toBe(false);
    const deep = { type: 'array', items: { type: 'object', properties: { a: {} }, required: [] } };
    expect(requiresAll({ type: 'object', properties: { deep }, required: ['deep'] })).toBe(false);
  });
});

test.each([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:10 GMT' }, 10_000],
  [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after': 'soon' }, null],
  [{}, null],
])('%o asks for %o ms', (headers, wait) => {
  expect(readRetryAfter(new Headers(headers), Date.parse('2026-11-30T12:00:00Z'))).toBe(wait);
});
