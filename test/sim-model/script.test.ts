import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { type AnthropicOptions, startAnthropic } from './anthropic.ts';
import { toEmptiest } from './neutral-answer.ts';
import type { Simulator } from './site.ts';

let api: Simulator | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(options: AnthropicOptions) {
  api = await startAnthropic(options);
  const client = new Anthropic({ apiKey: 'sk-ant-test', baseURL: api.url, maxRetries: 0 });
  const say = async (content: string, model = 'claude-opus-5-5') => {
    const message = await client.messages.create({ model, max_tokens: 500, messages: [{ role: 'user', content }] });
    const block = message.content.at(-1);
    return block?.type === 'text' ? block.text : block?.type;
  };
  return { api, say };
}

test('the first rule that fits answers, as often as it may', async () => {
  const { say, api } = await start({
    roles: { security: 'SECURITY', judge: /^You judge/m },
    script: [
      { when: { role: 'security' }, times: 1, answer: { text: 'one' } },
      { when: { role: ['security', 'judge'], model: /opus/ }, answer: { text: 'two' } },
      { when: { prompt: [/red/g, 'green'] }, answer: exchange => ({ text: `turn ${exchange.seen?.turn}` }) },
    ],
  });
  expect(await say('SECURITY')).toBe('one');
  expect(await say('SECURITY')).toBe('two');
  expect(await say('You judge.')).toBe('two');
  expect(await say('You judge.', 'claude-sonnet-5-5')).toBe('Nothing to report.');
  expect(await say('red and green')).toBe('turn 1');
  expect(await say('green and red')).toBe('turn 1');
  expect(await say('red')).toBe('Nothing to report.');
  expect(api.journal.prompts('judge').map(exchange => exchange.rule)).toEqual(['rule 2', 'neutral']);
});

test('rules can be added between requests, and what a requirement lacks is in the journal', async () => {
  const { say, api } = await start({ neutral: () => ({ text: 'fine' }) });
  expect(await say('x')).toBe('fine');
  api.rules.push({ name: 'planted', requires: { prompt: 'eval(input)' }, answer: { text: 'found' } });
  expect(await say('nothing')).toBe('fine');
  expect(await say('a = eval(input)')).toBe('found');
  expect(api.journal.prompts().map(exchange => exchange.rule)).toEqual([
    'neutral',
    'neutral (planted lacks prompt eval(input))',
    'planted',
  ]);
});

describe('the emptiest value of a schema', () => {
  const object = (properties: object, required: string[]) => ({ type: 'object', properties, required });
  test.each<[Record<string, unknown>, unknown]>([
    [object({ a: { type: 'array', items: {} }, b: { type: 'string' } }, ['a']), { a: [] }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null],
    [{ type: ['string', 'null'] }, null],
    [{ enum: ['keep', 'drop'] }, 'keep'],
    [{ const: 7 }, 7],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 1 }, [false]],
    [{ type: 'number', minimum: 0.5 }, 0.5],
    [{ $ref: '#/$defs/score', $defs: { score: { type: 'integer' } } }, 0],
  ])('%j', (schema, value) => {
    expect(toEmptiest(schema, schema, 0)).toEqual(value);
  });

  test('of a schema without end is refused', () => {
    const endless = { $ref: '#/$defs/node', $defs: { node: object({ next: { $ref: '#/$defs/node' } }, ['next']) } };
    expect(() => toEmptiest(endless, endless, 0)).toThrow(/no finite/);
  });
});
