import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import { afterAll, expect, test } from 'vitest';
import type { LockedImage } from '../../src/sandbox/image-lock.ts';
import { resolveImage } from '../../src/sandbox/images.ts';
import { HOME, openEngine } from './real-sandbox.ts';

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function tar(files: Record<string, string | Buffer>): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mtime: new Date(0) }, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A tiny image of its own: one file that names this process. */
async function makeArchive(): Promise<{ archive: Buffer; locked: LockedImage }> {
  const layer = await tar({ 'made-by': `test ${process.pid}` });
  const diffId = `sha256:${sha256(layer)}`;
  const config = JSON.stringify({
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Env: ['PATH=/bin'] },
    created: '1970-01-01T00:00:00Z',
    rootfs: { type: 'layers', diff_ids: [diffId] },
  });
  const name = `${sha256(config)}.json`;
  const manifest = JSON.stringify([{ Config: name, Layers: ['layer.tar'], RepoTags: null }]);
  const archive = await tar({ 'layer.tar': layer, [name]: config, 'manifest.json': manifest });
  const configDigest = `sha256:${sha256(config)}`;
  return {
    archive,
    locked: { configDigest, diffIds: [diffId], configHash: 'x', tools: {}, debian: [], createdBy: 'test' },
  };
}

let made = '';
afterAll(async () => {
  const path = `/images/${made}?force=true`;
  await new Promise(resolve =>
    request({ socketPath: join(HOME, 'docker.sock'), method: 'DELETE', path }, resolve).end(),
  );
});

test('an image goes through a file and is found again by its digest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cypherfix-image-'));
  const { archive, locked } = await makeArchive();
  const path = join(folder, 'image.tar');
  await pipeline([archive], createWriteStream(path));
  const engine = await openEngine();
  await engine.loadImage(path);
  const image = await resolveImage(
    engine,
    { local: { version: 1, images: { tiny: locked } }, published: { version: 1, images: {} } },
    'tiny',
  );
  made = image.id;
  expect((await engine.fetchImage(made))?.diffIds).toEqual(locked.diffIds);

  await engine.saveImage(made, join(folder, 'saved.tar'));
  const names: string[] = [];
  const reader = extract();
  const read = async (): Promise<void> => {
    for await (const entry of reader) {
      names.push(entry.header.name);
      await text(entry);
    }
  };
  await Promise.all([pipeline(createReadStream(join(folder, 'saved.tar')), reader), read()]);
  expect(names).toContain('manifest.json');
});

test('a file that is no archive is an error with the engine’s reason', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'cypherfix-image-')), 'broken.tar');
  await pipeline([await tar({ 'something.txt': 'not an image' })], createWriteStream(path));
  const engine = await openEngine();
  await expect(engine.loadImage(path)).rejects.toMatchObject({
    code: 'sandbox',
    message: expect.stringContaining(path),
  });
  await expect(engine.saveImage(`sha256:${'0'.repeat(64)}`, join(path, '..', 'out.tar'))).rejects.toMatchObject({
    code: 'sandbox',
  });
  await expect(engine.loadImage('/nonexistent/image.tar')).rejects.toMatchObject({
    message: expect.stringContaining('/nonexistent/image.tar'),
  });
});
