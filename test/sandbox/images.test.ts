import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LockedImage, parseImageLock, readImageLock } from '../../src/sandbox/image-lock.ts';
import { isLockedImage, readImageLocks, resolveImage } from '../../src/sandbox/images.ts';
import { createFakeEngine } from './fake-engine.ts';

const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const LOCKED: LockedImage = {
  configDigest: digest('a'),
  diffIds: [digest('1'), digest('2')],
  configHash: digest('f'),
  tools: { ruff: '0.17.6' },
  debian: [],
  createdBy: 'test',
};
const PUBLISHED: LockedImage = {
  ...LOCKED,
  configDigest: digest('c'),
  reference: 'ghcr.io/cypherfix/scanners',
  manifestDigest: digest('d'),
};
const IMAGE = { id: digest('a'), diffIds: LOCKED.diffIds, config: { Env: ['PATH=/bin'] } };
const lock = (images: Record<string, LockedImage>) => ({ version: 1 as const, images });

describe('an image of a class', () => {
  test('is found by its config digest, the local lock first', async () => {
    const engine = createFakeEngine({ images: [IMAGE] });
    const locks = { local: lock({ scanners: LOCKED }), published: lock({ scanners: PUBLISHED }) };
    expect(await resolveImage(engine, locks, 'scanners')).toMatchObject({
      id: digest('a'),
      locked: { tools: { ruff: '0.17.6' } },
    });
    expect(engine.calls).toEqual([]);
  });

  test('is pulled by digest when it is published and not there', async () => {
    const pulled = { ...IMAGE, id: digest('d') };
    const engine = createFakeEngine({ pullable: { [`ghcr.io/cypherfix/scanners@${digest('d')}`]: pulled } });
    const locks = { local: lock({}), published: lock({ scanners: PUBLISHED }) };
    expect((await resolveImage(engine, locks, 'scanners')).id).toBe(digest('d'));
    expect(engine.calls).toEqual([`pull ghcr.io/cypherfix/scanners@${digest('d')}`]);
  });

  test('that comes out of a pull as another one is refused', async () => {
    const other = { id: digest('9'), diffIds: [digest('9')], config: {} };
    const engine = createFakeEngine({ pullable: { [`ghcr.io/cypherfix/scanners@${digest('d')}`]: other } });
    const locks = { local: lock({}), published: lock({ scanners: PUBLISHED }) };
    await expect(resolveImage(engine, locks, 'scanners')).rejects.toMatchObject({ code: 'sandbox' });
  });

  test('is found by its layers where the store gives it an id of its own', async () => {
    const engine = createFakeEngine({ images: [{ ...IMAGE, id: digest('b') }] });
    expect(
      (await resolveImage(engine, { local: lock({ scanners: LOCKED }), published: lock({}) }, 'scanners')).id,
    ).toBe(digest('b'));
  });

  test('that cannot be had says what to run', async () => {
    const engine = createFakeEngine({});
    const missing = { code: 'missing', hint: 'run: npm run setup' };
    await expect(resolveImage(engine, { local: lock({}), published: lock({}) }, 'scanners')).rejects.toMatchObject(
      missing,
    );
    await expect(
      resolveImage(engine, { local: lock({ scanners: LOCKED }), published: lock({}) }, 'scanners'),
    ).rejects.toMatchObject(missing);
    await expect(resolveImage(engine, { local: lock({}), published: lock({}) }, 'toString')).rejects.toMatchObject({
      code: 'missing',
    });
  });
});

describe('an image with another id', () => {
  test.each<[string, Partial<typeof IMAGE>, boolean]>([
    ['the same layers and harmless settings', {}, true],
    ['a layer more', { diffIds: [...IMAGE.diffIds, digest('3')] }, false],
    ['a layer less', { diffIds: [digest('1')] }, false],
    ['its layers in another order', { diffIds: [digest('2'), digest('1')] }, false],
    ['a variable for the loader', { config: { Env: ['LD_PRELOAD=/x.so'] } }, false],
    ['a variable for Node', { config: { Env: ['NODE_OPTIONS=--require /x'] } }, false],
    ['volumes', { config: { Env: [], Volumes: { '/data': {} } } as never }, false],
    ['a health check', { config: { Env: [], Healthcheck: { Test: ['CMD', 'x'] } } as never }, false],
  ])('and %s', (_, changes, expected) => {
    expect(isLockedImage({ ...IMAGE, id: digest('b'), ...changes }, LOCKED)).toBe(expected);
  });
});

describe('a lock', () => {
  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /lock\.json is not JSON/],
    ['another version', { version: 2, images: {} }, /version/],
    [
      'a short digest',
      { version: 1, images: { scanners: { ...LOCKED, configDigest: 'sha256:12' } } },
      /images\.scanners\.configDigest/,
    ],
    [
      'a tag',
      { version: 1, images: { scanners: { ...LOCKED, reference: 'ghcr.io/x/y@sha256:1' } } },
      /images\.scanners\.reference/,
    ],
    ['no layers', { version: 1, images: { scanners: { ...LOCKED, diffIds: [] } } }, /images\.scanners\.diffIds/],
  ])('with %s is refused with file and place', (_, value, message) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    expect(() => parseImageLock(text, '/x/lock.json')).toThrow(message);
  });

  test('that does not exist is empty; both are read, and another one may stand in for the committed one', async () => {
    const home = await mkdtemp(join(tmpdir(), 'cypherfix-home-'));
    expect(await readImageLock(join(home, 'images.lock.json'))).toEqual({ version: 1, images: {} });
    await writeFile(join(home, 'images.lock.json'), JSON.stringify(lock({ scanners: LOCKED })));
    await writeFile(join(home, 'other.json'), JSON.stringify(lock({ node: PUBLISHED })));
    const locks = await readImageLocks(home, home, join(home, 'other.json'));
    expect([Object.keys(locks.local.images), Object.keys(locks.published.images)]).toEqual([['scanners'], ['node']]);
  });

  test('of the repository is a valid one', async () => {
    await expect(
      readImageLock(new URL('../../sandbox/images.lock.json', import.meta.url).pathname),
    ).resolves.toMatchObject({ version: 1 });
  });
});
