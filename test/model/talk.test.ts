import { expect, test } from 'vitest';
import { z } from 'zod';
import { createBudget } from '../../src/model/budget.ts';
import { runConversation } from '../../src/model/conversation.ts';
import type { Model } from '../../src/model/model.ts';
import { findPrices } from '../../src/model/prices.ts';
import { type Exchange, recordingModel, replayModel } from '../../src/model/record.ts';
import { listSources, readImports } from '../imports.ts';
import { startAnthropic } from '../sim-model/anthropic.ts';
import { connect, NOTES_SCHEMA, never, READ_FILE, SONNET } from './setup.ts';

const FILE = 'export const limit = 10; // a line of the file\n'.repeat(150);

const createTestBudget = (totalUsd: number) =>
  createBudget({
    totalUsd,
    shares: [{ roles: ['security'], share: 1 }],
    maxCalls: 20,
    deadline: Date.now() + 60_000,
    now: Date.now,
    prices: findPrices([SONNET], {}),
  });

const talk = (model: Model, budget = createTestBudget(1)) =>
  runConversation({
    model,
    budget,
    request: {
      model: SONNET,
      role: 'security',
      system: [{ text: 'You review code. '.repeat(400), cache: true }],
      tools: [READ_FILE],
      answerSchema: NOTES_SCHEMA,
      effort: 'medium',
    },
    turns: [{ role: 'user', parts: [{ text: 'Review the change.' }] }],
    runTool: { run: async () => FILE },
    parse: z.strictObject({ notes: z.array(z.string()) }).parse,
    maxCalls: 4,
    signal: never(),
  });

const reads = { thinking: 'let me look', calls: [{ name: 'read_file', input: { path: 'a.ts' } }] };
const SCRIPT = [
  { when: { tools: 'allowed' as const }, answer: reads },
  {
    when: { tools: 'forbidden' as const },
    requires: { results: [{ tool: 'read_file', text: 'limit = 10' }] },
    answer: { json: { notes: ['seen'] } },
  },
];

test('a conversation with the real SDK keeps its thinking, reads its own past from the cache and ends in an answer', async () => {
  const api = await startAnthropic({ script: SCRIPT });
  const budget = createTestBudget(1);
  expect(await talk(connect(api.url).model, budget)).toEqual({
    status: 'ok',
    value: { notes: ['seen'] },
    calls: 4,
    budgetLimited: false,
  });
  const [, second, third] = api.journal.prompts();
  // The second call writes its tool result behind the system's part, the third reads both.
  expect(second?.usage?.cacheWrite).toBeGreaterThan(1_024);
  expect(third?.usage?.cacheRead).toBe((second?.usage?.cacheRead ?? 0) + (second?.usage?.cacheWrite ?? 0));
  const cost = budget.toCost();
  const billed = api.journal.prompts().map(({ usage }) => usage);
  expect(cost.outputTokens).toBe(billed.reduce((sum, usage) => sum + (usage?.output ?? 0), 0));
  expect(cost.byRole[0]?.cacheReadTokens).toBe(billed.reduce((sum, usage) => sum + (usage?.cacheRead ?? 0), 0));
  expect(cost.usd).toBeGreaterThan(0);
  await api.close();
});

test('our estimate of a prompt is never below what is billed for it', async () => {
  const api = await startAnthropic({ script: SCRIPT });
  const budget = createTestBudget(1);
  const reserved: number[] = [];
  const watching = {
    ...budget,
    reserve: (ask: Parameters<typeof budget.reserve>[0]) => {
      reserved.push(ask.inputTokens);
      return budget.reserve(ask);
    },
  };
  await talk(connect(api.url).model, watching);
  const billed = api.journal
    .prompts()
    .map(({ usage }) => (usage?.input ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0));
  expect(billed).toHaveLength(reserved.length);
  for (const [index, tokens] of billed.entries()) expect(tokens).toBeLessThanOrEqual(reserved[index] ?? 0);
  await api.close();
});

test('a recorded conversation replays to the same result without a server, and a changed answer changes it', async () => {
  const api = await startAnthropic({ script: SCRIPT });
  const exchanges: Exchange[] = [];
  const first = createTestBudget(1);
  const result = await talk(
    recordingModel(connect(api.url).model, exchange => exchanges.push(exchange)),
    first,
  );
  await api.close();
  const replayed = createTestBudget(1);
  expect(await talk(replayModel(exchanges), replayed)).toEqual(result);
  expect(replayed.toCost()).toEqual(first.toCost());
  const changed = exchanges.map((exchange, index) =>
    index === 3 && exchange.answer.status === 'ok'
      ? { ...exchange, answer: { ...exchange.answer, text: '{"notes":["other"]}' } }
      : exchange,
  );
  expect(await talk(replayModel(changed))).toMatchObject({ value: { notes: ['other'] } });
  const early = exchanges.map((exchange, index) =>
    index === 0 && exchange.answer.status === 'ok'
      ? { ...exchange, answer: { ...exchange.answer, text: 'said otherwise' } }
      : exchange,
  );
  await expect(talk(replayModel(early))).rejects.toThrow(/turn 1 of the role 'security' differs/);
});

test('the SDKs and undici are loaded by a call or ahead of it on demand, never with the program', () => {
  const vendors = /^(?:@anthropic-ai\/|openai$|undici$)/;
  const loads = listSources()
    .filter(path => path.startsWith('model/'))
    .flatMap(readImports)
    .filter(found => vendors.test(found.to) && !found.typeOnly);
  expect(loads.filter(found => !found.dynamic)).toEqual([]);
  expect([...new Set(loads.map(found => `${found.from} ${found.to}`))].sort()).toEqual([
    'model/anthropic.ts @anthropic-ai/sdk',
    'model/bedrock.ts @anthropic-ai/bedrock-sdk',
    'model/dispatcher.ts undici',
    'model/openai.ts openai',
  ]);
});
