import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CypherFixError, EXIT, toMessage } from '../core/errors.ts';
import { createSandbox, type SandboxOptions } from '../sandbox/create-sandbox.ts';
import { readImageLocks, toPullReference } from '../sandbox/images.ts';
import { runSetup, type SetupPlace } from '../sandbox/run-setup.ts';
import type { CommandContext } from './context.ts';
import { toSandboxOptions } from './sandbox-options.ts';
import { tellError } from './tell-error.ts';

const IMAGE_CLASS = 'scanners';

/**
 * Step 2: makes the sandbox ready. gVisor and a private Docker Engine are installed beside whatever the machine has; the
 * image is pulled by digest where a lock names a published one, else taken from the cache of GitHub Actions, else built.
 */
export const run = (_argv: readonly string[], context: CommandContext): Promise<number> =>
  tellError(context, () => prepare(context));

async function prepare(context: CommandContext): Promise<number> {
  const temp = context.env['RUNNER_TEMP'];
  if (temp === undefined || temp === '') {
    throw new CypherFixError('usage', 'RUNNER_TEMP is not set', {
      hint: 'this command is a step of the action; on your machine use: npm run setup',
    });
  }
  const options = toSandboxOptions(context);
  assertLockExists(options.imagesLock);
  const end = context.log.stage('Making the sandbox ready');
  try {
    await makeReady(options, toPlace(options, context), join(temp, 'cypherfix-image'));
  } finally {
    end();
  }
  return EXIT.passed;
}

const toPlace = (options: SandboxOptions, { env }: CommandContext): SetupPlace => ({
  actionPath: options.actionPath,
  home: options.home,
  env,
  log: options.log,
  signal: options.signal,
});

async function makeReady(options: SandboxOptions, place: SetupPlace, folder: string): Promise<void> {
  if (options.dockerHost !== undefined) {
    // Another machine's engine is not ours to set up: it has gVisor and the image, or a registry has the image.
    options.log.info(`using the engine at ${options.dockerHost}`);
    return findImage(options);
  }
  if ((await runSetup(['--check', '--class', IMAGE_CLASS], place)).status === 0) return;
  if (await pullPublished(options, place)) return;
  await restoreOrBuild(place, folder);
}

/** True when a lock names a published image and the engine has it now. */
async function pullPublished(options: SandboxOptions, place: SetupPlace): Promise<boolean> {
  const { published } = await readImageLocks(options.actionPath, options.home, options.imagesLock);
  const locked = Object.hasOwn(published.images, IMAGE_CLASS) ? published.images[IMAGE_CLASS] : undefined;
  const reference = locked === undefined ? undefined : toPullReference(locked);
  if (reference === undefined) return false;
  await setUp(['--engine-only'], place);
  try {
    options.log.info(`pulling ${reference}`);
    await findImage(options);
    return true;
  } catch (error) {
    options.signal.throwIfAborted();
    options.log.warn(`the published image could not be had, so it is built here: ${toMessage(error)}`);
    return false;
  }
}

async function findImage(options: SandboxOptions): Promise<void> {
  const sandbox = await createSandbox(options);
  try {
    const { imageDigest, runtime, runtimeVersion } = await sandbox.fetchIdentity(IMAGE_CLASS);
    options.log.info(`ready: ${runtime} ${runtimeVersion}, image ${imageDigest}`);
  } finally {
    await sandbox.close();
  }
}

async function restoreOrBuild(place: SetupPlace, folder: string): Promise<void> {
  const { restoreImages, saveImages, toImageKey } = await import('../sandbox/image-cache.ts');
  const hash = await setUp(['--hash', IMAGE_CLASS], place);
  const cached = { folder, key: toImageKey(IMAGE_CLASS, hash, process.arch) };
  try {
    empty(folder);
    const restored = await restoreImages(cached, place.log);
    const before = identifyEntry(folder);
    await setUp(['--class', IMAGE_CLASS, '--cache', folder], place);
    const built = identifyEntry(folder) !== before;
    if (built && !(await saveImages(cached, place.log)) && restored) {
      place.log.warn(`the cache entry ${cached.key} cannot be used; delete it in the repository's list of caches`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Set-up leaves the archive of an image that it built, and its entry last. */
function identifyEntry(folder: string): string {
  const entry = statSync(join(folder, `${IMAGE_CLASS}.json`), { throwIfNoEntry: false, bigint: true });
  return entry === undefined ? '' : `${entry.ino} ${entry.mtimeNs}`;
}

/** The folder lies in a place that other programs may write to: what they left there is not taken over. */
function empty(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
}

async function setUp(args: readonly string[], place: SetupPlace): Promise<string> {
  const { status, output, complaint } = await runSetup(args, place);
  if (status === 0) return output.trim();
  throw new CypherFixError(status === 69 ? 'missing' : 'sandbox', `the sandbox could not be set up: ${complaint}`, {
    hint: 'the log above has the details; sandbox/README.md says what a machine needs',
  });
}

function assertLockExists(path: string | undefined): void {
  if (path === undefined || existsSync(path)) return;
  throw new CypherFixError('usage', `input images-lock: there is no file ${path}`);
}
