import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { CypherFixError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What set-up may know of the environment: who we are, and how network and registries are reached. No token is among them. */
const ALLOWED =
  /^(HOME|LANG|TMPDIR|CYPHERFIX_GROUP|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|GO(PROXY|SUMDB|NOSUMDB|NOPROXY|PRIVATE|INSECURE)|(PIP|NPM_CONFIG)_[A-Z_]+)$/i;

export interface SetupPlace {
  /** Root of the action: holds sandbox/setup. */
  readonly actionPath: string;
  /** $CYPHERFIX_HOME. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface SetupResult {
  /** 0 done, 1 (`--check`) something is to be done, 69 something cannot be had here, 70 a step broke. */
  readonly status: number;
  readonly output: string;
  /** What it said was wrong, or its last line. */
  readonly complaint: string;
}

/**
 * Runs sandbox/setup with these arguments; its progress goes to the log. Rejects when the signal aborts, once the script
 * has ended, or when it cannot be started.
 */
export async function runSetup(args: readonly string[], place: SetupPlace): Promise<SetupResult> {
  place.signal.throwIfAborted();
  const child = spawn('/bin/bash', [join(place.actionPath, 'sandbox', 'setup'), ...args], {
    env: toSetupEnvironment(place),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: bash sees a signal only when its child of the moment has ended, so that one must get it too.
    detached: true,
  });
  const interrupt = () => endProcess(child.pid);
  place.signal.addEventListener('abort', interrupt, { once: true });
  const output: string[] = [];
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', line => output.push(line));
  createInterface({ input: child.stderr }).on('line', line => {
    said.push(line);
    place.log.info(line);
  });
  const status = await new Promise<number>((resolve, reject) => {
    child.on('error', cause => reject(new CypherFixError('missing', 'bash could not be started', { cause })));
    child.on('close', code => resolve(code ?? 70));
  });
  place.signal.removeEventListener('abort', interrupt);
  place.signal.throwIfAborted();
  const complaints = said.filter(line => line.startsWith('error: ')).map(line => line.slice('error: '.length));
  return { status, output: output.join('\n'), complaint: complaints.join(' ') || (said.at(-1) ?? 'no reason given') };
}

export function toSetupEnvironment({ env, home }: Pick<SetupPlace, 'env' | 'home'>): Record<string, string> {
  const allowed = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return ALLOWED.test(name) && value !== undefined;
  });
  // `node` in the scripts is the one that runs us, whatever else the machine has.
  const path = [dirname(process.execPath), env['PATH'] || SYSTEM_PATH].join(':');
  return { ...Object.fromEntries(allowed), PATH: path, CYPHERFIX_HOME: home };
}

/** Set-up may run as root through sudo, which takes a signal but hands it to its own child alone: only root ends them all. */
function endProcess(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended, or all of it belongs to root.
  }
  if (process.getuid?.() === 0) return;
  spawn('sudo', ['-n', 'kill', '-TERM', '--', `-${pid}`], { stdio: 'ignore' }).on('error', () => {});
}
