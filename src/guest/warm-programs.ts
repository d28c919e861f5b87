import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { GuestStep } from './protocol.ts';

const NODE = '/usr/bin/node';
const PROGRAM = '/work/job/scan.js';
const SNAPSHOT = '/opt/eslint/eslint.blob';
/** Longer than any start takes; the step is then started plainly. */
const READY_MS = 10_000;

/**
 * Programs that need much of their time to start, and node's words for each. In gVisor memory that is touched for the first
 * time and V8's helper threads are dear: the young generation stays small, no full collection comes early, and a function
 * must be called more often than V8 has it before it is optimized, as most reviews end sooner. On a processor other than
 * the one that the snapshot was made on node refuses it; the step then runs without. The Dockerfile rules are not among
 * them: their start is short, and the start of what no step takes is lost.
 */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  lint: [
    '--single-threaded',
    '--initial-heap-size=256',
    '--max-semi-space-size=2',
    '--invocation-count-for-maglev=4000',
    '--invocation-count-for-maglev-osr=1000',
    '--invocation-count-for-turbofan=20000',
    '--invocation-count-for-osr=5000',
    '--snapshot-blob',
    SNAPSHOT,
    'wait',
  ],
};

export interface WarmPrograms {
  /** Tells each to begin with its step, ready or not, and ends those that no step of these needs. */
  begin(steps: readonly GuestStep[]): void;
  /** The process that began with a step; undefined when none did. */
  take(step: GuestStep): Promise<ChildProcess | undefined>;
}

interface Waiting {
  readonly child: ChildProcess;
  /** False when it ended instead. */
  readonly ready: Promise<boolean>;
}

/** Starts the programs before there is anything for them to do: the container waits for its snapshot in the meantime. */
export function startWarmPrograms(env: Readonly<Record<string, string>>): WarmPrograms {
  const waiting = new Map<string, Waiting>();
  // Images of other classes have none of it.
  for (const name of existsSync(SNAPSHOT) ? Object.keys(WORDS) : []) waiting.set(name, startWaiting(name, env));
  const begun = new Map<GuestStep, Waiting>();
  return {
    begin(steps) {
      for (const [name, found] of waiting) {
        const step = steps.find(one => toProgram(one) === name);
        if (step === undefined) {
          found.child.kill('SIGKILL');
          continue;
        }
        begun.set(step, found);
        (found.child.stdin as Writable).end(JSON.stringify({ cwd: step.cwd, argv: step.argv.slice(3) }));
      }
      waiting.clear();
    },
    async take(step) {
      const found = begun.get(step);
      if (found === undefined) return undefined;
      if ((await found.ready) && !hasEnded(found.child)) return found.child;
      found.child.kill('SIGKILL');
      return undefined;
    },
  };
}

function startWaiting(name: string, env: Readonly<Record<string, string>>): Waiting {
  const child = spawn(NODE, WORDS[name] ?? [], {
    cwd: '/work',
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  // One that cannot be started or has ended is not taken; nobody needs to hear of it.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  const sign = child.stdio[3] as Readable & Duplex;
  const ready = new Promise<boolean>(resolve => {
    sign.once('data', () => resolve(true));
    sign.once('close', () => resolve(false));
    sign.once('error', () => resolve(false));
    setTimeout(() => resolve(false), READY_MS).unref();
  });
  void ready.then(() => sign.destroy());
  return { child, ready };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** The program that a step starts, where it starts it plainly. */
function toProgram({ argv, env }: GuestStep): string | undefined {
  const [node, file, name] = argv;
  const isPlain = node === NODE && file === PROGRAM && Object.keys(env).length === 0;
  return isPlain && name !== undefined && Object.hasOwn(WORDS, name) ? name : undefined;
}
