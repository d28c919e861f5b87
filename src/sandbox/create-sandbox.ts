import { randomBytes } from 'node:crypto';
import { CypherFixError, toMessage } from '../core/errors.ts';
import type { InheritedConfig } from './check-container.ts';
import { toContainerSettings } from './container-settings.ts';
import type { ImageDescription } from './docker.ts';
import { guessImage } from './guess-image.ts';
import type { ResolvedImage } from './images.ts';
import { type LiveContainer, launchContainer } from './launch-container.ts';
import { hasOtherRuns, removeLeftovers, toLabels } from './leftovers.ts';
import { letRequestsLeave } from './let-requests-leave.ts';
import {
  type PreparedSandbox,
  prepareSandbox,
  type SandboxOptions,
  toIdentity,
  toPossible,
} from './prepare-sandbox.ts';
import { toStartCommand } from './protocol.ts';
import type { Sandbox, SandboxIdentity, SandboxJob, SandboxLimits, SandboxResult } from './sandbox.ts';

export type { SandboxOptions } from './prepare-sandbox.ts';

export interface GvisorSandbox extends Sandbox {
  /**
   * Starts a container in the background for the next job of this class and these limits. Resolves when the engine has
   * been told to, or it failed, which the job will tell: work that keeps this process busy should begin after that.
   */
  prewarm(imageClass: string, limits: Pick<SandboxLimits, 'memoryMb' | 'cpus'>): Promise<void>;
  /** What jobs of this class run under; rejects when the sandbox cannot be had. */
  fetchIdentity(imageClass: string): Promise<SandboxIdentity>;
}

interface WarmContainer {
  readonly container: LiveContainer;
  readonly imageId: string;
}

/** How long a container that was started ahead may wait and work before other runs take it for a leftover. */
const WARM_MS = 3_600_000;

/**
 * A sandbox on Docker and gVisor. Resolves at once: the engine is looked for in the background, and what is missing
 * rejects the first job. `close` must be called whatever happens.
 */
