import { describe, expect, test } from 'vitest';
import { CypherFixError } from '../../src/core/errors.ts';
import { SecretRegistry } from '../../src/core/secrets.ts';
import type { Model, ModelAnswer } from '../../src/model/model.ts';
import { NO_USAGE } from '../../src/model/model.ts';
import { Exchange, hashRequest, recordingModel, replayModel } from '../../src/model/record.ts';
import { never, toRequest } from './setup.ts';

const SECRET = 'correct-horse-battery';
const secrets = new SecretRegistry().add(SECRET);

const answering = (answer: Partial<ModelAnswer> = {}): Model => ({
  call: async () =>
    ({
      status: 'ok',
      text: `saw ${SECRET}`,
      toolCalls: [{ id: 'c1', name: 'read_file', input: { path: `${SECRET}.ts` } }],
      echo: { signature: SECRET },
      usage: { ...NO_USAGE, outputTokens: 3 },
      ...answer,
    }) as ModelAnswer,
});

async function record(model: Model, requests = [toRequest()]) {
  const exchanges: Exchange[] = [];
  const recording = recordingModel(model, exchange => exchanges.push(exchange), secrets);
  const answers: ModelAnswer[] = [];
  for (const request of requests) answers.push(await recording.call(request, never()));
  return { exchanges, answers };
}

describe('a recording', () => {
  test('holds role, turn and hash, no secret and nothing that is echoed', async () => {
    const judge = toRequest({ role: 'judge' });
    const { exchanges, answers } = await record(answering(), [toRequest(), judge, toRequest()]);
    expect(exchanges.map(({ role, turn }) => [role, turn])).toEqual([
      ['security', 0],
      ['judge', 0],
      ['security', 1],
    ]);
    expect(JSON.stringify(exchanges)).not.toContain(SECRET);
    expect(JSON.stringify(exchanges)).not.toContain('signature');
    expect(exchanges.map(exchange => Exchange.parse(JSON.parse(JSON.stringify(exchange))))).toEqual(exchanges);
    // The caller sees what a replay will show it; the provider gets its own blocks back.
    expect(answers[0]).toMatchObject({ text: 'saw [redacted:known-secret]', echo: { signature: SECRET } });
  });

  test('survives an answer of brackets alone', async () => {
    const input = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    const { exchanges, answers } = await record(
      answering({ toolCalls: [{ id: 'c1', name: 'read_file', input }] } as Partial<ModelAnswer>),
    );
    const [answer] = answers;
    if (answer?.status !== 'ok') throw new Error('no answer');
    const request = toRequest({ turns: [{ role: 'assistant', echo: null, text: '', toolCalls: answer.toolCalls }] });
    expect(hashRequest(request)).toMatch(/^[0-9a-f]{64}$/);
    const kept = Exchange.parse(JSON.parse(JSON.stringify(exchanges[0])));
    expect(await replayModel([kept], secrets).call(toRequest(), never())).toEqual({ ...answer, echo: null });
  });

  test('keeps failures too', async () => {
    const failed = { status: 'failed', kind: 'refused', reason: `no ${SECRET}`, usage: NO_USAGE } as const;
    const { exchanges } = await record({ call: async () => failed });
    expect(exchanges[0]?.answer).toEqual({ ...failed, reason: 'no [redacted:known-secret]' });
    const replayed = await replayModel(exchanges, secrets).call(toRequest(), never());
    expect(replayed).toEqual(exchanges[0]?.answer);
  });
});

describe('a replay', () => {
  test('gives the recorded answers in order and tells that they began', async () => {
    const { exchanges, answers } = await record(answering(), [toRequest(), toRequest()]);
    const replay = replayModel(JSON.parse(JSON.stringify(exchanges)), secrets);
    let started = 0;
    for (const answer of answers) {
      const replayed = await replay.call(toRequest({ onStarted: () => started++ }), never());
      expect(replayed).toEqual({ ...answer, echo: null });
    }
    expect(started).toBe(2);
  });

  test.each([
    [
      'another text',
      toRequest({ turns: [{ role: 'user', parts: [{ text: 'Other.' }] }] }),
      /turn 0 of the role 'security' differs/,
    ],
    ['another model', toRequest({ model: 'claude-opus-5-5' }), /differs/],
    ['another role', toRequest({ role: 'judge' }), /no turn 0 of the role 'judge'/],
  ])('refuses %s as an internal error that names the place', async (_, request, message) => {
    const { exchanges } = await record(answering());
    const call = replayModel(exchanges, secrets).call(request, never());
    await expect(call).rejects.toThrow(message);
    await expect(call).rejects.toBeInstanceOf(CypherFixError);
    await expect(call).rejects.toMatchObject({ code: 'internal' });
  });

  test('refuses one call too many', async () => {
    const { exchanges } = await record(answering());
    const replay = replayModel(exchanges, secrets);
    await replay.call(toRequest(), never());
    await expect(replay.call(toRequest(), never())).rejects.toThrow(/no turn 1/);
  });
});

test('the hash depends on what is asked, not on how it is carried', () => {
  const turns = (echo: unknown) => [{ role: 'assistant' as const, echo, text: 'a', toolCalls: [] }];
  const base = toRequest({ turns: turns(['thinking']) });
  expect(hashRequest({ ...base, turns: turns(null), deadline: 5, onStarted: () => {} })).toBe(hashRequest(base));
  expect(hashRequest({ ...base, maxTokens: 1 })).not.toBe(hashRequest(base));
  expect(hashRequest({ ...base, toolChoice: 'none' })).not.toBe(hashRequest(base));
  const schema = { type: 'object', properties: {} };
  const swapped = { properties: {}, type: 'object' };
  expect(hashRequest({ ...base, answerSchema: schema })).toBe(hashRequest({ ...base, answerSchema: swapped }));
});
