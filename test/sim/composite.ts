import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ExpressionContext, interpolate, isTrue } from './expressions.ts';
import { runStepProgram, type StepResult } from './run-step.ts';
import type { Runner } from './runner.ts';
import { runUsedAction, type UsedAction } from './used-actions.ts';

interface Step {
  id: string;
  if?: string;
  shell?: string;
  env?: Record<string, string>;
  run?: string;
  uses?: string;
  with?: Record<string, string>;
}
interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

export interface CompositeOptions {
  /** The action's inputs by name; the others take their default. */
  inputs?: Record<string, string>;
  /** Value of `github.token`. */
  token: string;
  /** What the runner gives to JavaScript actions alone: ACTIONS_RUNTIME_TOKEN, ACTIONS_RESULTS_URL, … */
  javascriptVariables?: Record<string, string>;
  /** More variables for one step by its id, such as DOCKER_HOST for `analyze`. */
  stepEnv?: Record<string, Record<string, string>>;
  /** Called before each step that runs. */
  before?: (id: string) => void | Promise<void>;
  cancel?: AbortSignal;
  timeoutMs?: number;
}

export interface CompositeStep {
  outcome: 'success' | 'failure' | 'cancelled' | 'skipped';
  outputs: Record<string, string>;
  /** What the step's process had in its environment; absent for a used action. */
  env?: Record<string, string>;
  result?: StepResult;
  used?: UsedAction;
}

export interface CompositeResult {
  steps: Record<string, CompositeStep>;
  /** Outputs of the action, evaluated. */
  outputs: Record<string, string>;
  conclusion: 'success' | 'failure' | 'cancelled';
}

/**
 * Runs the action.yml in the runner's GITHUB_ACTION_PATH as the runner would: conditions, expressions, each step's own
 * environment, bash, exported variables, and the state that later steps see. Published actions have stand-ins.
 */
export async function runComposite(runner: Runner, options: CompositeOptions): Promise<CompositeResult> {
  const actionPath = runner.env['GITHUB_ACTION_PATH'] ?? '';
  const action = parse(readFileSync(join(actionPath, 'action.yml'), 'utf8')) as Action;
  const result: CompositeResult = { steps: {}, outputs: {}, conclusion: 'success' };
  const context = createContext(runner, options, action, result);
  let env = runner.env;
  for (const step of action.runs.steps) {
    if (options.cancel?.aborted === true) result.conclusion = 'cancelled';
    const done = isTrue(step.if ?? 'success()', context)
      ? await runOne({ step, env, context, options, temp: runner.temp })
      : { outcome: 'skipped' as const, outputs: {} };
    result.steps[step.id] = done;
    if (result.conclusion === 'success' && (done.outcome === 'failure' || done.outcome === 'cancelled')) {
      result.conclusion = done.outcome;
    }
    env = withExports(env, done.result);
  }
  for (const [name, output] of Object.entries(action.outputs)) {
    result.outputs[name] = interpolate(output.value, context);
  }
  return result;
}

async function runOne(given: {
  step: Step;
  env: Record<string, string>;
  context: ExpressionContext;
  options: CompositeOptions;
  temp: string;
}): Promise<CompositeStep> {
  const { step, context, options } = given;
  const evaluated = (values: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, interpolate(String(value), context)]));
  await options.before?.(step.id);
  if (step.uses !== undefined) {
    const variables = { ...given.env, ...options.javascriptVariables };
    const used = await runUsedAction(step.uses, evaluated(step.with), variables);
    return { outcome: 'success', outputs: used.outputs, used };
  }
  if (step.shell !== 'bash' || step.run === undefined) throw new Error(`step ${step.id}: only bash is run here`);
  const env = { ...given.env, ...evaluated(step.env), ...options.stepEnv?.[step.id] };
  const script = join(mkdtempSync(join(given.temp, 'script-')), 'step.sh');
  writeFileSync(script, interpolate(step.run, context));
  const limits = {
    ...(options.cancel === undefined || options.cancel.aborted ? {} : { cancel: options.cancel }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  };
  const shell = ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail', script] as const;
  const result = await runStepProgram(shell, env, limits);
  const outcome = result.status === 0 ? 'success' : limits.cancel?.aborted === true ? 'cancelled' : 'failure';
  return { outcome, outputs: result.outputs, env, result };
}

function createContext(
  runner: Runner,
  options: CompositeOptions,
  action: Action,
  result: CompositeResult,
): ExpressionContext {
  const { env, temp } = runner;
  const github = { token: options.token, event_name: env['GITHUB_EVENT_NAME'], repository: env['GITHUB_REPOSITORY'] };
  const functions = {
    always: () => true,
    success: () => result.conclusion === 'success',
    failure: () => result.conclusion === 'failure',
    cancelled: () => result.conclusion === 'cancelled',
  };
  const steps = new Proxy({}, { get: (_, id: string) => toStepContext(result.steps[id]) });
  const context: ExpressionContext = { names: { github, runner: { temp, os: 'Linux' }, steps, inputs: {} }, functions };
  const unknown = Object.keys(options.inputs ?? {}).filter(name => action.inputs[name] === undefined);
  if (unknown.length > 0) throw new Error(`the action has no such inputs: ${unknown.join(', ')}`);
  const inputs = Object.entries(action.inputs).map(([name, input]) => [
    name,
    options.inputs?.[name] ?? interpolate(String(input.default ?? ''), context),
  ]);
  context.names['inputs'] = Object.fromEntries(inputs);
  return context;
}

function toStepContext(step: CompositeStep | undefined): ExpressionContext['names'] {
  return step === undefined ? {} : { outputs: step.outputs, outcome: step.outcome, conclusion: step.outcome };
}

function withExports(env: Record<string, string>, result: StepResult | undefined): Record<string, string> {
  if (result === undefined) return env;
  const path = [...result.paths.toReversed(), env['PATH'] ?? ''].join(':');
  return { ...env, ...result.exported, PATH: path };
}
