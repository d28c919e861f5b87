import { CypherFixError } from '../core/errors.ts';
import { toPathMatcher } from '../core/globs.ts';
import { redact, type SecretRegistry } from '../core/secrets.ts';
import type { Tree } from '../core/tree.ts';
import { toVisibleText } from '../core/untrusted.ts';
import type { Sandbox, SandboxLimits, SandboxResult, StepResult } from '../sandbox/sandbox.ts';
import { COLLECT_BYTES, type CollectedFiles, parseCollected, toCollectStep } from './collect-results.ts';
import { MAX_STDOUT_BYTES, STEP, toCommandSteps } from './command-steps.ts';
import { readTestResults, type TestResults } from './test-results.ts';
import { copyTree, planTree } from './tree-snapshot.ts';

/** A command of the policy that runs on a whole tree. */
export interface TreeCommand {
  /** Shown in the report: `acceptance`, `run tests`. */
  readonly purpose: string;
  /** For `/bin/sh -c`, at the tree's root; it comes from the policy, never from the change. */
  readonly command: string;
  /** Runs before it, as a phase of its own; null for none. */
  readonly setup: string | null;
  /** Class of the image lock. */
  readonly image: string;
  /** Of setup and of the command, each. */
  readonly timeoutMs: number;
  /** Globs of JUnit files that the command writes. */
  readonly resultGlobs: readonly string[];
  readonly limits: Pick<SandboxLimits, 'memoryMb' | 'cpus'>;
  readonly tree: Tree;
  readonly sandbox: Sandbox;
  readonly secrets?: SecretRegistry | undefined;
  readonly signal: AbortSignal;
}

export type CommandRun =
  | {
      readonly status: 'ran';
      readonly exitCode: number | null;
      readonly timedOut: boolean;
      /** End of both streams, at most 8 KiB, redacted; untrusted. */
      readonly outputTail: string;
      readonly results: TestResults;
      readonly sandboxRun: SandboxResult;
      readonly notices: readonly string[];
    }
  | {
      readonly status: 'not-started';
      readonly reason: string;
      readonly outputTail: string;
      readonly sandboxRun: SandboxResult | null;
      readonly notices: readonly string[];
    };

const MIB = 1024 * 1024;
const TAIL_BYTES = 8_192;
/** For the container's start, the tree's way in and the results' way out. */
const AROUND_MS = 120_000;

/**
 * Runs the command on the head tree in one container: setup, command, then the result files. Whatever keeps it from starting
 * is a reason, not an exception; rejects only when the signal aborts.
 */
export async function runCommand(command: TreeCommand): Promise<CommandRun> {
  const { tree, sandbox, limits, resultGlobs, timeoutMs, signal } = command;
  const plan = await planTree(tree, toPathMatcher(resultGlobs));
  const room = Math.floor(limits.memoryMb / 2) * MIB;
  if (plan.bytes > room * 0.8) {
    const reason = `the tree has ${Math.ceil(plan.bytes / MIB)} MiB, the sandbox's disk ${Math.floor(room / MIB)} MiB; raise sandbox.memory_mb`;
    return { status: 'not-started', reason, outputTail: '', sandboxRun: null, notices: plan.notices };
  }
  const notices = [...plan.notices];
  const phases = toCommandSteps(command);
  const job = {
    purpose: command.purpose,
    imageClass: command.image,
    snapshot: copyTree(tree, plan, (path, reason) => notices.push(`tests ran without ${path}: ${reason}`)),
    phases: resultGlobs.length === 0 ? phases : [...phases, [toCollectStep(STEP.collect, resultGlobs)]],
    limits: {
      ...limits,
      timeoutMs: timeoutMs * phases.length + AROUND_MS,
      maxOutputBytes: 2 * MAX_STDOUT_BYTES * phases.length + COLLECT_BYTES,
    },
  };
  let result: SandboxResult;
  try {
    result = await sandbox.run(job, signal);
  } catch (error) {
    if (!(error instanceof CypherFixError) || error.code === 'interrupted' || error.code === 'internal') throw error;
    return {
      status: 'not-started',
      reason: whyNoSandbox(error, command.image),
      outputTail: '',
      sandboxRun: null,
      notices,
    };
  }
  return toRun(command, result, notices);
}