export async function createSandbox(options: SandboxOptions): Promise<GvisorSandbox> {
  if (options.allowInsecure && options.onActions) {
    throw new CypherFixError(
      'usage',
      'CYPHERFIX_ALLOW_INSECURE_SANDBOX is for development and refused on GitHub Actions',
      {
        hint: 'remove the variable from the workflow',
      },
    );
  }
  const prepared = prepareSandbox(options);
  // Rejects the jobs; without any job nobody is interested.
  prepared.catch(() => {});
  const images = new Map<string, Promise<ResolvedImage>>();
  const warm = new Map<string, Promise<WarmContainer>>();
  const removals = new Set<Promise<void>>();

  const resolve = async (ready: PreparedSandbox, imageClass: string): Promise<ResolvedImage> => {
    const { resolveImage } = await import('./images.ts');
    return resolveImage(ready.engine.docker, await ready.readLocks(), imageClass, options.signal);
  };

  const findImage = (ready: PreparedSandbox, imageClass: string): Promise<ResolvedImage> => {
    const found = images.get(imageClass) ?? resolve(ready, imageClass);
    images.set(imageClass, found);
    return found;
  };

  const launch = async (
    imageClass: string,
    image: Pick<ImageDescription, 'id' | 'config'>,
    wanted: Pick<SandboxLimits, 'memoryMb' | 'cpus'>,
    timeoutMs: number,
    signal: AbortSignal,
    onStarting?: () => void,
  ): Promise<LiveContainer> => {
    const ready = await prepared;
    const labels = await toLabels(options.runLabel, timeoutMs, Date.now());
    const nonce = randomBytes(16).toString('hex');
    const { runtime } = ready.engine;
    const settings = toContainerSettings({
      runtime: runtime.name,
      imageId: image.id,
      command: toStartCommand(nonce),
      ...toPossible(wanted, ready.engine),
      labels,
      limitProcesses: !runtime.insecure,
    });
    const name = `cypherfix-${randomBytes(8).toString('hex')}`;
    const request = {
      name,
      imageClass,
      settings,
      inherited: image.config as InheritedConfig,
      nonce,
      requireGvisor: !runtime.insecure,
      ...(onStarting === undefined ? {} : { onStarting }),
    };
    return launchContainer(ready.engine.docker, request, signal);
  };

  const removeLater = (container: LiveContainer, isDone = false): void => {
    const removal = container
      .remove({ isDone })
      .catch(error => options.log.warn(`a container could not be removed: ${toMessage(error)}`));
    removals.add(removal);
    void removal.finally(() => removals.delete(removal));
  };

  const launchAhead = async (
    imageClass: string,
    limits: Pick<SandboxLimits, 'memoryMb' | 'cpus'>,
    onStarting: () => void,
  ): Promise<WarmContainer> => {
    const ready = await prepared;
    const { signal } = options;
    const guess = await guessImage(ready.engine.docker, options, imageClass, signal);
    const image = guess ?? (await findImage(ready, imageClass));
    return { imageId: image.id, container: await launch(imageClass, image, limits, WARM_MS, signal, onStarting) };
  };

  /** A container of just this image that was started ahead for such a job. */
  const takeWarm = async (job: SandboxJob, imageId: string): Promise<LiveContainer | undefined> => {
    const key = toKey(job.imageClass, job.limits);
    const started = warm.get(key);
    warm.delete(key);
    // One that failed to start is tried again from the beginning, which tells the reason if it stays.
    const found = await started?.catch(() => undefined);
    if (found === undefined) return undefined;
    if (found.container.running && found.imageId === imageId) return found.container;
    removeLater(found.container);
    return undefined;
  };

  return {
    prewarm(imageClass, limits) {
      const key = toKey(imageClass, limits);
      if (warm.has(key)) return Promise.resolve();
      return new Promise(resolve => {
        const started = launchAhead(imageClass, limits, resolve);
        started.catch(() => resolve());
        warm.set(key, started);
      });
    },

    async fetchIdentity(imageClass) {
      const ready = await prepared;
      return toIdentity(ready, await findImage(ready, imageClass), await ready.fetchRuntimeVersion());
    },

    async run(job, signal): Promise<SandboxResult> {
      // Loaded here: a container that is started ahead needs none of it.
      const [{ assertJob }, { runJob }] = await Promise.all([import('./pack-snapshot.ts'), import('./run-job.ts')]);
      assertJob(job);
      const both = AbortSignal.any([signal, options.signal]);
      try {
        both.throwIfAborted();
        const ready = await prepared;
        const image = await findImage(ready, job.imageClass);
        // The job's clock starts here: an engine's start or a pull is not the job's fault.
        const startedAt = performance.now();
        const container =
          (await takeWarm(job, image.id)) ??
          (await launch(job.imageClass, image, job.limits, job.limits.timeoutMs, both));
        let isDone = false;
        try {
          const limits = { ...job.limits, ...toPossible(job.limits, ready.engine) };
          const nonce = randomBytes(16).toString('hex');
          const onSent = (): void => {
            void ready.fetchRuntimeVersion();
            void ready.removeLeftovers();
          };
          const running = { engine: ready.engine.docker, container, job, limits, nonce, startedAt, onSent };
          const result = await runJob(running, both);
          isDone = result.failure === undefined;
          return { ...result, identity: toIdentity(ready, image, await ready.fetchRuntimeVersion()) };
        } finally {
          removeLater(container, isDone);
          await letRequestsLeave();
        }
      } catch (error) {
        // A signal's own reason is a DOMException, which nobody would know as an interruption.
        if (!both.aborted || error instanceof CypherFixError) throw error;
        throw new CypherFixError('interrupted', 'interrupted', { cause: error });
      }
    },

    async close() {
      const ready = await prepared.catch(() => undefined);
      if (ready === undefined) return;
      for (const started of warm.values()) {
        await started.then(
          ({ container }) => removeLater(container),
          () => {},
        );
      }
      warm.clear();
      await Promise.all(removals);
      const { docker } = ready.engine;
      const now = Date.now();
      await removeLeftovers(docker, { log: options.log, now, ownRun: options.runLabel });
      await ready.engine.release(() => hasOtherRuns(docker, options.runLabel, now));
    },
  };
}

const toKey = (imageClass: string, limits: Pick<SandboxLimits, 'memoryMb' | 'cpus'>): string =>
  JSON.stringify([imageClass, limits.memoryMb, limits.cpus]);
