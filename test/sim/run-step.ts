import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCommandFile, parseWorkflowCommands, type WorkflowCommand } from './runner-files.ts';

export interface StepOptions {
  /** The entry; default the built `dist/index.js` of this repository. */
  entry?: string;
  /** Which Node runs it; default the test's own. */
  node?: string;
  timeoutMs?: number;
  /** Sends the runner's cancellation: SIGINT at once, SIGTERM and SIGKILL later. */
  cancel?: AbortSignal;
}

export interface StepResult {
  /** Null when a signal ended it. */
  status: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  outputs: Record<string, string>;
  state: Record<string, string>;
  /** Variables and folders that later steps would get. */
  exported: Record<string, string>;
  paths: string[];
  summary: string;
  /** The runner throws a summary of more than 1 MiB away, whole. */
  summaryDropped: boolean;
  commands: WorkflowCommand[];
  durationMs: number;
}

const ENTRY = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const MAX_SUMMARY_BYTES = 1024 * 1024;
const TERM_AFTER_MS = 7_500;
const KILL_AFTER_MS = 10_000;
let count = 0;

/** Runs one step of the action, `node dist/index.js <step>`, with command files of its own, as the runner does. */
export async function runStep(
  step: string,
  env: Record<string, string>,
  options: StepOptions = {},
): Promise<StepResult> {
  return runStepProgram([options.node ?? process.execPath, options.entry ?? ENTRY, step], env, options);
}

/** Runs any program as a step. */
export async function runStepProgram(
  argv: readonly [string, ...string[]],
  env: Record<string, string>,
  options: Pick<StepOptions, 'timeoutMs' | 'cancel'> = {},
): Promise<StepResult> {
  const folder = join(env['RUNNER_TEMP'] ?? '', '_runner_file_commands', String(++count));
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => {
    const path = join(folder, name);
    writeFileSync(path, '');
    return path;
  };
  const files = {
    GITHUB_OUTPUT: file('set_output'),
    GITHUB_STATE: file('save_state'),
    GITHUB_ENV: file('set_env'),
    GITHUB_PATH: file('add_path'),
    GITHUB_STEP_SUMMARY: file('step_summary'),
  };
  const started = performance.now();
  const ended = await run(argv, { ...env, ...files }, options);
  const read = (name: keyof typeof files) => readFileSync(files[name], 'utf8');
  const summary = read('GITHUB_STEP_SUMMARY');
  return {
    ...ended,
    outputs: parseCommandFile(read('GITHUB_OUTPUT')),
    state: parseCommandFile(read('GITHUB_STATE')),
    exported: parseCommandFile(read('GITHUB_ENV')),
    paths: read('GITHUB_PATH')
      .split('\n')
      .filter(line => line !== ''),
    summary,
    summaryDropped: Buffer.byteLength(summary) > MAX_SUMMARY_BYTES,
    commands: parseWorkflowCommands(ended.stdout),
    durationMs: performance.now() - started,
  };
}

type Ended = Pick<StepResult, 'status' | 'signal' | 'timedOut' | 'stdout' | 'stderr'>;

function run(
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
  options: Pick<StepOptions, 'timeoutMs' | 'cancel'>,
): Promise<Ended> {
  const cwd = env['GITHUB_WORKSPACE'];
  const child = spawn(program, args, {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timers: NodeJS.Timeout[] = [];
  const later = (ms: number, act: () => void) => timers.push(setTimeout(act, ms));
  let timedOut = false;
  later(options.timeoutMs ?? 120_000, () => {
    timedOut = true;
    child.kill('SIGKILL');
  });
  options.cancel?.addEventListener('abort', () => {
    child.kill('SIGINT');
    later(TERM_AFTER_MS, () => child.kill('SIGTERM'));
    later(KILL_AFTER_MS, () => child.kill('SIGKILL'));
  });
  const output: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => output[name].push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => {
      for (const timer of timers) clearTimeout(timer);
      const text = (name: 'stdout' | 'stderr') => Buffer.concat(output[name]).toString('utf8');
      resolve({ status, signal, timedOut, stdout: text('stdout'), stderr: text('stderr') });
    });
  });
}
