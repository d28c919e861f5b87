import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { SILENT_LOG } from '../../src/core/log.ts';
import { chooseEngine, type EngineChoice } from '../../src/sandbox/engine.ts';
import { type FakeDaemon, startFakeDaemon } from './fake-daemon.ts';

const SIGNAL = new AbortController().signal;
const RUNC = { path: 'runc' };
const RUNSC = { path: '/opt/bin/runsc', runtimeArgs: ['--platform=systrap'] };

const daemons: FakeDaemon[] = [];
afterEach(async () => {
  await Promise.all(daemons.splice(0).map(daemon => daemon.close()));
});

async function startDaemon(runtimes: object): Promise<FakeDaemon> {
  const daemon = await startFakeDaemon({
    'GET /info': { json: { ServerVersion: '28', NCPU: 2, MemTotal: 1e9, Runtimes: runtimes } },
  });
  daemons.push(daemon);
  return daemon;
}

/** A home with a private engine whose socket is the daemon's, or with none. */
async function makeHome(daemon?: FakeDaemon): Promise<string> {
  const home = daemon === undefined ? await mkdtemp(join(tmpdir(), 'cypherfix-home-')) : dirname(daemon.socketPath);
  if (daemon !== undefined) {
    await mkdir(join(home, 'bin'));
    await writeFile(join(home, 'bin', 'runsc'), '');
  }
  return home;
}

const choose = (changes: Partial<EngineChoice> & { home: string }) =>
  chooseEngine(
    {
      actionPath: '/nonexistent',
      allowInsecure: false,
      mayStart: false,
      log: SILENT_LOG,
      defaultSocket: '/nonexistent.sock',
      ...changes,
    },
    SIGNAL,
  );

describe("the machine's own engine with gVisor", () => {
  test('is passed over for the private one when it has none of our images', async () => {
    const [machine, own] = [await startDaemon({ runsc: RUNSC }), await startDaemon({ runsc: RUNSC })];
    const home = await makeHome(own);
    const at = async (holds: boolean, where = home) =>
      (await choose({ home: where, defaultSocket: machine.socketPath, holdsImages: async () => holds })).docker.address
        .text;
    expect(await at(false)).toBe(`unix://${own.socketPath}`);
    expect(await at(true)).toBe(`unix://${machine.socketPath}`);
    // Without a private engine there is no choice, and what is missing is said later.
    expect(await at(false, await makeHome())).toBe(`unix://${machine.socketPath}`);
  });
});

describe('the engine', () => {
  test('is the one that DOCKER_HOST names, and no other when that has no gVisor', async () => {
    const [named, own, bad] = [
      await startDaemon({ runsc: RUNSC }),
      await startDaemon({ runsc: RUNSC }),
      await startDaemon({ runc: RUNC }),
    ];
    const home = await makeHome(own);
    const chosen = await choose({ home, dockerHost: `unix://${named.socketPath}` });
    expect(chosen.docker.address.text).toBe(`unix://${named.socketPath}`);
    expect(own.calls).toEqual([]);
    await expect(choose({ home, dockerHost: `unix://${bad.socketPath}` })).rejects.toMatchObject({
      code: 'missing',
      hint: 'run: npm run setup',
    });
    await expect(choose({ home, dockerHost: 'ssh://host' })).rejects.toMatchObject({ code: 'usage' });
  });

  test('is the machine’s own when its gVisor is proved', async () => {
    const [machine, own] = [await startDaemon({ runc: RUNC, runsc: RUNSC }), await startDaemon({ runsc: RUNSC })];
    const chosen = await choose({ home: await makeHome(own), defaultSocket: machine.socketPath });
    expect(chosen.docker.address.text).toBe(`unix://${machine.socketPath}`);
    expect(chosen.runtime).toMatchObject({ name: 'runsc', platform: 'systrap' });
  });

  test('is the private one when the machine’s has no gVisor or does not answer', async () => {
    const own = await startDaemon({ 'cypherfix-runsc': RUNSC });
    const home = await makeHome(own);
    const machine = await startDaemon({ runc: RUNC, runsc: RUNC });
    expect((await choose({ home, defaultSocket: machine.socketPath })).docker.address.text).toBe(
      `unix://${own.socketPath}`,
    );
    const deaf = join(home, 'deaf.sock');
    await writeFile(deaf, '');
    expect((await choose({ home, defaultSocket: deaf })).docker.address.text).toBe(`unix://${own.socketPath}`);
  });

  test('is not the machine’s runc while there is a private one, insecure allowed or not', async () => {
    const [machine, own] = [await startDaemon({ runc: RUNC }), await startDaemon({ 'cypherfix-runsc': RUNSC })];
    const home = await makeHome(own);
    expect((await choose({ home, defaultSocket: machine.socketPath, allowInsecure: true })).runtime.insecure).toBe(
      false,
    );
    const bare = { home: await makeHome(), defaultSocket: machine.socketPath };
    expect((await choose({ ...bare, allowInsecure: true })).runtime).toMatchObject({ name: 'runc', insecure: true });
    await expect(choose(bare)).rejects.toMatchObject({ code: 'missing' });
  });

  test('that is nowhere is something missing, and a stopped one is not started where that is not wanted', async () => {
    await expect(choose({ home: await makeHome() })).rejects.toMatchObject({
      code: 'missing',
      hint: 'run: npm run setup',
    });
    const stopped = await startDaemon({});
    const home = await makeHome(stopped);
    await stopped.close();
    await expect(choose({ home })).rejects.toMatchObject({ code: 'missing' });
  });

  test('that does not start says what its script said', async () => {
    const stopped = await startDaemon({});
    const home = await makeHome(stopped);
    await stopped.close();
    const actionPath = await mkdtemp(join(tmpdir(), 'cypherfix-action-'));
    await mkdir(join(actionPath, 'sandbox'));
    await writeFile(join(actionPath, 'sandbox', 'engine'), 'echo "error: missing: dockerd" >&2; exit 69\n');
    await expect(choose({ home, actionPath, mayStart: true })).rejects.toMatchObject({
      code: 'missing',
      message: 'the private Docker Engine did not start: error: missing: dockerd',
      hint: expect.stringContaining('npm run setup'),
    });
  });
});
