import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const packer = join(import.meta.dirname, '../../sandbox/pack.mjs');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cypherfix-pack-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('packs the same tree into the same bytes, whatever its times and the order it was written in', () => {
  const names = ['b', 'a', 'sub/c'];
  const first = pack(writeTree('one', names, 1_000_000), 'one.tar');
  const second = pack(writeTree('two', [...names].reverse(), 2_000_000), 'two.tar');

  expect(second.identity).toEqual(first.identity);
  expect(second.bytes.equals(first.bytes)).toBe(true);
});

test('gives another identity when a mode, a content or the environment differs', () => {
  const tree = writeTree('tree', ['a'], 1);
  const original = pack(tree, 'original.tar').identity;
  expect(pack(tree, 'env.tar', ['PATH=/bin']).identity.configDigest).not.toBe(original.configDigest);
  chmodSync(join(tree, 'a'), 0o755);
  expect(pack(tree, 'mode.tar').identity.diffIds).not.toEqual(original.diffIds);
});

test('writes an archive whose names and digests are those that docker load checks', () => {
  const { identity, bytes } = pack(writeTree('tree', ['a', 'sub/c'], 1), 'image.tar', ['PATH=/usr/bin']);
  const entries = execFileSync('tar', ['-tf', join(folder, 'image.tar')], { encoding: 'utf8' })
    .trim()
    .split('\n');
  expect(entries).toEqual(['layer.tar', `${identity.configDigest.slice(7)}.json`, 'manifest.json']);
  expect(bytes.length).toBe(identity.size);

  const extract = (name: string) => execFileSync('tar', ['-xOf', join(folder, 'image.tar'), name]);
  expect(`sha256:${sha256(extract('layer.tar'))}`).toBe(identity.diffIds[0]);
  const config = extract(`${identity.configDigest.slice(7)}.json`);
  expect(`sha256:${sha256(config)}`).toBe(identity.configDigest);
  expect(JSON.parse(config.toString())).toMatchObject({
    os: 'linux',
    config: { User: '65532:65532', WorkingDir: '/work', Env: ['PATH=/usr/bin'] },
    rootfs: { type: 'layers', diff_ids: identity.diffIds },
  });
  expect(JSON.parse(extract('manifest.json').toString())).toEqual([
    { Config: `${identity.configDigest.slice(7)}.json`, Layers: ['layer.tar'], RepoTags: null },
  ]);
});

test('names a tree that is not there', () => {
  expect(() => pack(join(folder, 'gone'), 'gone.tar')).toThrow(/gone.*No such file or directory/s);
});

function pack(root: string, archive: string, env: string[] = []) {
  const path = join(folder, archive);
  const text = execFileSync(process.execPath, [packer, root, path, ...env], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return {
    identity: JSON.parse(text) as { configDigest: string; diffIds: string[]; size: number },
    bytes: readFileSync(path),
  };
}

function writeTree(name: string, files: string[], seconds: number): string {
  const root = join(folder, name);
  mkdirSync(join(root, 'sub'), { recursive: true });
  for (const file of files) {
    writeFileSync(join(root, file), `content of ${file}`, { mode: 0o644 });
    utimesSync(join(root, file), seconds, seconds);
  }
  symlinkSync('a', join(root, 'link'));
  return root;
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
