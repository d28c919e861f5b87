import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listProcesses } from '../e2e/processes.ts';
import { type CacheServer, startCacheServer } from '../sim/cache-server.ts';
import { runStep, type StepResult } from '../sim/run-step.ts';
import { createTinyAction, type TinyAction } from './tiny-action.ts';

let action: TinyAction;
let runner: string;
beforeAll(() => {
  action = createTinyAction();
});
beforeEach(() => {
  action.forget();
  // The cache tells folders apart by their name: that of the runner's temporary folder is the same in every job.
  runner = join(action.path, '../runner');
  for (const name of ['_temp', 'workspace', 'home']) mkdirSync(join(runner, name), { recursive: true });
});
afterEach(() => rmSync(runner, { recursive: true, force: true }));
afterAll(() => action.dispose());

const prepare = (env: Record<string, string> = {}, cancel?: AbortSignal): Promise<StepResult> =>
  runStep(
    'prepare',
    {
      PATH: process.env['PATH'] ?? '',
      HOME: join(runner, 'home'),
      RUNNER_TEMP: join(runner, '_temp'),
      GITHUB_WORKSPACE: join(runner, 'workspace'),
      GITHUB_ACTIONS: 'true',
      GITHUB_RUN_ID: '77',
      CYPHERFIX_HOME: action.home,
      ...env,
    },
    { entry: join(action.path, 'dist/index.js'), ...(cancel === undefined ? {} : { cancel }) },
  );

const readLock = () => JSON.parse(readFileSync(join(action.home, 'images.lock.json'), 'utf8')).images;
const readEntry = () => readLock().scanners;
const isEngineRunning = () => existsSync(join(action.home, 'docker.pid'));

describe('with a cache', () => {
  let cache: CacheServer;
  beforeAll(async () => {
    cache = await startCacheServer();
  });
  afterAll(() => cache.close());

  test('the first job builds the image and saves it, the next one takes it without a build', async () => {
    const first = await prepare(cache.env);
    expect(first, first.stdout + first.stderr).toMatchObject({ status: 0 });
    expect(action.countBuilds()).toBe(1);
    expect(cache.entries.map(entry => entry.key)).toEqual([
      expect.stringMatching(new RegExp(`^cypherfix-image-scanners-[0-9a-f]{64}-${process.arch}$`)),
    ]);
    expect(isEngineRunning()).toBe(false);
    const built = readEntry();

    action.forget();
    const second = await prepare(cache.env);
    expect(second, second.stdout + second.stderr).toMatchObject({ status: 0 });
    expect(second.stdout).toContain(', from the cache');
    expect(action.countBuilds()).toBe(0);
    expect(readEntry()).toEqual(built);
    expect(cache.entries).toHaveLength(1);
    expect(isEngineRunning()).toBe(false);
    expect(readdirSync(join(runner, '_temp')).filter(name => name.startsWith('cypherfix'))).toEqual([]);
  });

  test('the image of the tests comes the same way, with an entry of its own; one that cannot be had is a warning', async () => {
    const env = { ...cache.env, CYPHERFIX_TEST_IMAGE: 'node' };
    const saved = cache.entries.length;
    const first = await prepare(env);
    expect(first, first.stdout + first.stderr).toMatchObject({ status: 0 });
    expect(cache.entries.slice(saved).map(entry => entry.key)).toEqual([
      expect.stringMatching(new RegExp(`^cypherfix-image-node-[0-9a-f]{64}-${process.arch}$`)),
    ]);
    expect(Object.keys(readLock()).sort()).toEqual(['node', 'scanners']);

    action.forget();
    const second = await prepare(env);
    expect(second, second.stdout + second.stderr).toMatchObject({ status: 0 });
    expect(action.countBuilds()).toBe(0);
    expect(Object.keys(readLock()).sort()).toEqual(['node', 'scanners']);

    const broken = await prepare({ ...env, CYPHERFIX_TEST_IMAGE: 'java' });
    expect(broken, broken.stdout + broken.stderr).toMatchObject({ status: 0 });
    expect(broken.stdout).toMatch(/::warning::.*the image of the tests \(java\) could not be had/);
    expect(Object.keys(readLock())).not.toContain('java');
    expect(cache.entries).toHaveLength(saved + 1);
  });

  test('a job on a machine that has the image asks the cache for nothing', async () => {
    await prepare(cache.env);
    const calls = cache.calls.length;
    const { status, stdout } = await prepare(cache.env);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^::group::.*\n.*ready: runsc/);
    expect(cache.calls).toHaveLength(calls);
  });

  test('the set-up never sees the cache’s token', async () => {
    const spy = join(action.path, 'sandbox/setup');
    const real = readFileSync(spy, 'utf8');
    writeFileSync(spy, `#!/bin/bash\nenv >"${runner}/environment"\nexit 0\n`);
    try {
      expect((await prepare({ ...cache.env, GITHUB_TOKEN: 'ghs_x', PIP_INDEX_URL: 'kept' })).status).toBe(0);
    } finally {
      writeFileSync(spy, real);
    }
    const environment = readFileSync(join(runner, 'environment'), 'utf8');
    expect(environment).not.toMatch(/TOKEN|ACTIONS_|GITHUB_/);
    expect(environment).toContain(`CYPHERFIX_HOME=${action.home}`);
    expect(environment).toContain('PIP_INDEX_URL=kept');
  });

  test.each([
    ['cut off', (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2))],
    ['overwritten', (file: string) => writeFileSync(file, 'no archive at all')],
  ])('an entry that is %s is not taken: the image is built, and the step succeeds', async (_, damage) => {
    const [entry] = cache.entries;
    if (entry === undefined) throw new Error('nothing was saved');
    copyFileSync(entry.path, `${entry.path}.whole`);
    damage(entry.path);
    const { status, stdout } = await prepare(cache.env);
    copyFileSync(`${entry.path}.whole`, entry.path);
    expect(status, stdout).toBe(0);
    expect(action.countBuilds()).toBe(1);
    expect(readEntry().configDigest).toMatch(/^sha256:/);
  });
});

