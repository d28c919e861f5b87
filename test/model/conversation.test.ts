import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Budget, createBudget } from '../../src/model/budget.ts';
import { runConversation } from '../../src/model/conversation.ts';
import type { Model, ModelAnswer, ModelRequest, Usage } from '../../src/model/model.ts';
import { findPrices } from '../../src/model/prices.ts';
import type { ToolRunner } from '../../src/model/tool-results.ts';
import { NOTES_SCHEMA, never, READ_FILE, SONNET } from './setup.ts';

const Notes = z.strictObject({ notes: z.array(z.string().max(5)) });
const USAGE: Usage = { inputTokens: 1_000, outputTokens: 50, cacheReadTokens: 0, cacheWriteTokens: 0 };

type Step = Partial<Extract<ModelAnswer, { status: 'ok' }>> | Extract<ModelAnswer, { status: 'failed' }>;

/** A model that answers step by step and keeps what it was asked. */
function scripted(steps: readonly Step[]): { model: Model; asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    asked,
    model: {
      async call(request, signal) {
        signal.throwIfAborted();
        asked.push(structuredClone(request));
        const step = steps[asked.length - 1] ?? {};
        if (step.status === 'failed') return step;
        return {
          status: 'ok',
          text: '{"notes":[]}',
          toolCalls: [],
          echo: [`turn ${asked.length}`],
          usage: USAGE,
          ...step,
        };
      },
    },
  };
}

const createTestBudget = (totalUsd = 10, changes: Partial<Parameters<typeof createBudget>[0]> = {}): Budget =>
  createBudget({
    totalUsd,
    shares: [{ roles: ['security'], share: 1 }],
    maxCalls: 100,
    deadline: 1_000_000,
    now: () => 0,
    prices: findPrices([SONNET], {}),
    ...changes,
  });

const reading = (...paths: string[]): Step => ({
  toolCalls: paths.map((path, index) => ({ id: `call-${index}`, name: 'read_file', input: { path } })),
});

const runner = (text: string | Error): ToolRunner => ({
  run: async () => {
    if (text instanceof Error) throw text;
    return text;
  },
});

function converse(
  steps: readonly Step[],
  options: {
    budget?: Budget;
    runTool?: ToolRunner | null;
    maxCalls?: number;
    signal?: AbortSignal;
    deadline?: number;
  } = {},
) {
  const { model, asked } = scripted(steps);
  const result = runConversation({
    model,
    budget: options.budget ?? createTestBudget(),
    request: {
      model: SONNET,
      role: 'security',
      system: [{ text: 'You review.' }],
      tools: options.runTool === null ? [] : [READ_FILE],
      answerSchema: NOTES_SCHEMA,
      effort: 'medium',
    },
    turns: [{ role: 'user', parts: [{ text: 'Review.' }] }],
    runTool: options.runTool === undefined ? runner('content') : options.runTool,
    parse: Notes.parse,
    maxCalls: options.maxCalls ?? 12,
    ...(options.deadline === undefined ? {} : { deadline: options.deadline }),
    signal: options.signal ?? never(),
  });
  return { result, asked };
}

const lastTurn = (request: ModelRequest | undefined) => request?.turns.at(-1);

