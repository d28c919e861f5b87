import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CypherFixError, EXIT, toMessage } from '../core/errors.ts';
import { createSandbox, type SandboxOptions } from '../sandbox/create-sandbox.ts';
import { readImageLocks, toPullReference } from '../sandbox/images.ts';
import { runSetup, type SetupPlace } from '../sandbox/run-setup.ts';
import type { CommandContext } from './context.ts';
import { toSandboxOptions } from './sandbox-options.ts';
import { tellError } from './tell-error.ts';
import { TEST_CLASSES } from './test-image.ts';

const SCANNERS = 'scanners';

/**
 * Step 2: makes the sandbox ready. gVisor and a private Docker Engine are installed beside whatever the machine has; the
 * image is pulled by digest where a lock names a published one, else taken from the cache of GitHub Actions, else built. The
 * image of the repository's tests comes the same way where `resolve` asks for one; without it the run goes on.
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
    const place = toPlace(options, context);
    const folder = join(temp, 'cypherfix-image');
    await makeReady(SCANNERS, options, place, folder);
    const testClass = context.env['CYPHERFIX_TEST_IMAGE'] ?? '';
    if (TEST_CLASSES.includes(testClass)) await tryMakeReady(testClass, options, place, folder);
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

/** The report says that tests could not start; the review itself needs no such image. */
async function tryMakeReady(
  imageClass: string,
  options: SandboxOptions,
  place: SetupPlace,
  folder: string,
): Promise<void> {
  try {
    await makeReady(imageClass, options, place, folder);
  } catch (error) {
    options.signal.throwIfAborted();
    options.log.warn(`the image of the tests (${imageClass}) could not be had: ${toMessage(error)}`);
  }
}

async function makeReady(
  imageClass: string,
  options: SandboxOptions,
  place: SetupPlace,
  folder: string,
): Promise<void> {
  if (options.dockerHost !== undefined) {
    // Another machine's engine is not ours to set up: it has gVisor and the image, or a registry has the image.
    options.log.info(`using the engine at ${options.dockerHost}`);
    return findImage(imageClass, options);
  }
  if ((await runSetup(['--check', '--class', imageClass], place)).status === 0) return;
  if (await pullPublished(imageClass, options, place)) return;
  await restoreOrBuild(imageClass, place, folder);
}

/** True when a lock names a published image and the engine has it now. */
async function pullPublished(imageClass: string, options: SandboxOptions, place: SetupPlace): Promise<boolean> {
  const { published } = await readImageLocks(options.actionPath, options.home, options.imagesLock);
  const locked = Object.hasOwn(published.images, imageClass) ? published.images[imageClass] : undefined;
  const reference = locked === undefined ? undefined : toPullReference(locked);
  if (reference === undefined) return false;
  await setUp(['--engine-only'], place);
  try {
    options.log.info(`pulling ${reference}`);
    await findImage(imageClass, options);
    return true;
  } catch (error) {
    options.signal.throwIfAborted();
    options.log.warn(`the published image could not be had, so it is built here: ${toMessage(error)}`);
    return false;
  }
}

async function findImage(imageClass: string, options: SandboxOptions): Promise<void> {
  const sandbox = await createSandbox(options);
  try {
    const { imageDigest, runtime, runtimeVersion } = await sandbox.fetchIdentity(imageClass);
    options.log.info(`ready: ${runtime} ${runtimeVersion}, image ${imageDigest}`);
  } finally {
    await sandbox.close();
  }
}

async function restoreOrBuild(imageClass: string, place: SetupPlace, folder: string): Promise<void> {
  const { restoreImages, saveImages, toImageKey } = await import('../sandbox/image-cache.ts');
  const hash = await setUp(['--hash', imageClass], place);
  const cached = { folder, key: toImageKey(imageClass, hash, process.arch) };
  try {
    empty(folder);
    const restored = await restoreImages(cached, place.log);
    const before = identifyEntry(imageClass, folder);
    await setUp(['--class', imageClass, '--cache', folder], place);
    const built = identifyEntry(imageClass, folder) !== before;
    if (built && !(await saveImages(cached, place.log)) && restored) {
      place.log.warn(`the cache entry ${cached.key} cannot be used; delete it in the repository's list of caches`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Set-up leaves the archive of an image that it built, and its entry last. */
function identifyEntry(imageClass: string, folder: string): string {
  const entry = statSync(join(folder, `${imageClass}.json`), { throwIfNoEntry: false, bigint: true });
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
