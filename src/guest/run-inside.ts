import { setImmediate as nextTurn } from 'node:timers/promises';
import { runInThisContext } from 'node:vm';
import { runShort } from '../scanners/guest/dockerfile.ts';
import type { GuestStep } from './protocol.ts';
import type { StepOutcome } from './run-step.ts';

/** The program's words after its name, by its name; undefined where it wants a process of its own. */
const PROGRAMS: Readonly<Record<string, (argv: readonly string[]) => string | undefined>> = { dockerfile: runShort };

/** An honest Dockerfile takes a twentieth of it. No output of the other steps is read in the meantime. */
const INSIDE_MS = 300;
/** A script sees the values of this module by a global name only. */
const GLOBAL_NAME = 'cypherfixInside';

/**
 * Runs a step in this process: one of its own costs the sandbox more than all that such a step does. Undefined where it has
 * more to read than that, or was not done in a moment, as where a text was made to keep an expression busy; it is then run
 * as any other, where its own time limit holds.
 */
export async function runInside(step: GuestStep, budget: { bytes: number }): Promise<StepOutcome | undefined> {
  const program = step.inside === true ? PROGRAMS[step.argv[2] ?? ''] : undefined;
  if (program === undefined) return undefined;
  // The other steps are started first.
  await nextTurn();
  const startedAt = performance.now();
  const said = { stdout: '', stderr: '' };
  let exitCode = 0;
  try {
    const text = runWithin(Math.min(INSIDE_MS, step.timeoutMs), () => program(step.argv.slice(3)));
    if (text === undefined) return undefined;
    said.stdout = text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    exitCode = 70;
    said.stderr = `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
  }
  const [stdout, stderr] = [
    take(said.stdout, step.maxStdoutBytes, budget),
    take(said.stderr, step.maxStderrBytes, budget),
  ];
  return {
    exitCode,
    signal: null,
    timedOut: false,
    truncated: stdout.truncated || stderr.truncated,
    spawnError: null,
    durationMs: Math.round(performance.now() - startedAt),
    stdout: stdout.bytes,
    stderr: stderr.bytes,
  };
}

/** Throws ERR_SCRIPT_EXECUTION_TIMEOUT when the work takes longer, a regular expression's included. */
function runWithin<T>(timeout: number, work: () => T): T {
  Object.defineProperty(globalThis, GLOBAL_NAME, { value: work, configurable: true });
  try {
    return runInThisContext(`${GLOBAL_NAME}()`, { timeout }) as T;
  } finally {
    Reflect.deleteProperty(globalThis, GLOBAL_NAME);
  }
}

function take(text: string, maxBytes: number, budget: { bytes: number }): { bytes: Buffer; truncated: boolean } {
  const all = Buffer.from(text);
  const bytes = all.subarray(0, Math.min(maxBytes, budget.bytes));
  budget.bytes -= bytes.length;
  return { bytes, truncated: bytes.length < all.length };
}
