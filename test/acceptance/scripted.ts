import type { AcceptanceModel } from '../../src/acceptance/ask-model.ts';
import { CypherFixError } from '../../src/core/errors.ts';
import { createBudget } from '../../src/model/budget.ts';
import type { ModelAnswer, ModelRequest } from '../../src/model/model.ts';
import { findPrices } from '../../src/model/prices.ts';
import { DEFENCES } from '../../src/review/defences.ts';
import { createGuard, type Guard } from '../../src/review/guard.ts';
import type { Sandbox, SandboxJob, SandboxResult, SnapshotEntry, StepResult } from '../../src/sandbox/sandbox.ts';

const MODEL_ID = 'claude-sonnet-5-5';

export interface ScriptedModel {
  readonly ai: AcceptanceModel & { readonly guard: Guard };
  readonly requests: ModelRequest[];
}

/** A model that gives these answers, one a call; a string is an answer's text, `failed` is an overloaded service. */
export function scriptModel(answers: readonly unknown[], totalUsd = 0.1): ScriptedModel {
  const requests: ModelRequest[] = [];
  const model = {
    call: async (request: ModelRequest): Promise<ModelAnswer> => {
      const answer = answers[requests.length];
      requests.push(request);
      const usage = { inputTokens: 100, outputTokens: 50, cacheReadTokens: 0, cacheWriteTokens: 0 };
      if (answer === 'failed') return { status: 'failed', kind: 'overloaded', reason: 'overloaded', usage };
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      return { status: 'ok', text, toolCalls: [], echo: null, usage };
    },
  };
  const budget = createBudget({
    totalUsd,
    shares: [{ roles: ['acceptance'], share: 1 }],
    maxCalls: 5,
    deadline: Number.MAX_SAFE_INTEGER,
    prices: findPrices([MODEL_ID], {}),
    now: () => 0,
  });
  const guard = createGuard({ defences: DEFENCES, boundary: 'b0undary' });
  return { ai: { model, modelId: MODEL_ID, effort: 'medium', budget, guard }, requests };
}

/** What the model was shown, as one text. */
export const promptOf = (request: ModelRequest | undefined): string =>
  (request?.turns ?? []).flatMap(turn => (turn.role === 'user' ? turn.parts.map(part => part.text) : [])).join('\n');

export interface ScriptedSandbox {
  readonly sandbox: Sandbox;
  readonly jobs: { readonly job: SandboxJob; readonly files: readonly SnapshotEntry[] }[];
}

const STEP_RESULT: StepResult = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  truncated: false,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  durationMs: 1,
};

type Steps = Readonly<
  Record<string, Partial<Omit<StepResult, 'stdout' | 'stderr'>> & { stdout?: string | Buffer; stderr?: string }>
>;

/** A sandbox whose steps end like this; an error is thrown in place of a result. */
export function scriptSandbox(steps: Steps | CypherFixError, changes: Partial<SandboxResult> = {}): ScriptedSandbox {
  const jobs: ScriptedSandbox['jobs'] = [];
  const run = async (job: SandboxJob): Promise<SandboxResult> => {
    const files: SnapshotEntry[] = [];
    for await (const entry of job.snapshot) files.push(entry);
    jobs.push({ job, files });
    if (steps instanceof CypherFixError) throw steps;
    const results = Object.entries(steps).map(([name, { stdout = '', stderr = '', ...step }]) => {
      return [name, { ...STEP_RESULT, ...step, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) }] as const;
    });
    return {
      identity: {
        runtime: 'cypherfix-runsc',
        runtimeVersion: '1',
        platform: 'systrap',
        imageDigest: 'sha256:0',
        tools: {},
      },
      purpose: job.purpose,
      exitCode: 0,
      timedOut: false,
      oomKilled: false,
      outputTruncated: false,
      durationMs: 1,
      steps: new Map(results),
      ...changes,
    };
  };
  return { sandbox: { run, close: async () => {} }, jobs };
}
