import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SILENT_LOG } from '../../src/core/log.ts';
import { type ChosenEngine, chooseEngine } from '../../src/sandbox/engine.ts';
import { CHECKOUT, HOME } from './real-sandbox.ts';

const SIGNAL = new AbortController().signal;
const NOBODY = async (): Promise<boolean> => false;

let home = '';
beforeAll(async () => {
  // A second private engine beside the one that the other tests use, with the same runsc.
  home = await mkdtemp(join(tmpdir(), 'cypherfix-engine-'));
  await mkdir(join(home, 'bin'));
  await symlink(join(HOME, 'bin', 'runsc'), join(home, 'bin', 'runsc'));
  await copyFile(join(HOME, 'runsc.json'), join(home, 'runsc.json'));
});
afterAll(async () => {
  await engine('stop');
  await rm(home, { recursive: true, force: true });
});

const engine = (command: string): Promise<string> =>
  promisify(execFile)('/bin/bash', [join(CHECKOUT, 'sandbox', 'engine'), command], {
    env: { ...process.env, CYPHERFIX_HOME: home },
  }).then(
    ({ stdout }) => stdout.trim(),
    (error: { stdout?: string }) => (error.stdout ?? '').trim(),
  );

const choose = (): Promise<ChosenEngine> =>
  chooseEngine(
    {
      home,
      actionPath: CHECKOUT,
      allowInsecure: false,
      mayStart: true,
      log: SILENT_LOG,
      defaultSocket: '/nonexistent.sock',
    },
    SIGNAL,
  );

test('a stopped engine is started, shared, and stopped by its last user', async () => {
  process.env['CYPHERFIX_TEST_SECRET'] = 'canary-engine';
  const first = await choose();
  delete process.env['CYPHERFIX_TEST_SECRET'];
  expect(first.runtime).toMatchObject({ name: 'cypherfix-runsc', insecure: false });
  const pid = (await readFile(join(home, 'docker.pid'), 'utf8')).trim();
  // It outlives this process and must know nothing of it.
  expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('canary-engine');

  const second = await choose();
  await first.release(NOBODY);
  expect(await engine('status')).toBe('running');
  await second.release(async () => true);
  expect(await engine('status')).toBe('running');
});

test('two that start it at once get one engine, and an engine that was running stays', async () => {
  await engine('stop');
  const both = await Promise.all([choose(), choose()]);
  expect(new Set(both.map(chosen => chosen.info.serverVersion)).size).toBe(1);
  await both[0]?.release(NOBODY);
  expect(await engine('status')).toBe('running');
  await both[1]?.release(NOBODY);
  expect(await engine('status')).toBe('stopped');

  expect(await engine('start')).toBe('started');
  const guest = await choose();
  await guest.release(NOBODY);
  expect(await engine('status')).toBe('running');
});
