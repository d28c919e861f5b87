import { NO_CREDENTIALS } from '../../src/model/choose-provider.ts';
import { createModel, type ModelOptions } from '../../src/model/create-model.ts';
import { NO_PROXIES } from '../../src/model/dispatcher.ts';
import type { Model, ModelRequest } from '../../src/model/model.ts';

export const KEY = 'sk-ant-test';
export const SONNET = 'claude-sonnet-5-5';

export const READ_FILE = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
};

export const NOTES_SCHEMA = {
  type: 'object',
  properties: { notes: { type: 'array', items: { type: 'string', maxLength: 50 } } },
  required: ['notes'],
};

export const toRequest = (changes: Partial<ModelRequest> = {}): ModelRequest => ({
  model: SONNET,
  role: 'security',
  system: [{ text: 'You review code.' }],
  tools: [],
  toolChoice: 'auto',
  turns: [{ role: 'user', parts: [{ text: 'Review this.' }] }],
  answerSchema: NOTES_SCHEMA,
  effort: 'medium',
  maxTokens: 2_000,
  ...changes,
});

/** A model for loopback whose retries sleep no time; `slept` collects what they would have. */
export function connect(
  baseUrl: string | null,
  changes: Partial<ModelOptions> = {},
): { model: Model; slept: number[] } {
  const slept: number[] = [];
  const outcome = createModel({
    models: [SONNET],
    credentials: { ...NO_CREDENTIALS, anthropicApiKey: KEY },
    baseUrl,
    proxies: NO_PROXIES,
    lifetime: new AbortController().signal,
    ...changes,
    retry: {
      random: () => 1,
      sleep: async ms => {
        slept.push(ms);
      },
      ...changes.retry,
    },
  });
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  return { model: outcome.value, slept };
}

export const never = (): AbortSignal => new AbortController().signal;
