import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { SILENT_LOG } from '../../src/core/log.ts';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/create-sandbox.ts';
import type { SandboxJob } from '../../src/sandbox/sandbox.ts';
import { type FakeDaemon, startFakeDaemon } from './fake-daemon.ts';

const IMAGE = `sha256:${'a'.repeat(64)}`;
const JOB: SandboxJob = {
  purpose: 'test',
  imageClass: 'scanners',
  snapshot: [],
  phases: [],
  limits: { memoryMb: 4096, cpus: 8, timeoutMs: 1000, maxOutputBytes: 100 },
};

const daemons: FakeDaemon[] = [];
afterEach(async () => {
  await Promise.all(daemons.splice(0).map(daemon => daemon.close()));
});

/** A home whose lock names one image, on an engine that has it and refuses to make containers. */
async function arrange(runtimes: object, changes: Partial<SandboxOptions> = {}) {
  const daemon = await startFakeDaemon({
    'GET /info': { json: { ServerVersion: '28', NCPU: 2, MemTotal: 2 * 2 ** 30, Runtimes: runtimes } },
    'GET /containers/json': { json: [] },
    [`GET /images/${IMAGE}/json`]: { json: { Id: IMAGE, RootFS: { Layers: [IMAGE] }, Config: { Env: [] } } },
    'POST /containers/create': { status: 500, json: { message: 'no space left on device' } },
  });
  daemons.push(daemon);
  const home = dirname(daemon.socketPath);
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin', 'runsc'), '');
  const locked = { configDigest: IMAGE, diffIds: [IMAGE], configHash: 'x', tools: {}, debian: [], createdBy: 'test' };
  await writeFile(join(home, 'images.lock.json'), JSON.stringify({ version: 1, images: { scanners: locked } }));
  const options: SandboxOptions = {
    home,
    dockerHost: `unix://${daemon.socketPath}`,
    actionPath: '/nonexistent',
    runLabel: 'test-1',
    allowInsecure: false,
    onActions: false,
    log: SILENT_LOG,
    signal: new AbortController().signal,
    ...changes,
  };
  return { daemon, home, options };
}

const GVISOR = { 'cypherfix-runsc': { path: '/x/runsc', runtimeArgs: ['--platform=systrap'] } };
const SIGNAL = new AbortController().signal;

describe('a sandbox', () => {
  test('without gVisor is refused on GitHub Actions whatever was allowed', async () => {
    const { options } = await arrange({ runc: { path: 'runc' } }, { allowInsecure: true, onActions: true });
    await expect(createSandbox(options)).rejects.toMatchObject({ code: 'usage' });
  });

  test('without gVisor rejects the job before a container is made', async () => {
    const { daemon, options } = await arrange({ runc: { path: 'runc' } });
    const sandbox = await createSandbox(options);
    await expect(sandbox.run(JOB, SIGNAL)).rejects.toMatchObject({ code: 'missing', hint: 'run: npm run setup' });
    await sandbox.close();
    expect(daemon.calls.filter(call => call.url.includes('create'))).toEqual([]);
  });

  test('that was allowed to be insecure says so in its identity and in the log', async () => {
    const warnings: string[] = [];
    const log = { ...SILENT_LOG, warn: (message: string) => void warnings.push(message) };
    const { options } = await arrange({ runc: { path: 'runc' } }, { allowInsecure: true, log });
    const sandbox = await createSandbox(options);
    expect(await sandbox.fetchIdentity('scanners')).toMatchObject({
      runtime: 'runc',
      insecure: true,
      imageDigest: IMAGE,
    });
    expect(warnings.join()).toContain('INSECURE');
    await sandbox.close();
  });

  test('asks for no more than the machine has, and tells the engine’s reason when it cannot start', async () => {
    const { daemon, options } = await arrange(GVISOR);
    const sandbox = await createSandbox(options);
    await expect(sandbox.run(JOB, SIGNAL)).rejects.toMatchObject({
      code: 'sandbox',
      message: expect.stringContaining('no space left on device'),
    });
    const body = JSON.parse(daemon.calls.find(call => call.url.startsWith('/containers/create'))?.body ?? '{}');
    expect(body.HostConfig).toMatchObject({
      Runtime: 'cypherfix-runsc',
      NanoCpus: 2e9,
      Memory: Math.floor(2048 * 0.8) * 2 ** 20,
    });
    expect(body.Labels['cypherfix.run']).toBe('test-1');
    await sandbox.close();
  });

  test('tries again for the job what failed when it was started ahead', async () => {
    const { daemon, options } = await arrange(GVISOR);
    const sandbox = await createSandbox(options);
    void sandbox.prewarm('scanners', JOB.limits);
    await expect(sandbox.run(JOB, SIGNAL)).rejects.toMatchObject({ code: 'sandbox' });
    expect(daemon.calls.filter(call => call.url.startsWith('/containers/create'))).toHaveLength(2);
    await sandbox.close();
  });

  test('starts ahead what a lock seems to say, and runs nothing in it before the lock was checked', async () => {
    const { daemon, home, options } = await arrange(GVISOR);
    const lock = { version: 1, images: { scanners: { configDigest: IMAGE } } };
    await writeFile(join(home, 'images.lock.json'), JSON.stringify(lock));
    const sandbox = await createSandbox(options);
    await sandbox.prewarm('scanners', JOB.limits);
    const creations = () => daemon.calls.filter(call => call.url.startsWith('/containers/create'));
    await expect.poll(() => creations().length).toBe(1);
    await expect(sandbox.run(JOB, SIGNAL)).rejects.toMatchObject({
      code: 'policy',
      message: expect.stringContaining('images.scanners.diffIds'),
    });
    expect(creations()).toHaveLength(1);
    await sandbox.close();
  });

  test.each([
    ['no lock', undefined],
    ['a lock that is cut off', '{"version":1,"ima'],
    ['a lock that names a tag', JSON.stringify({ version: 1, images: { scanners: { configDigest: 'a:latest' } } })],
    ['a lock of other images', JSON.stringify({ version: 1, images: {} })],
  ])('starts nothing ahead for %s', async (_, lock) => {
    const { daemon, home, options } = await arrange(GVISOR);
    await rm(join(home, 'images.lock.json'));
    if (lock !== undefined) await writeFile(join(home, 'images.lock.json'), lock);
    const sandbox = await createSandbox(options);
    await sandbox.prewarm('scanners', JOB.limits);
    await expect(sandbox.run(JOB, SIGNAL)).rejects.toMatchObject({ code: expect.stringMatching(/missing|policy/) });
    expect(daemon.calls.filter(call => call.url.startsWith('/containers/create'))).toEqual([]);
    await sandbox.close();
  });

  test('rejects an aborted job at once', async () => {
    const { options } = await arrange(GVISOR);
    const sandbox = await createSandbox(options);
    await expect(sandbox.run(JOB, AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' });
    await sandbox.close();
  });
});
