import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SILENT_LOG } from '../../src/core/log.ts';
import { registerUse } from '../../src/sandbox/engine-users.ts';
import { hasOtherRuns, isAlive, readOwnIdentity, removeLeftovers, toLabels } from '../../src/sandbox/leftovers.ts';
import { createFakeEngine } from './fake-engine.ts';

const NOW = 1_800_000_000_000;

describe('containers', () => {
  test('of living processes stay, those of dead ones, expired ones and unknown ones go', async () => {
    const living = await toLabels('2-1', 60_000, NOW);
    const [place] = (await readOwnIdentity()).split('/');
    const containers = [
      { id: 'living', labels: living },
      { id: 'dead', labels: { ...living, 'cypherfix.owner': `${place}/${process.pid}/1` } },
      { id: 'gone', labels: { ...living, 'cypherfix.owner': `${place}/4194304/1` } },
      { id: 'elsewhere', labels: { ...living, 'cypherfix.owner': 'other:1/1/1' } },
      { id: 'expired', labels: { ...living, 'cypherfix.owner': 'other:1/1/1', 'cypherfix.expires': String(NOW - 1) } },
      { id: 'bare', labels: { 'cypherfix.run': '9-1' } },
      { id: 'foreign', labels: { other: 'x' } },
    ];
    const engine = createFakeEngine({ containers });
    expect(await removeLeftovers(engine, { log: SILENT_LOG, now: NOW })).toBe(4);
    expect(engine.calls).toEqual(['remove dead', 'remove gone', 'remove expired', 'remove bare']);
  });

  test('of a run all go at its end, and only of that run', async () => {
    const containers = [
      { id: 'own', labels: await toLabels('1-1', 60_000, NOW) },
      { id: 'next attempt', labels: await toLabels('1-10', 60_000, NOW) },
    ];
    const engine = createFakeEngine({ containers });
    await removeLeftovers(engine, { log: SILENT_LOG, now: NOW, ownRun: '1-1' });
    expect(engine.calls).toEqual(['remove own']);
    expect(await hasOtherRuns(engine, '1-1', NOW)).toBe(true);
    expect(await hasOtherRuns(engine, '1-10', NOW)).toBe(false);
  });

  test('that cannot be removed are a warning, not an error', async () => {
    const warnings: string[] = [];
    const engine = createFakeEngine(
      { containers: [{ id: 'x', labels: { 'cypherfix.run': '1' } }] },
      { removeContainer: () => Promise.reject(new Error('device busy')) },
    );
    const log = { ...SILENT_LOG, warn: (message: string) => void warnings.push(message) };
    expect(await removeLeftovers(engine, { log, now: NOW })).toBe(0);
    expect(warnings).toEqual(['leftover containers could not all be removed: device busy']);
  });
});

test('a process is known by number and start time', async () => {
  const own = await readOwnIdentity();
  expect(await isAlive(own)).toBe(true);
  expect(await isAlive(own.replace(/\/\d+$/, '/1'))).toBe(false);
  expect(await isAlive('another machine/1/1')).toBe(true);
});

describe('users of an engine', () => {
  test('the last one of an engine that a user started is told so', async () => {
    const home = await mkdtemp(join(tmpdir(), 'cypherfix-home-'));
    const first = await registerUse(home);
    await first.markStarted();
    const second = await registerUse(home);
    expect(await first.end()).toBe(false);
    expect(await second.end()).toBe(true);
    expect(await second.end()).toBe(false);
    expect(await readdir(join(home, 'engine-users'))).toEqual([]);
  });

  test('dead ones do not count, and an engine that was running before is left alone', async () => {
    const home = await mkdtemp(join(tmpdir(), 'cypherfix-home-'));
    const use = await registerUse(home);
    await writeFile(join(home, 'engine-users', '1-1'), (await readOwnIdentity()).replace(/\/\d+$/, '/1'));
    expect(await use.end()).toBe(false);
    const next = await registerUse(home);
    await writeFile(join(home, 'engine-users', '1-1'), (await readOwnIdentity()).replace(/\/\d+$/, '/1'));
    await next.markStarted();
    expect(await next.end()).toBe(true);
  });
});
