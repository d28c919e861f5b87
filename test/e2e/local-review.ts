import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { parseReport, type Report } from '../../src/core/report.ts';
import type { Simulator } from '../sim-model/site.ts';
import { listContainers, NODE_24, REPOSITORY } from './run-job.ts';

/** The key that the simulators let in. */
export const KEY = 'sk-ant-test';

/** Roles of the review by the heading that their prompts have. */
export const ROLES = Object.fromEntries(
  ['security', 'correctness', 'style', 'reflection', 'judge'].map(role => [role, `# Your duty: ${role}`]),
);

export interface LocalReview {
  readonly repo: string;
  readonly base: string;
  readonly head?: string;
  readonly options?: readonly string[];
  /** Where the models are; without one none are asked. */
  readonly api?: Simulator;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly runId: number;
  readonly ended: Promise<Ended>;
}

let runs = process.pid * 1000 + 700;

/** The built program, as a person starts it: `review --format json`, with `--ai` where there is a model. */
export function startReview({ repo, base, head, options = [], api, env = {} }: LocalReview): Running {
  const { PATH = '', CYPHERFIX_HOME } = process.env;
  const runId = ++runs;
  const argv = ['review', '--repo', repo, '--base', base, '--format', 'json', ...options];
  if (head !== undefined) argv.push('--head', head);
  if (api !== undefined) argv.push('--ai');
  const child = spawn(`${NODE_24}/node`, [`${REPOSITORY}/dist/index.js`, ...argv], {
    env: {
      PATH,
      ...(CYPHERFIX_HOME === undefined ? {} : { CYPHERFIX_HOME }),
      ...(api === undefined ? {} : { ANTHROPIC_API_KEY: KEY, MODEL_BASE_URL: api.url }),
      GITHUB_RUN_ID: String(runId),
      ...env,
    },
  });
  const closed = new Promise<number | null>(resolve => child.on('close', resolve));
  const finish = async () => {
    const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    expect(stdout + stderr).not.toContain(KEY);
    return { status, stdout, stderr };
  };
  return { child, runId, ended: finish() };
}

/** Runs the review to its end; `report` reads what it printed. */
export async function runReview(review: LocalReview): Promise<Ended & { report(): Report }> {
  const ended = await startReview(review).ended;
  return { ...ended, report: () => parseReport(JSON.parse(ended.stdout)) };
}

export interface Interrupted extends Ended {
  /** Milliseconds from the signal to the end of the process. */
  readonly ms: number;
  /** The run's containers that are left. */
  readonly containers: readonly string[];
}

/** Waits until `isThere`, sends the signal once, and tells how the program ended. */
export async function interrupt(
  { child, runId, ended }: Running,
  isThere: () => boolean | Promise<boolean>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Interrupted> {
  await until(isThere, () => child.exitCode === null);
  const from = performance.now();
  child.kill(signal);
  const end = await ended;
  return { ...end, ms: performance.now() - from, containers: await listContainers(runId) };
}

/** Looks until the condition holds; fails after a minute, or when what it waits for can no longer come. */
export async function until(isThere: () => boolean | Promise<boolean>, canCome = () => true): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isThere())) {
    if (performance.now() > end || !canCome()) throw new Error('what the test waits for did not come');
    await new Promise(resolve => setTimeout(resolve, 25));
  }
}
