import { describe, expect, test } from 'vitest';
import { createTestRunner, type TestRunning } from '../../src/analysis/run-tests.ts';
import { CypherFixError } from '../../src/core/errors.ts';
import { SecretRegistry } from '../../src/core/secrets.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/schema.ts';
import { ToolError } from '../../src/review/tools/tool-context.ts';
import type { SandboxResult } from '../../src/sandbox/sandbox.ts';
import { type ScriptedSandbox, scriptSandbox } from '../acceptance/scripted.ts';
import { createMemoryTree } from '../scanners/memory-tree.ts';

const FAILED = { command: { stdout: 'one failed: token-of-this-run', stderr: 'really', exitCode: 1 } };
const signal = new AbortController().signal;

function createRunner(
  tests: Partial<Policy['tests']>,
  over: Partial<TestRunning> = {},
  scripted = scriptSandbox(FAILED),
) {
  const runs: SandboxResult[] = [];
  const run = createTestRunner({
    policy: { tests: { ...DEFAULT_POLICY.tests, ...tests }, sandbox: DEFAULT_POLICY.sandbox },
    tree: createMemoryTree({ 'src/cart.js': 'x\n' }),
    sandbox: scripted.sandbox,
    secrets: new SecretRegistry().add('token-of-this-run'),
    timeLeft: () => 600_000,
    onRun: result => runs.push(result),
    ...over,
  });
  return { run, runs, jobs: scripted.jobs };
}

const argvOf = ({ jobs }: Pick<ScriptedSandbox, 'jobs'>) =>
  jobs[0]?.job.phases.map(phase => phase.map(step => step.argv.join(' ')).join()) ?? [];

describe('the tests that a reviewer may run', () => {
  test('run the command of the policy: its image, its setup, its time, the path quoted for the shell', async () => {
    const { run, runs, jobs } = createRunner({
      command: 'npx vitest run {target}',
      setup: 'make it',
      image: 'python',
      timeout_s: 60,
    });
    const text = await run?.("src/it's.js", signal);
    expect(text).toBe('one failed: [redacted:known-secret]\nreally\nexit code 1');
    expect(jobs.map(({ job }) => [job.purpose, job.imageClass])).toEqual([['run tests', 'python']]);
    expect(argvOf({ jobs })[0]).toContain('make it');
    expect(argvOf({ jobs })[1]).toContain("npx vitest run 'src/it'\\''s.js'");
    expect(jobs[0]?.job.phases.flat().map(step => step.timeoutMs)).toEqual([60_000, 60_000]);
    expect(jobs[0]?.files.map(file => file.path)).toEqual(['repo/src/cart.js']);
    expect(runs).toMatchObject([{ purpose: 'run tests' }]);
  });

  test('all of them where no path is given; a time limit is told', async () => {
    const scripted = scriptSandbox({ command: { stdout: 'x', timedOut: true, exitCode: null, signal: 'SIGKILL' } });
    const { run, jobs } = createRunner({ command: 'make test {target}', timeout_s: 30 }, {}, scripted);
    expect(await run?.(null, signal)).toBe('x\nstopped after 30 s');
    expect(argvOf({ jobs })).toEqual(['/bin/sh -c make test']);
  });

  test('end in time for the answer', async () => {
    const { run, jobs } = createRunner({ command: 'make', setup: 'x' }, { timeLeft: () => 50_000 });
    await run?.(null, signal);
    expect(jobs[0]?.job.phases.flat().map(step => step.timeoutMs)).toEqual([25_000, 25_000]);
    const late = createRunner({ command: 'make' }, { timeLeft: () => 9_000 });
    await expect(late.run?.(null, signal)).rejects.toThrow('no time is left to run tests');
    expect(late.jobs).toEqual([]);
  });

  test('a path where the command takes none is refused', async () => {
    const { run, jobs } = createRunner({ command: 'make test' });
    await expect(run?.('src', signal)).rejects.toThrow(ToolError);
    await expect(run?.('src', signal)).rejects.toThrow('takes no target');
    expect(jobs).toEqual([]);
  });

  test('an image that is not there is a reason, not a failure', async () => {
    const missing = scriptSandbox(new CypherFixError('missing', 'no image lock has the class "java"'));
    const { run, runs } = createRunner({ command: 'make', image: 'java' }, {}, missing);
    expect(await run?.(null, signal)).toMatch(/^the tests could not start: no image lock has the class "java"/);
    expect(runs).toEqual([]);
  });

  test('are none where the policy names no command', () => {
    expect(createRunner({ command: null }).run).toBeNull();
  });
});