function whyNoSandbox(error: CypherFixError, image: string): string {
  if (!CLASSES.has(image)) return `${error.message}; tests.image must be a class whose image is there`;
  return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
}

const CLASSES = new Set(['node', 'python', 'go', 'java']);

function toRun(command: TreeCommand, result: SandboxResult, notices: readonly string[]): CommandRun {
  const notStarted = (reason: string, step?: StepResult): CommandRun => ({
    status: 'not-started',
    reason,
    outputTail: step === undefined ? '' : toTail(step, command.secrets),
    sandboxRun: result,
    notices,
  });
  const setup = result.steps.get(STEP.setup);
  const setupFault = setup === undefined ? null : faultOf(setup, command.timeoutMs);
  if (setupFault !== null) return notStarted(`tests.setup ${setupFault}`, setup);
  const step = result.steps.get(STEP.command);
  if (step === undefined) return notStarted(result.failure ?? 'the sandbox gave no result', setup);
  if (step.spawnError !== undefined) return notStarted(`the command did not start: ${step.spawnError}`);
  const collected = readCollected(command, result);
  const results = readTestResults({
    junitFiles: collected.texts,
    stdout: step.stdout.toString('utf8'),
    stderr: step.stderr.toString('utf8'),
  });
  // The shell's own codes for a program that is not there or may not be run.
  if ((step.exitCode === 127 || step.exitCode === 126) && results.results.length === 0) {
    return notStarted(
      `the command did not start (exit code ${step.exitCode}); what it needs must be in the image`,
      step,
    );
  }
  const incomplete = faultOfRun(step, command.timeoutMs, results) ?? collected.incomplete ?? results.incomplete;
  return {
    status: 'ran',
    exitCode: step.exitCode,
    timedOut: step.timedOut,
    outputTail: toTail(step, command.secrets),
    results: { ...results, incomplete },
    sandboxRun: result,
    notices,
  };
}

function readCollected({ resultGlobs }: TreeCommand, result: SandboxResult): CollectedFiles {
  if (resultGlobs.length === 0) return { texts: [], incomplete: null };
  const step = result.steps.get(STEP.collect);
  if (step === undefined || step.exitCode !== 0) return { texts: [], incomplete: 'the result files could not be read' };
  return parseCollected(step.stdout, resultGlobs);
}

function faultOf({ exitCode, signal, timedOut, spawnError }: StepResult, timeoutMs: number): string | null {
  if (spawnError !== undefined) return `did not start: ${spawnError}`;
  if (timedOut) return `was stopped after ${timeoutMs / 1000} s`;
  if (signal !== null) return `was ended by ${signal}`;
  return exitCode === 0 ? null : `ended with exit code ${exitCode}`;
}

/** Why not every test may have come to its end; a run that failed must be explained by a test that failed. */
function faultOfRun(step: StepResult, timeoutMs: number, { results, source }: TestResults): string | null {
  const fault = faultOf(step, timeoutMs);
  if (fault !== null && (step.timedOut || step.signal !== null)) return `the command ${fault}`;
  if (step.truncated && source !== 'JUnit') return 'the output of the command was cut';
  const hasFailure = results.some(({ status }) => status === 'failed' || status === 'error');
  return fault === null || hasFailure ? null : `the command ${fault} though no test is reported as failed`;
}

function toTail({ stdout, stderr }: StepResult, secrets: SecretRegistry | undefined): string {
  const end = (bytes: Buffer) => toVisibleText(bytes.subarray(-4 * TAIL_BYTES).toString('utf8')).trimEnd();
  // Redacted before it is cut, so that no half of a secret stays.
  const text = redact([end(stdout), end(stderr)].filter(Boolean).join('\n'), secrets);
  const bytes = Buffer.from(text);
  return bytes.length <= TAIL_BYTES
    ? text
    : `…${bytes
        .subarray(-(TAIL_BYTES - 3))
        .toString('utf8')
        .replace(/^\uFFFD+/, '')}`;
}