describe('a conversation', () => {
  test('runs the tools that are asked for and ends with the checked answer', async () => {
    const { result, asked } = converse([reading('a.ts', 'b.ts'), { text: '{"notes":["bad"]}' }]);
    expect(await result).toEqual({ status: 'ok', value: { notes: ['bad'] }, calls: 2, budgetLimited: false });
    expect(asked.map(request => request.toolChoice)).toEqual(['auto', 'auto']);
    expect(asked[1]?.turns[1]).toMatchObject({ role: 'assistant', echo: ['turn 1'] });
    expect(lastTurn(asked[1])).toEqual({
      role: 'tool',
      results: ['call-0', 'call-1'].map(id => ({ id, text: 'content', isError: false })),
    });
  });

  test('ends with a call without tools, which is told why', async () => {
    const { result, asked } = converse([reading('a'), reading('b'), {}], { maxCalls: 3 });
    expect(await result).toMatchObject({ status: 'ok', calls: 3, budgetLimited: false });
    expect(asked.map(request => request.toolChoice)).toEqual(['auto', 'auto', 'none']);
    expect(JSON.stringify(lastTurn(asked[2]))).toContain('Stop investigating now: the number of calls');
    expect(asked[2]?.tools).toEqual([READ_FILE]);
  });

  test('without tools is one call, without a note', async () => {
    const { result, asked } = converse([{}], { runTool: null });
    expect(await result).toMatchObject({ status: 'ok', calls: 1 });
    expect(asked[0]?.toolChoice).toBe('none');
    expect(asked[0]?.turns).toHaveLength(1);
  });

  test('never runs a tool where none is allowed', async () => {
    let runs = 0;
    const runTool = { run: async () => `${++runs}` };
    const { result } = converse([reading('a')], { maxCalls: 1, runTool });
    expect(await result).toMatchObject({ status: 'failed', kind: 'malformed', calls: 1 });
    expect(runs).toBe(0);
  });
});

describe('a tool result', () => {
  const textOf = async (runTool: ToolRunner) => {
    const { result, asked } = converse([reading('a'), {}], { runTool });
    await result;
    const turn = lastTurn(asked[1]);
    return turn?.role === 'tool' ? turn.results[0] : undefined;
  };

  test('is cut at 12,000 characters and says how much', async () => {
    const cut = await textOf(runner(`${'x'.repeat(11_999)}🎉${'y'.repeat(3_000)}`));
    expect(cut?.text).toBe(`${'x'.repeat(11_999)}\n… (cut: 3002 of 15001 characters are not shown)`);
    expect((await textOf(runner('x'.repeat(12_000))))?.text).toHaveLength(12_000);
  });

  test('is an error when the tool throws', async () => {
    expect(await textOf(runner(new Error('no such\nfile')))).toEqual({
      id: 'call-0',
      text: 'error: no such file',
      isError: true,
    });
  });

  test('is dressed after it was cut', async () => {
    const wrap = (text: string) => `<<${text}>>`;
    const shown = await textOf({ ...runner('x'.repeat(13_000)), wrap });
    expect(shown?.text).toMatch(/^<<x+\n….*>>$/);
  });

  test('of the seventeenth call of a turn is refused', async () => {
    const { result, asked } = converse([reading(...Array.from({ length: 17 }, (_, index) => `${index}`)), {}]);
    await result;
    const turn = lastTurn(asked[1]);
    const texts = turn?.role === 'tool' ? turn.results.map(({ text }) => text) : [];
    expect(texts.slice(15)).toEqual(['content', 'error: at most 16 tool calls a turn are run']);
  });
});

describe('an answer', () => {
  test.each([
    ['not json', /no JSON/],
    ['', /empty/],
    ['{"notes":[1]}', /notes\.0: /],
    ['{"notes":["much too long"]}', /notes\.0: /],
    ['{"notes":[],"more":1}', /does not fit its schema/],
  ])('%s is malformed, without a second try', async (text, reason) => {
    const { result, asked } = converse([{ text }]);
    expect(await result).toMatchObject({ status: 'failed', kind: 'malformed', reason: expect.stringMatching(reason) });
    expect(asked).toHaveLength(1);
  });

  test('may stand in a fence', async () => {
    const { result } = converse([{ text: '```json\n{"notes":["ok"]}\n```' }]);
    expect(await result).toMatchObject({ value: { notes: ['ok'] } });
  });

  test('that failed ends the conversation with its reason and is billed', async () => {
    const budget = createTestBudget();
    const { result } = converse([{ status: 'failed', kind: 'refused', reason: 'no', usage: USAGE }], { budget });
    expect(await result).toEqual({ status: 'failed', kind: 'refused', reason: 'no', calls: 1, budgetLimited: false });
    expect(budget.toCost()).toMatchObject({ calls: 1, inputTokens: 1_000, usd: 0.0025 });
  });
});

