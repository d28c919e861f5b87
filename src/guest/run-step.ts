import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { type GuestStep, MAX_REASON_CHARS } from './protocol.ts';

/** The environment of every step; nothing of the container's own is handed on. */
export const BASE_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/work/.home',
  LANG: 'C.UTF-8',
  TMPDIR: '/work/.tmp',
};
/** A step that writes this much beyond its cap is ended: draining a flood would take the time of the other steps. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;
/** How long a pipe that a daemon keeps open is read on after the step itself has ended. */
const PIPE_GRACE_MS = 500;

export interface StepOutcome {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  readonly spawnError: string | null;
  readonly durationMs: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/**
 * Runs one step in a process group of its own, or in that of a process that was started for it before; `budget.bytes` is
 * what the job as a whole may still put out.
 */
export async function runStep(
  step: GuestStep,
  budget: { bytes: number },
  started?: ChildProcess,
): Promise<StepOutcome> {
  const startedAt = performance.now();
  const [program = '', ...argv] = step.argv;
  let child: ChildProcess;
  try {
    child =
      started ??
      spawn(program, argv, {
        cwd: step.cwd,
        env: { ...BASE_ENVIRONMENT, ...step.env },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
  } catch (error) {
    return notStarted(step, error as Error, startedAt);
  }
  const end = (): void => killGroup(child);
  const stdout = capture(child.stdout, { maxBytes: step.maxStdoutBytes, budget, onFlood: end });
  const stderr = capture(child.stderr, { maxBytes: step.maxStderrBytes, budget, onFlood: end });

  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, step.timeoutMs);
  const ended = await waitForEnd(child);
  clearTimeout(timer);
  if (ended instanceof Error) return notStarted(step, ended, startedAt);
  return {
    exitCode: ended.code,
    signal: ended.signal,
    timedOut,
    truncated: stdout.truncated || stderr.truncated,
    spawnError: null,
    durationMs: Math.round(performance.now() - startedAt),
    stdout: Buffer.concat(stdout.chunks),
    stderr: Buffer.concat(stderr.chunks),
  };
}

interface Captured {
  readonly chunks: Buffer[];
  truncated: boolean;
}

// What is over the cap is read and dropped, so that a chatty program still comes to its end.
function capture(
  stream: Readable | null,
  { maxBytes, budget, onFlood }: { maxBytes: number; budget: { bytes: number }; onFlood: () => void },
): Captured {
  const captured: Captured = { chunks: [], truncated: false };
  let room = maxBytes;
  let dropped = 0;
  stream?.on('data', (chunk: Buffer) => {
    const kept = Math.min(chunk.length, room, budget.bytes);
    if (kept > 0) captured.chunks.push(kept === chunk.length ? chunk : Buffer.from(chunk.subarray(0, kept)));
    if (kept < chunk.length) captured.truncated = true;
    room -= kept;
    budget.bytes -= kept;
    dropped += chunk.length - kept;
    if (dropped > MAX_DROPPED_BYTES) onFlood();
  });
  stream?.on('error', () => {
    captured.truncated = true;
  });
  return captured;
}

function waitForEnd(child: ChildProcess): Promise<Error | { code: number | null; signal: string | null }> {
  return new Promise(resolve => {
    let grace: NodeJS.Timeout | undefined;
    child.on('error', error => {
      if (child.pid === undefined) resolve(error);
    });
    child.on('exit', () => {
      killGroup(child);
      grace = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, PIPE_GRACE_MS);
    });
    child.on('close', (code, signal) => {
      clearTimeout(grace);
      resolve({ code, signal });
    });
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // No such group: all of its processes have ended.
  }
}

function notStarted(step: GuestStep, error: Error, started: number): StepOutcome {
  const reason = existsSync(step.cwd) ? error.message : `the working directory ${step.cwd} does not exist`;
  return {
    exitCode: null,
    signal: null,
    timedOut: false,
    truncated: false,
    spawnError: reason.slice(0, MAX_REASON_CHARS),
    durationMs: Math.round(performance.now() - started),
    stdout: Buffer.alloc(0),
    stderr: Buffer.alloc(0),
  };
}
