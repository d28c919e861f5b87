// Image archives that one machine built for the next: CLASS.tar beside CLASS.json, its entry of the image lock. What comes
// back from a cache is input: nothing is loaded whose bytes are not exactly what the entry says.
// usage: node image-cache.mjs check DIR CLASS CONFIG_HASH         exit 0 when the archive is whole and fits
//        node image-cache.mjs import DIR CLASS CONFIG_HASH HOME   loads it and records it in the lock; prints its digest
//        node image-cache.mjs export DIR CLASS HOME ARCHIVE       moves the archive there, with the entry
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadImage } from './docker-api.mjs';
import { readLock, recordEntry } from './lock.mjs';

const BLOCK = 512;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The entry of an archive that is whole, of this definition, and byte for byte what it claims; throws the reason otherwise. */
export function checkArchive(dir, className, configHash) {
  const entry = readEntry(join(dir, `${className}.json`));
  if (entry.configHash !== configHash) throw new Error(`it was built from another definition (${entry.configHash})`);
  const identity = readIdentity(join(dir, `${className}.tar`));
  if (identity.configDigest !== entry.configDigest) throw new Error('it holds another image than its entry says');
  if (JSON.stringify(identity.diffIds) !== JSON.stringify(entry.diffIds)) throw new Error('its layer is another one');
  return entry;
}

function readEntry(path) {
  if (!isFile(path)) throw new Error('its entry is missing');
  const entry = JSON.parse(readFileSync(path, 'utf8'));
  const { configDigest, diffIds, configHash, tools, debian, createdBy } = entry ?? {};
  const fits =
    DIGEST.test(configDigest) &&
    Array.isArray(diffIds) &&
    diffIds.length > 0 &&
    diffIds.every(id => DIGEST.test(id)) &&
    typeof configHash === 'string' &&
    isTexts(tools) &&
    Array.isArray(debian) &&
    debian.every(item => isTexts(item) && Object.keys(item).sort().join() === 'name,sha256,version') &&
    typeof createdBy === 'string';
  if (!fits) throw new Error('its entry is not one of an image lock');
  return { configDigest, diffIds, configHash, tools, debian, createdBy };
}

/** Set-up reads as root, so a link in the folder must not lead it anywhere. */
const isFile = path => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;

const isTexts = value =>
  typeof value === 'object' && value !== null && Object.values(value).every(text => typeof text === 'string');

/** Digests of an archive of pack.mjs, which has three members in a fixed order and names no tag; throws on any other file. */
export function readIdentity(path) {
  if (!isFile(path)) throw new Error('the archive is missing');
  const file = openSync(path, 'r');
  const layer = readMember(file, 0);
  if (layer.name !== 'layer.tar') throw new Error('the archive does not begin with a layer');
  const layerDigest = hashRange(file, layer.start, layer.size);
  const config = readMember(file, layer.end);
  const configText = readRange(file, config.start, config.size);
  const configDigest = createHash('sha256').update(configText).digest('hex');
  const manifest = readMember(file, config.end);
  const wanted = JSON.stringify([{ Config: `${configDigest}.json`, Layers: ['layer.tar'], RepoTags: null }]);
  const isOurs =
    config.name === `${configDigest}.json` &&
    manifest.name === 'manifest.json' &&
    readRange(file, manifest.start, manifest.size).toString() === wanted &&
    JSON.stringify(JSON.parse(configText.toString()).rootfs?.diff_ids) === JSON.stringify([`sha256:${layerDigest}`]) &&
    readRange(file, manifest.end, 2 * BLOCK).every(byte => byte === 0);
  if (!isOurs) throw new Error('the archive is damaged');
  return { configDigest: `sha256:${configDigest}`, diffIds: [`sha256:${layerDigest}`] };
}

function readMember(file, offset) {
  const header = readRange(file, offset, BLOCK);
  const text = (from, to) => header.toString('latin1', from, to).replace(/\0.*$/s, '');
  const size = Number.parseInt(text(124, 136), 8);
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (text(257, 262) !== 'ustar' || Number.parseInt(text(148, 156), 8) !== sum || !(size >= 0)) {
    throw new Error(`the archive has no member at byte ${offset}`);
  }
  const start = offset + BLOCK;
  return { name: text(0, 100), size, start, end: start + Math.ceil(size / BLOCK) * BLOCK };
}

function readRange(file, start, size) {
  if (size > 64 * 1024) throw new Error('the archive has a description that is too long');
  const bytes = Buffer.alloc(size);
  if (readSync(file, bytes, 0, size, start) !== size) throw new Error('the archive is cut off');
  return bytes;
}

function hashRange(file, start, size) {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(1024 * 1024);
  for (let done = 0; done < size; ) {
    const got = readSync(file, buffer, 0, Math.min(buffer.length, size - done), start + done);
    if (got === 0) throw new Error('the archive is cut off');
    hash.update(buffer.subarray(0, got));
    done += got;
  }
  return hash.digest('hex');
}

async function importArchive(dir, className, configHash, home) {
  const entry = checkArchive(dir, className, configHash);
  await loadImage(join(home, 'docker.sock'), join(dir, `${className}.tar`));
  await recordEntry(home, className, entry);
  process.stdout.write(`${entry.configDigest}\n`);
}

function exportArchive(dir, className, home, archive) {
  const entry = readLock(home).images[className];
  if (entry === undefined) throw new Error(`the image lock has no ${className}`);
  mkdirSync(dir, { recursive: true });
  // The entry is written last: an archive without one does not count.
  for (const name of [`${className}.json`, `${className}.tar`]) rmSync(join(dir, name), { force: true });
  move(archive, join(dir, `${className}.tar`));
  writeFileSync(join(dir, `${className}.json`), `${JSON.stringify(entry)}\n`, { mode: 0o644 });
}

function move(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'EXDEV') throw error;
    copyFileSync(from, to);
    rmSync(from);
  }
}

async function run([command, ...args]) {
  const commands = { check: checkArchive, import: importArchive, export: exportArchive };
  if (!Object.hasOwn(commands, command ?? '')) {
    process.stderr.write(`usage: image-cache.mjs ${Object.keys(commands).join('|')} …\n`);
    process.exitCode = 64;
    return;
  }
  try {
    await commands[command](...args);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 70;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(process.argv.slice(2));
