import { readFile } from 'node:fs/promises';
import type { DockerEngine, ImageDescription } from './docker.ts';
import { toLockPaths } from './lock-paths.ts';
import type { SandboxOptions } from './prepare-sandbox.ts';

/**
 * The image that the locks most likely mean, from their text alone: to check a lock takes longer than to read it, and a
 * container that is started ahead should not wait for that. Undefined where nothing is sure. Whoever uses it asks the
 * checked locks before any of a job is sent into the container.
 */
export async function guessImage(
  engine: DockerEngine,
  options: Pick<SandboxOptions, 'home' | 'actionPath' | 'imagesLock'>,
  imageClass: string,
  signal: AbortSignal,
): Promise<ImageDescription | undefined> {
  const { local, published } = toLockPaths(options);
  for (const path of [local, published]) {
    const digest = await readDigest(path, imageClass);
    const image = digest === undefined ? undefined : await engine.fetchImage(digest, signal);
    if (image !== undefined) return image.id === digest ? image : undefined;
  }
  return undefined;
}

async function readDigest(path: string, imageClass: string): Promise<string | undefined> {
  try {
    const lock = JSON.parse(await readFile(path, 'utf8')) as { images: Record<string, { configDigest: unknown }> };
    const digest = lock.images[imageClass]?.configDigest;
    return typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : undefined;
  } catch {
    return undefined;
  }
}
