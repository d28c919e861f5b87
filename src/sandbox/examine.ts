import { CypherFixError, toMessage } from '../core/errors.ts';
import { createSandbox, type SandboxOptions } from './create-sandbox.ts';
import { type ChosenEngine, chooseEngine } from './engine.ts';
import { findImage, listCandidates, readImageLocks } from './images.ts';
import { hasOtherRuns } from './leftovers.ts';
import { fetchRuntimeVersion } from './prove-gvisor.ts';
import type { Sandbox, SandboxJob } from './sandbox.ts';
import { toSetupCommand } from './setup-command.ts';

export interface Check {
  readonly status: 'ok' | 'warn' | 'fail';
  readonly what: string;
  /** What to do about it. */
  readonly fix?: string;
}

/**
 * Everything a sandbox needs, looked at one after another: engine, runtime with its platform, the images of both locks, and
 * one job in each image that really runs. Starts the private engine for as long as this takes. Rejects only when the signal aborts.
 */
export async function examineSandbox(options: SandboxOptions): Promise<Check[]> {
  let engine: ChosenEngine;
  try {
    engine = await chooseEngine({ ...options, mayStart: true }, options.signal);
  } catch (error) {
    options.signal.throwIfAborted();
    return [toFailure('Docker Engine with gVisor', error)];
  }
  try {
    const { checks: images, ready } = await examineImages(engine, options);
    const checks = [toEngineCheck(engine), await examineRuntime(engine), ...images];
    return images.some(check => check.status === 'fail') ? checks : [...checks, ...(await examineJobs(ready, options))];
  } finally {
    await engine.release(() => hasOtherRuns(engine.docker, options.runLabel, Date.now()));
  }
}

function toEngineCheck({ docker, info }: ChosenEngine): Check {
  const memory = Math.floor(info.memoryBytes / 2 ** 30);
  return {
    status: 'ok',
    what: `Docker Engine ${info.serverVersion} at ${docker.address.text}, ${info.cpus} CPUs, ${memory} GiB`,
  };
}

async function examineRuntime({ docker, runtime }: ChosenEngine): Promise<Check> {
  if (runtime.insecure) {
    return {
      status: 'warn',
      what: 'no gVisor runtime: jobs run under runc, for development only',
      fix: 'npm run setup',
    };
  }
  const version = await fetchRuntimeVersion(docker, runtime);
  const what = `gVisor ${version} as runtime ${runtime.name}, platform ${runtime.platform}`;
  // ptrace works, slowly, and gVisor drops it; kvm inside a virtual machine may hang.
  return runtime.platform === 'systrap' || runtime.platform === 'default'
    ? { status: 'ok', what }
    : { status: 'warn', what, fix: 'register runsc with --platform=systrap, or run: npm run setup' };
}

interface Images {
  readonly checks: Check[];
  /** Classes whose image is on the engine. */
  readonly ready: ReadonlySet<string>;
}

async function examineImages(engine: ChosenEngine, options: SandboxOptions): Promise<Images> {
  const ready = new Set<string>();
  try {
    const locks = await readImageLocks(options.actionPath, options.home, options.imagesLock);
    const checks: Check[] = [];
    for (const place of ['local', 'published'] as const) {
      for (const [imageClass, locked] of Object.entries(locks[place].images)) {
        const found = await findImage(engine.docker, locked, options.signal);
        if (found !== undefined) ready.add(imageClass);
        const name = `image ${imageClass} (${place} lock) ${locked.configDigest}`;
        checks.push(
          found !== undefined
            ? { status: 'ok', what: name }
            : locked.reference !== undefined
              ? {
                  status: 'warn',
                  what: `${name} is not on this engine`,
                  fix: 'none needed: it is pulled by digest when first used',
                }
              : { status: 'fail', what: `${name} is not on this engine`, fix: toSetupCommand(imageClass) },
        );
      }
    }
    if (listCandidates(locks, 'scanners').length === 0) {
      checks.push({ status: 'fail', what: 'no image lock has the class scanners', fix: toSetupCommand('scanners') });
    }
    return { checks, ready };
  } catch (error) {
    options.signal.throwIfAborted();
    return { checks: [toFailure('image locks', error)], ready };
  }
}

/** One job in each of the images, one after another. */
async function examineJobs(imageClasses: ReadonlySet<string>, options: SandboxOptions): Promise<Check[]> {
  const sandbox = await createSandbox(options);
  try {
    const checks: Check[] = [];
    for (const imageClass of imageClasses) checks.push(await examineJob(sandbox, imageClass, options.signal));
    return checks;
  } finally {
    await sandbox.close();
  }
}

/** A job of one trivial step: proves that containers start, that their kernel is gVisor and that results come back. */
async function examineJob(sandbox: Sandbox, imageClass: string, signal: AbortSignal): Promise<Check> {
  const name = `a job in the sandbox, image ${imageClass}`;
  try {
    const result = await sandbox.run({ ...TRIVIAL_JOB, imageClass }, signal);
    if (result.failure !== undefined || result.steps.get('true')?.exitCode !== 0) {
      const what = `${name}: ${result.failure ?? 'its step did not succeed'}`;
      return { status: 'fail', what, fix: toSetupCommand(imageClass) };
    }
    return { status: 'ok', what: `${name}: its kernel is proved, ${result.durationMs} ms` };
  } catch (error) {
    signal.throwIfAborted();
    return toFailure(name, error);
  }
}

const TRIVIAL_JOB: Omit<SandboxJob, 'imageClass'> = {
  purpose: 'doctor',
  snapshot: [],
  phases: [
    [
      {
        name: 'true',
        argv: ['/bin/true'],
        cwd: '/work',
        env: {},
        timeoutMs: 10_000,
        maxStdoutBytes: 1024,
        maxStderrBytes: 1024,
      },
    ],
  ],
  limits: { memoryMb: 512, cpus: 1, timeoutMs: 60_000, maxOutputBytes: 4096 },
};

function toFailure(what: string, error: unknown): Check {
  const fix = error instanceof CypherFixError ? error.hint : undefined;
  return { status: 'fail', what: `${what}: ${toMessage(error)}`, fix: (fix ?? 'npm run setup').replace(/^run: /, '') };
}