test('a run that may only read takes the image and saves none', async () => {
  const cache = await startCacheServer({ mode: 'read' });
  try {
    const { status, stdout } = await prepare(cache.env);
    expect(status, stdout).toBe(0);
    expect(action.countBuilds()).toBe(1);
    expect(cache.entries).toEqual([]);
    expect(cache.calls).toEqual(['GetCacheEntryDownloadURL']);
    expect(stdout).toContain('read-only in this run');
  } finally {
    await cache.close();
  }
});

test.each([
  ['no cache at all', {}],
  ['an address and no token', { ACTIONS_RESULTS_URL: 'http://127.0.0.1:9/', ACTIONS_CACHE_SERVICE_V2: 'true' }],
])('%s: the image is built and the step succeeds', async (_, env) => {
  const { status, stdout } = await prepare(env);
  expect(status, stdout).toBe(0);
  expect(action.countBuilds()).toBe(1);
});

test('an engine that was running before is running afterwards', async () => {
  const { execFileSync } = await import('node:child_process');
  const engine = (command: string) =>
    execFileSync('bash', [join(action.path, 'sandbox/engine'), command], {
      env: { PATH: process.env['PATH'], CYPHERFIX_HOME: action.home },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  expect(engine('start')).toBe('started');
  try {
    expect((await prepare()).status).toBe(0);
    expect(engine('status')).toBe('running');
  } finally {
    engine('stop');
  }
});

test('cancelled while it builds: it ends at once with all that it started, and the next job can build', async () => {
  writeFileSync(join(action.home, 'slow'), '');
  const cancel = new AbortController();
  const running = prepare({}, cancel.signal);
  while (action.countBuilds() === 0) await new Promise(resolve => setTimeout(resolve, 50));
  const since = performance.now();
  cancel.abort();
  expect(await running).toMatchObject({ status: 130, signal: null });
  expect(performance.now() - since).toBeLessThan(6_000);
  const ours = listProcesses().filter(p => p.environment.includes(`CYPHERFIX_HOME=${action.home}`));
  expect(ours.map(p => p.command)).toEqual([]);
  rmSync(join(action.home, 'slow'));
  expect((await prepare()).status).toBe(0);
});

describe('what it cannot do, it says', () => {
  test('an image lock that is not there', async () => {
    const { status, stdout } = await prepare({ INPUT_IMAGES_LOCK: '/nowhere/lock.json' });
    expect(status).toBe(64);
    expect(stdout).toContain('there is no file /nowhere/lock.json');
  });

  test('a published image that cannot be pulled is a warning, and the image is built', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const image = {
      reference: '127.0.0.1:9/acme/scanners',
      configDigest: digest,
      manifestDigest: digest,
      diffIds: [digest],
    };
    const lock = {
      version: 1,
      images: { scanners: { ...image, configHash: '', tools: {}, debian: [], createdBy: 'test' } },
    };
    const file = join(runner, 'lock.json');
    writeFileSync(file, JSON.stringify(lock));
    const { status, stdout } = await prepare({ INPUT_IMAGES_LOCK: file });
    expect(status, stdout).toBe(0);
    expect(stdout).toMatch(/::warning::the published image could not be had/);
    expect(action.countBuilds()).toBe(1);
  });

  test('a set-up that fails: its reason is the error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cft-'));
    const { status, stdout, outputs } = await prepare({ CYPHERFIX_HOME: join(folder, 'x'.repeat(80)) });
    rmSync(folder, { recursive: true, force: true });
    expect(status).toBe(69);
    expect(stdout).toContain('longer than 70 characters');
    expect(outputs['error']).toContain('longer than 70 characters');
  });
});
