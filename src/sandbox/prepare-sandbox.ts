import type { Log } from '../core/log.ts';
import type { DockerEngine } from './docker.ts';
import type { TlsFiles } from './docker-address.ts';
import { type ChosenEngine, chooseEngine } from './engine.ts';
import type { ImageLocks, ResolvedImage } from './images.ts';
import { removeLeftovers } from './leftovers.ts';
import { fetchRuntimeVersion } from './prove-gvisor.ts';
import type { SandboxIdentity, SandboxLimits } from './sandbox.ts';

export interface SandboxOptions {
  /** $CYPHERFIX_HOME, absolute. */
  readonly home: string;
  /** $DOCKER_HOST, when set. */
  readonly dockerHost?: string | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Root of the checkout: holds sandbox/engine and sandbox/images.lock.json. */
  readonly actionPath: string;
  /** Another lock than the committed one (input `images-lock`). */
  readonly imagesLock?: string | undefined;
  /** `<run id>-<attempt>`, or any other text that is this run's own. */
  readonly runLabel: string;
  /** CYPHERFIX_ALLOW_INSECURE_SANDBOX=1: runc where there is no gVisor, for development. */
  readonly allowInsecure: boolean;
  /** GITHUB_ACTIONS=true: an insecure sandbox is refused whatever `allowInsecure` says. */
  readonly onActions: boolean;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface PreparedSandbox {
  readonly engine: ChosenEngine;
  /** Read when first wanted: what reads them takes its time to load. */
  readLocks(): Promise<ImageLocks>;
  /** Of the runtime; asked once, when first wanted. */
  fetchRuntimeVersion(): Promise<string>;
  /** Removes what dead runs left, once; never rejects. */
  removeLeftovers(): Promise<number>;
}

/** Finds the engine; the image locks, the runtime's version and leftovers follow when somebody wants them. */
export async function prepareSandbox(options: SandboxOptions): Promise<PreparedSandbox> {
  let locks: Promise<ImageLocks> | undefined;
  const readLocksOnce = (): Promise<ImageLocks> => {
    locks ??= readLocks(options);
    return locks;
  };
  const holdsImages = async (docker: DockerEngine): Promise<boolean> => {
    const { holdsLockedImage } = await import('./images.ts');
    return holdsLockedImage(docker, await readLocksOnce(), options.signal);
  };
  const engine = await chooseEngine({ ...options, mayStart: true, holdsImages }, options.signal);
  if (engine.runtime.insecure) {
    options.log.warn('INSECURE: no gVisor on this engine, jobs run under runc; for development only');
  }
  let version: Promise<string> | undefined;
  let removal: Promise<number> | undefined;
  const fetchVersion = (): Promise<string> => {
    version ??= fetchRuntimeVersion(engine.docker, engine.runtime);
    return version;
  };
  return {
    engine,
    readLocks: readLocksOnce,
    fetchRuntimeVersion: fetchVersion,
    removeLeftovers() {
      removal ??= removeLeftovers(engine.docker, { log: options.log, now: Date.now() });
      return removal;
    },
  };
}

async function readLocks({ actionPath, home, imagesLock }: SandboxOptions): Promise<ImageLocks> {
  const { readImageLocks } = await import('./images.ts');
  return readImageLocks(actionPath, home, imagesLock);
}

/** What the engine's machine can give: at least one job's worth, at most four fifths of its memory. */
export function toPossible(
  wanted: Pick<SandboxLimits, 'memoryMb' | 'cpus'>,
  engine: ChosenEngine,
): Pick<SandboxLimits, 'memoryMb' | 'cpus'> {
  const mostMb = Math.floor((engine.info.memoryBytes / (1024 * 1024)) * 0.8);
  return {
    memoryMb: mostMb > 0 ? Math.min(wanted.memoryMb, mostMb) : wanted.memoryMb,
    cpus: Math.min(wanted.cpus, Math.max(1, engine.info.cpus)),
  };
}

/** What a job of this image runs under, as the report tells it. */
export function toIdentity(ready: PreparedSandbox, image: ResolvedImage, runtimeVersion: string): SandboxIdentity {
  const { runtime } = ready.engine;
  return {
    runtime: runtime.name,
    runtimeVersion,
    platform: runtime.platform,
    imageDigest: image.id,
    ...(runtime.insecure ? { insecure: true } : {}),
    tools: image.locked.tools,
  };
}
