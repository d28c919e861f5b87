import { CypherFixError } from '../core/errors.ts';
import type { DockerEngine, ImageDescription } from './docker.ts';
import { type ImageLock, type LockedImage, readImageLock } from './image-lock.ts';
import { toLockPaths } from './lock-paths.ts';
import { toSetupCommand } from './setup-command.ts';

/** Variables that change what the shell, the loader or Node do when they start. */
const STEERING_VARIABLE = /^(LD_|NODE_|ENV=|BASH_|IFS=)/;

export interface ImageLocks {
  /** Committed, of published images. */
  readonly published: ImageLock;
  /** Written by the local build; goes first, since it names what this machine really has. */
  readonly local: ImageLock;
}

export interface ResolvedImage {
  /** The engine's id, which containers are created from. */
  readonly id: string;
  readonly locked: LockedImage;
  readonly config: Readonly<Record<string, unknown>>;
}

/** `imagesLock` overrides the committed file (the input `images-lock`). */
export async function readImageLocks(actionPath: string, home: string, imagesLock?: string): Promise<ImageLocks> {
  const paths = toLockPaths({ actionPath, home, imagesLock });
  const [published, local] = await Promise.all([readImageLock(paths.published), readImageLock(paths.local)]);
  return { published, local };
}

/**
 * The engine's image of a class, found by digest alone; a published one is pulled when it is not there. Throws when the
 * class is in no lock or the image cannot be had.
 */
export async function resolveImage(
  engine: DockerEngine,
  locks: ImageLocks,
  imageClass: string,
  signal?: AbortSignal,
): Promise<ResolvedImage> {
  const candidates = listCandidates(locks, imageClass);
  for (const locked of candidates) {
    const image = await findImage(engine, locked, signal);
    if (image !== undefined) return image;
  }
  const publishable = candidates.find(locked => toPullReference(locked) !== undefined);
  if (publishable !== undefined) {
    await engine.pullImage(toPullReference(publishable) as string, signal);
    const image = await findImage(engine, publishable, signal);
    if (image !== undefined) return image;
    throw new CypherFixError('sandbox', `the pulled image of class ${imageClass} is not the one in the lock`);
  }
  const hint = `run: ${toSetupCommand(imageClass)}`;
  throw candidates.length === 0
    ? new CypherFixError('missing', `no image lock has the class "${imageClass}"`, { hint })
    : new CypherFixError('missing', `the engine at ${engine.address.text} has no image of the class "${imageClass}"`, {
        hint,
      });
}

/** The image when the engine has it, however its store names it; undefined otherwise. Never pulls. */
export async function findImage(
  engine: DockerEngine,
  locked: LockedImage,
  signal?: AbortSignal,
): Promise<ResolvedImage | undefined> {
  const named = [locked.configDigest, ...(locked.manifestDigest === undefined ? [] : [locked.manifestDigest])];
  for (const id of named) {
    const image = await engine.fetchImage(id, signal);
    if (image !== undefined && isLockedImage(image, locked)) return { id: image.id, locked, config: image.config };
  }
  // An image that was loaded into a containerd store has an id of its own: only its layers tell what it is.
  for (const id of await engine.listImageIds(signal)) {
    const image = await engine.fetchImage(id, signal);
    if (image !== undefined && isLockedImage(image, locked)) return { id: image.id, locked, config: image.config };
  }
  return undefined;
}

/** True when the engine has an image of some class, or a registry does. */
export async function holdsLockedImage(
  engine: DockerEngine,
  locks: ImageLocks,
  signal?: AbortSignal,
): Promise<boolean> {
  const all = [locks.local, locks.published].flatMap(lock => Object.values(lock.images));
  if (all.some(locked => toPullReference(locked) !== undefined)) return true;
  for (const locked of all) if ((await findImage(engine, locked, signal)) !== undefined) return true;
  return false;
}

/** True when the image's id is in the lock, or its layers are and its configuration adds nothing that a container would take over. */
export function isLockedImage(image: ImageDescription, locked: LockedImage): boolean {
  if (image.id === locked.configDigest || image.id === locked.manifestDigest) return true;
  const sameLayers =
    image.diffIds.length === locked.diffIds.length && image.diffIds.every((id, index) => id === locked.diffIds[index]);
  if (!sameLayers) return false;
  const env = Array.isArray(image.config['Env']) ? image.config['Env'] : [];
  const inherited = ['Volumes', 'Healthcheck', 'OnBuild', 'Labels', 'Shell'].some(name => {
    const value = image.config[name];
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  });
  return !inherited && !env.some(entry => STEERING_VARIABLE.test(String(entry)));
}

/** `repository@sha256:…`, or undefined for an image that no registry has. */
export function toPullReference(locked: LockedImage): string | undefined {
  if (locked.reference === undefined || locked.manifestDigest === undefined) return undefined;
  return `${locked.reference}@${locked.manifestDigest}`;
}

export function listCandidates(locks: ImageLocks, imageClass: string): LockedImage[] {
  return [locks.local, locks.published].flatMap(lock =>
    Object.hasOwn(lock.images, imageClass) ? [lock.images[imageClass] as LockedImage] : [],
  );
}
