import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreCache, saveCache } from '@actions/cache';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CacheServer, startCacheServer } from './cache-server.ts';

let folder: string;
let server: CacheServer;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cache-test-'));
  mkdirSync(join(folder, 'temp'));
  mkdirSync(join(folder, 'image'));
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

async function start(mode: 'read' | 'write'): Promise<void> {
  server = await startCacheServer({ mode });
  const env = { ...server.env, RUNNER_TEMP: join(folder, 'temp'), GITHUB_WORKSPACE: folder };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
}

it('gives back what the real client saved, byte for byte', async () => {
  await start('write');
  const file = join(folder, 'image', 'image.tar');
  const bytes = randomBytes(3_000_000);
  writeFileSync(file, bytes);
  expect(await saveCache([join(folder, 'image')], 'image-v1')).toBeGreaterThan(0);
  rmSync(file);
  expect(await restoreCache([join(folder, 'image')], 'image-v1')).toBe('image-v1');
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(server.calls).toEqual(expect.arrayContaining(['CreateCacheEntry', 'PUT blob', 'FinalizeCacheEntryUpload']));
});

it('finds the newest entry by its restore keys, and nothing under another key', async () => {
  await start('write');
  const paths = [join(folder, 'image')];
  for (const key of ['image-a', 'image-b']) {
    writeFileSync(join(folder, 'image', 'name'), key);
    await saveCache(paths, key);
  }
  expect(await restoreCache(paths, 'image-c', ['image-'])).toBe('image-b');
  expect(await restoreCache(paths, 'other')).toBeUndefined();
});

it('keeps the first of two entries with one key', async () => {
  await start('write');
  const paths = [join(folder, 'image')];
  await saveCache(paths, 'image-v1');
  expect(await saveCache(paths, 'image-v1')).toBe(-1);
  expect(server.entries).toHaveLength(1);
});

it('refuses to save in a run that may only read', async () => {
  await start('read');
  expect(await saveCache([join(folder, 'image')], 'image-v1')).toBe(-1);
  expect(server.entries).toEqual([]);
});

it('refuses the write by itself when the client does not look at the mode', async () => {
  await start('read');
  vi.stubEnv('ACTIONS_CACHE_MODE', '');
  expect(await saveCache([join(folder, 'image')], 'image-v1')).toBe(-1);
  expect(server.calls).toContain('CreateCacheEntry');
});

it('takes an archive in blocks, as the client sends one of more than 128 MiB', async () => {
  await start('write');
  const file = join(folder, 'image', 'image.tar');
  const bytes = randomBytes(130 * 1024 * 1024);
  writeFileSync(file, bytes);
  expect(await saveCache([join(folder, 'image')], 'large')).toBeGreaterThan(0);
  expect(server.calls).toContain('PUT blocklist');
  rmSync(file);
  expect(await restoreCache([join(folder, 'image')], 'large')).toBe('large');
  expect(readFileSync(file).equals(bytes)).toBe(true);
}, 60_000);
