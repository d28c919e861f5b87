import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CypherFixError } from '../core/errors.ts';
import { redact, type SecretRegistry } from '../core/secrets.ts';
import type { Model, ModelAnswer, ModelRequest } from './model.ts';

const tokens = z.int().nonnegative();
const Usage = z.strictObject({
  inputTokens: tokens,
  outputTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
});

/** One call of a recorded run; texts are redacted. `turn` counts the calls of a role from 0. */
export const Exchange = z.strictObject({
  role: z.string(),
  turn: z.int().nonnegative(),
  requestHash: z.string().regex(/^[0-9a-f]{64}$/),
  answer: z.discriminatedUnion('status', [
    z.strictObject({
      status: z.literal('ok'),
      text: z.string(),
      toolCalls: z.array(z.strictObject({ id: z.string(), name: z.string(), input: z.unknown() })),
      usage: Usage,
    }),
    z.strictObject({ status: z.literal('failed'), kind: z.string(), reason: z.string(), usage: Usage }),
  ]),
});
export type Exchange = z.infer<typeof Exchange>;

/**
 * Passes calls on and gives each exchange to `record`. The caller gets the redacted answer too, so that a replay shows it
 * the same; what is echoed to the provider stays as it was.
 */
export function recordingModel(model: Model, record: (exchange: Exchange) => void, secrets?: SecretRegistry): Model {
  const nextTurn = turnCounter();
  return {
    async call(request, signal) {
      const turn = nextTurn(request.role);
      const requestHash = hashRequest(request, secrets);
      const answer = toRedacted(await model.call(request, signal), secrets);
      record({ role: request.role, turn, requestHash, answer: withoutEcho(answer) });
      return answer;
    },
  };
}

/**
 * Answers from a recording, without a network; CypherFixError('internal') naming role and turn when a request differs
 * from the recorded one or was never recorded.
 */
export function replayModel(exchanges: readonly Exchange[], secrets?: SecretRegistry): Model {
  const nextTurn = turnCounter();
  const recorded = new Map(exchanges.map(exchange => [keyOf(exchange.role, exchange.turn), exchange]));
  return {
    async call(request, signal) {
      signal.throwIfAborted();
      const turn = nextTurn(request.role);
      const exchange = recorded.get(keyOf(request.role, turn));
      const place = `turn ${turn} of the role '${request.role}'`;
      if (exchange === undefined) throw new CypherFixError('internal', `the recording has no ${place}`);
      if (exchange.requestHash !== hashRequest(request, secrets)) {
        throw new CypherFixError('internal', `the request of ${place} differs from the recorded one`);
      }
      request.onStarted?.();
      const { answer } = exchange;
      return (answer.status === 'ok' ? { ...answer, echo: null } : answer) as ModelAnswer;
    },
  };
}

/** SHA-256 over the redacted request in canonical form; what a provider echoes and when it must end are no part of it. */
export function hashRequest(request: ModelRequest, secrets?: SecretRegistry): string {
  const { deadline: _, onStarted: __, turns, ...rest } = request;
  const plain = turns.map(turn => (turn.role === 'assistant' ? { ...turn, echo: null } : turn));
  const canonical = JSON.stringify(toCanonical({ ...rest, turns: plain }, secrets));
  return createHash('sha256').update(canonical).digest('hex');
}

const keyOf = (role: string, turn: number): string => JSON.stringify([role, turn]);

function turnCounter(): (role: string) => number {
  const turns = new Map<string, number>();
  return role => {
    const turn = turns.get(role) ?? 0;
    turns.set(role, turn + 1);
    return turn;
  };
}

function toRedacted(answer: ModelAnswer, secrets: SecretRegistry | undefined): ModelAnswer {
  if (answer.status === 'failed') return { ...answer, reason: redact(answer.reason, secrets) };
  const { echo, ...shown } = answer;
  return { ...(redactDeep(shown, secrets) as typeof shown), echo };
}

function withoutEcho(answer: ModelAnswer): Exchange['answer'] {
  if (answer.status === 'failed') return answer;
  const { text, toolCalls, usage } = answer;
  return { status: 'ok', text, toolCalls: toolCalls.map(call => ({ ...call })), usage };
}

/** No tool takes anything as deep; a model may write brackets until the stack ends. */
const MAX_DEPTH = 64;

function redactDeep(value: unknown, secrets: SecretRegistry | undefined, depth = 0): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map(item => redactDeep(item, secrets, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item, secrets, depth + 1)]));
}

/** Redacted, with sorted keys, so that the order in which an object was built does not matter. */
function toCanonical(value: unknown, secrets: SecretRegistry | undefined, depth = 0): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  // An answer is cut far above this, so that two requests that differ do so in what is left.
  if (depth >= 2 * MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map(item => toCanonical(item, secrets, depth + 1));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, toCanonical(item, secrets, depth + 1)]));
}
