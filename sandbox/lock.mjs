// The local image lock: which image of a class set-up built, from what, and whether it is still there.
// usage: node lock.mjs hash CLASS FILE...                                     prints the digest of what defines the image
//        node lock.mjs current HOME CLASS CONFIG_HASH                         exit 0 when that image is locked and in the engine's data
//        node lock.mjs record HOME CLASS CONFIG_HASH IDENTITY_JSON TOOLS DEBIAN   writes the entry after checking the engine's image
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspectImage } from './docker-api.mjs';

/** The local lock; an empty one when there is none yet. */
export function readLock(home) {
  const path = join(home, 'images.lock.json');
  if (!existsSync(path)) return { version: 1, images: {} };
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  if (lock.version !== 1 || typeof lock.images !== 'object') throw new Error(`${path}: not an image lock of version 1`);
  return lock;
}

/** Writes the entry of a class once the engine holds exactly that image; rejects otherwise. */
export async function recordEntry(home, className, entry) {
  const image = await inspectImage(join(home, 'docker.sock'), entry.configDigest);
  if (image?.Id !== entry.configDigest || JSON.stringify(image.RootFS.Layers) !== JSON.stringify(entry.diffIds)) {
    throw new Error(`the engine does not hold the image ${entry.configDigest} that was packed for ${className}`);
  }
  const lock = readLock(home);
  lock.images[className] = entry;
  const path = join(home, 'images.lock.json');
  writeFileSync(`${path}.new`, `${JSON.stringify(lock, null, 2)}\n`, { mode: 0o644 });
  renameSync(`${path}.new`, path);
}

function printHash(className, ...paths) {
  const hash = createHash('sha256').update(`${className}\0${process.arch}\0`);
  for (const path of paths.flatMap(listFiles)) {
    // The name counts without the checkout's folder, so that every clone has the same hash.
    hash
      .update(`${relative(import.meta.dirname, path)}\0`)
      .update(createHash('sha256').update(readFileSync(path)).digest());
  }
  process.stdout.write(`sha256:${hash.digest('hex')}\n`);
}

function listFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter(name => name !== 'node_modules' && !name.endsWith('_test.go'))
    .sort()
    .flatMap(name => listFiles(join(path, name)));
}

function checkCurrent(home, className, configHash) {
  const entry = readLock(home).images[className];
  // The engine may be stopped: its own record of an image is a file named after the config digest.
  const stored = digest => {
    const images = join(home, 'data', 'image');
    if (!existsSync(images)) return false;
    return readdirSync(images).some(driver =>
      existsSync(join(images, driver, 'imagedb/content/sha256', digest.slice('sha256:'.length))),
    );
  };
  process.exitCode = entry?.configHash === configHash && stored(entry.configDigest) ? 0 : 1;
}

async function recordImage(home, className, configHash, identityText, toolsFile, debianFile) {
  const { configDigest, diffIds } = JSON.parse(identityText);
  await recordEntry(home, className, {
    configDigest,
    diffIds,
    configHash,
    tools: Object.fromEntries(readLines(toolsFile).map(line => line.split(' '))),
    debian: JSON.parse(readFileSync(debianFile, 'utf8')),
    createdBy: 'sandbox/setup',
  });
  process.stdout.write(`${configDigest}\n`);
}

function readLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '');
}

async function run([command, ...args]) {
  const commands = { hash: printHash, current: checkCurrent, record: recordImage };
  if (!Object.hasOwn(commands, command ?? '')) {
    process.stderr.write(`usage: lock.mjs ${Object.keys(commands).join('|')} …\n`);
    process.exitCode = 64;
    return;
  }
  try {
    await commands[command](...args);
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 70;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(process.argv.slice(2));