describe('the budget', () => {
  test('that allows no call makes none', async () => {
    const { result, asked } = converse([{}], { budget: createTestBudget(0.01) });
    expect(await result).toMatchObject({ status: 'failed', kind: 'budget', calls: 0, budgetLimited: true });
    expect(await result).toMatchObject({
      reason: expect.stringMatching(/not allow a single call: a prompt of up to \d+/),
    });
    expect(asked).toEqual([]);
  });

  test('that allows one call only makes it the closing one', async () => {
    const { result, asked } = converse([{}], { budget: createTestBudget(0.03) });
    expect(await result).toMatchObject({ status: 'ok', calls: 1, budgetLimited: true });
    expect(asked[0]).toMatchObject({ toolChoice: 'none' });
    expect(JSON.stringify(lastTurn(asked[0]))).toContain('the budget does not allow another call');
    expect(asked[0]?.maxTokens).toBeLessThan(3_000);
  });

  test('keeps enough for an answer, whatever the tools say', async () => {
    for (let cents = 4; cents < 40; cents++) {
      const budget = createTestBudget(cents / 100);
      const greedy = Array.from({ length: 20 }, () => reading('a', 'b', 'c', 'd'));
      const closing = scripted([]);
      let calls = 0;
      const model: Model = {
        async call(request, signal) {
          calls++;
          // The model takes all the output that it may.
          const usage = { ...USAGE, inputTokens: 600 * calls, outputTokens: request.maxTokens };
          if (request.toolChoice === 'none') return { ...(await closing.model.call(request, signal)), usage };
          return { status: 'ok', text: '', toolCalls: [], echo: null, ...greedy[0], usage } as ModelAnswer;
        },
      };
      const result = await runConversation({
        model,
        budget,
        request: {
          model: SONNET,
          role: 'security',
          system: [],
          tools: [READ_FILE],
          answerSchema: NOTES_SCHEMA,
          effort: 'low',
        },
        turns: [{ role: 'user', parts: [{ text: 'Review.' }] }],
        runTool: runner('{'.repeat(20_000)),
        parse: Notes.parse,
        maxCalls: 50,
        signal: never(),
      });
      expect(result, `${cents} cents`).toMatchObject({ status: 'ok' });
      expect(budget.spentUsd()).toBeLessThanOrEqual(cents / 100);
    }
  });

  test('of time closes the conversation before it runs out', async () => {
    let now = 0;
    const budget = createTestBudget(10, { now: () => now, deadline: 100_000 });
    const runTool = {
      run: async () => {
        now += 60_000;
        return 'slow';
      },
    };
    const { result, asked } = converse([reading('a'), {}], { budget, runTool });
    expect(await result).toMatchObject({ status: 'ok', calls: 2, budgetLimited: true });
    expect(asked.map(request => request.toolChoice)).toEqual(['auto', 'none']);
    expect(asked[0]?.deadline).toBe(100_000);
  });

  test('of time may be shorter for one conversation', async () => {
    const { result, asked } = converse([{}], { deadline: 10_000 });
    expect(await result).toMatchObject({ status: 'ok', budgetLimited: true });
    expect(asked[0]).toMatchObject({ toolChoice: 'none', deadline: 10_000 });
    const late = converse([{}], { deadline: 0 });
    expect(await late.result).toMatchObject({ kind: 'budget', reason: 'the time limit was reached', calls: 0 });
  });

  test('of time that has run out makes no call', async () => {
    const { result } = converse([{}], { budget: createTestBudget(10, { now: () => 2_000_000 }) });
    expect(await result).toMatchObject({ kind: 'budget', reason: 'the time limit was reached', calls: 0 });
  });
});

test('an abort rejects, in a tool too', async () => {
  await expect(converse([{}], { signal: AbortSignal.abort(new Error('stop')) }).result).rejects.toThrow('stop');
  const ending = new AbortController();
  const runTool = {
    run: async () => {
      ending.abort(new Error('stop'));
      throw new Error('killed');
    },
  };
  await expect(converse([reading('a'), {}], { runTool, signal: ending.signal }).result).rejects.toThrow('stop');
});
