import { fillTarget } from '../acceptance/command-steps.ts';
import { type CommandRun, runCommand } from '../acceptance/run-command.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import type { Tree } from '../core/tree.ts';
import type { Policy } from '../policy/schema.ts';
import { type RunTests, ToolError } from '../review/tools/tool-context.ts';
import type { Sandbox, SandboxResult } from '../sandbox/sandbox.ts';

export interface TestRunning {
  readonly policy: Pick<Policy, 'tests' | 'sandbox'>;
  /** The head tree, laid anew for every run. */
  readonly tree: Tree;
  readonly sandbox: Sandbox;
  readonly secrets: SecretRegistry;
  /** Milliseconds that are left for tests now. */
  readonly timeLeft: () => number;
  /** Told of every container that ran. */
  readonly onRun: (run: SandboxResult) => void;
}

/** Below this no suite gets anywhere. */
const LEAST_MS = 10_000;

/**
 * What the reviewers' tool `run_tests` does: the command of the policy, in a container of its own under the policy's image and
 * limits. Null where the policy names no command.
 */
export function createTestRunner({ policy, ...running }: TestRunning): RunTests | null {
  const { command, setup, image, timeout_s } = policy.tests;
  if (command === null) return null;
  return async (target, signal) => {
    if (target !== null && !command.includes('{target}')) {
      throw new ToolError("the repository's test command takes no target; leave it null to run all tests");
    }
    const timeoutMs = Math.min(timeout_s * 1_000, running.timeLeft() / (setup === null ? 1 : 2));
    if (timeoutMs < LEAST_MS) throw new ToolError('no time is left to run tests');
    const run = await runCommand({
      purpose: 'run tests',
      command: fillTarget(command, target),
      setup,
      image,
      timeoutMs,
      resultGlobs: [],
      limits: { memoryMb: policy.sandbox.memory_mb, cpus: policy.sandbox.cpus },
      tree: running.tree,
      sandbox: running.sandbox,
      secrets: running.secrets,
      signal,
    });
    if (run.sandboxRun !== null) running.onRun(run.sandboxRun);
    return describe(run, timeoutMs);
  };
}

/** What became of the run stands last, since a long output is cut at its beginning. */
function describe(run: CommandRun, timeoutMs: number): string {
  const end =
    run.status === 'not-started'
      ? `the tests could not start: ${run.reason}`
      : run.timedOut
        ? `stopped after ${Math.round(timeoutMs / 1_000)} s`
        : `exit code ${run.exitCode}`;
  return [run.outputTail, ...run.notices, end].filter(line => line !== '').join('\n');
}
