import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { CypherFixError } from '../core/errors.ts';
import type { DockerEngine, EngineInfo } from './docker.ts';

export interface ProvedRuntime {
  /** Name under which the engine knows it. */
  readonly name: string;
  /** Of the program on the engine's machine. */
  readonly path: string;
  /** `systrap`, `kvm`, `ptrace`, or `default` when the engine's configuration names none. */
  readonly platform: string;
  /** Only in development: this is not gVisor. */
  readonly insecure: boolean;
}

export const PREFERRED_RUNTIME = 'cypherfix-runsc';

/** Flags of runsc that would open a way out of the sandbox or lift its limits. */
const REFUSED_FLAG =
  /^--?(host-uds|fsgofer-host-uds|host-fifo|ignore-cgroups|nvproxy|tpuproxy|rootless|TESTONLY-[^=]*)(=|$)/;

/**
 * The gVisor runtime of an engine, chosen from what `docker info` says: ours, else another one whose program is runsc and
 * whose flags keep the sandbox closed. With `allowInsecure` runc stands in when there is none. Undefined: nothing usable.
 */
export function chooseRuntime(info: EngineInfo, allowInsecure: boolean): ProvedRuntime | undefined {
  const names = Object.keys(info.runtimes).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  for (const name of names) {
    const runtime = info.runtimes[name];
    if (runtime === undefined || findRuntimeFault(runtime) !== undefined) continue;
    return { name, path: runtime.path, platform: toPlatform(runtime.runtimeArgs), insecure: false };
  }
  const runc = info.runtimes['runc'];
  return allowInsecure && runc !== undefined
    ? { name: 'runc', path: runc.path, platform: 'none', insecure: true }
    : undefined;
}

/** Why a registered runtime is no sandbox; undefined when it is one. */
export function findRuntimeFault(runtime: EngineInfo['runtimes'][string]): string | undefined {
  if (basename(runtime.path) !== 'runsc') return 'its program is not runsc';
  // A boolean flag may say false, and host-uds none: then it opens nothing.
  const open = runtime.runtimeArgs.find(flag => REFUSED_FLAG.test(flag) && !/=(false|none|0)$/.test(flag));
  return open === undefined ? undefined : `it is registered with ${open}`;
}

/** What to do when no runtime is proved. */
export function toNoRuntimeError(engine: string): CypherFixError {
  return new CypherFixError(
    'missing',
    `the Docker Engine at ${engine} has no gVisor runtime (runsc), and nothing is run without one`,
    {
      hint: 'run: npm run setup',
    },
  );
}

/**
 * The version that the runtime's program tells. Only the engine's own machine can be asked; over TCP, or where the program
 * cannot be run, it is `unknown`.
 */
export async function fetchRuntimeVersion(engine: DockerEngine, runtime: ProvedRuntime): Promise<string> {
  if (engine.address.kind !== 'unix' || !runtime.path.startsWith('/')) return 'unknown';
  try {
    const { stdout } = await promisify(execFile)(runtime.path, ['--version'], { timeout: 5000, env: {} });
    return /version\s+(?:release-)?(\S+)/.exec(stdout)?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** One line that the container's first process writes before it reads anything. */
export interface GvisorProbe {
  /** What the process calls itself; see guest-version.ts. */
  readonly guest: string;
  readonly gvisor: boolean;
  readonly kernel: string;
}

/** Parses the probe's line; undefined when it is none of ours or carries another nonce. */
export function parseProbe(line: string, nonce: string): GvisorProbe | undefined {
  const match = /^cypherfix-probe (\S+) (yes|no) (\S+) (.*)$/.exec(line);
  if (match === null || match[1] !== nonce) return undefined;
  const guest = match[3] ?? '';
  const kernel = (match[4] ?? '').slice(0, 200);
  // gVisor's kernel names itself, and before 2026 it was known by its build date; /proc/gvisor exists in newer ones only.
  const named = /\bgvisor\b/i.test(kernel) || kernel.includes('Sun Jan 10 15:06:54 PST 2016');
  return { gvisor: named && (match[2] === 'yes' || !/gvisor/i.test(kernel)), guest, kernel };
}

const rank = (name: string): number => (name === PREFERRED_RUNTIME ? 0 : 1);

const toPlatform = (runtimeArgs: readonly string[]): string =>
  runtimeArgs
    .map(flag => /^--?platform=(.+)$/.exec(flag)?.[1])
    .filter(platform => platform !== undefined)
    .at(-1) ?? 'default';
