import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { assertJob, packSnapshot } from '../../src/sandbox/pack-snapshot.ts';
import type { SandboxJob, SnapshotEntry, Step } from '../../src/sandbox/sandbox.ts';

const STEP: Step = {
  name: 'a',
  argv: ['/bin/true'],
  cwd: '/work/r',
  env: {},
  timeoutMs: 1000,
  maxStdoutBytes: 10,
  maxStderrBytes: 10,
};
const toJob = (snapshot: SandboxJob['snapshot'], phases: SandboxJob['phases'] = [[STEP]]): SandboxJob => ({
  purpose: 'scan',
  imageClass: 'scanners',
  snapshot,
  phases,
  limits: { memoryMb: 1024, cpus: 1, timeoutMs: 1000, maxOutputBytes: 500 },
});

async function unpack(job: SandboxJob): Promise<{ name: string; mode: number | undefined; content: string }[]> {
  const members: { name: string; mode: number | undefined; content: string }[] = [];
  const archive = extract();
  const read = async (): Promise<void> => {
    for await (const entry of archive)
      members.push({ name: entry.header.name, mode: entry.header.mode, content: await text(entry) });
  };
  await Promise.all([pipeline(packSnapshot(job, 'nonce'), archive), read()]);
  return members;
}

describe('the archive', () => {
  test('holds the files as given and the job file last', async () => {
    const long = `r/${'x'.repeat(150)}/${'y'.repeat(120)}.ts`;
    const members = await unpack(
      toJob([
        { path: 'r/ä\n.ts', content: Buffer.from('one') },
        { path: long, content: Buffer.from('two') },
        { path: 'r/run', content: Buffer.from('three'), executable: true },
      ]),
    );
    expect(members.map(({ name, mode }) => [name, mode])).toEqual([
      ['r/ä\n.ts', 0o644],
      [long, 0o644],
      ['r/run', 0o755],
      ['job/job.json', 0o644],
    ]);
    expect(members.map(member => member.content).slice(0, 3)).toEqual(['one', 'two', 'three']);
    const { name: _, ...step } = STEP;
    expect(JSON.parse(members[3]?.content ?? '')).toEqual({
      nonce: 'nonce',
      maxOutputBytes: 500,
      phases: [[step]],
    });
  });

  test('is made no faster than it is read', async () => {
    let made = 0;
    function* files(): Generator<SnapshotEntry> {
      for (; made < 10_000; made += 1) yield { path: `r/${made}`, content: Buffer.alloc(10_000) };
    }
    const archive = packSnapshot(toJob(files()), 'nonce');
    await new Promise(resolve => archive.once('readable', resolve));
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(made).toBeLessThan(100);
    archive.destroy();
  });

  test.each(['', '/etc/passwd', '..', 'a/../b', './a', 'a//b', 'a/', 'job', 'job/job.json', '.home/x', 'a\0b'])(
    'refuses the path %j',
    async path => {
      await expect(unpack(toJob([{ path, content: Buffer.alloc(0) }]))).rejects.toThrow(JSON.stringify(path));
    },
  );
});

describe('a job', () => {
  test.each<[string, Partial<Step>]>([
    ['not an absolute path', { argv: ['true'] }],
    ['not an absolute path', { argv: [] }],
    ['not below /work', { cwd: '/' }],
    ['not below /work', { cwd: '/workshop' }],
    ['a NUL', { argv: ['/bin/true', 'a\0b'] }],
    ['a NUL', { env: { A: '\0' } }],
    ['a secret in its environment', { env: { TOKEN: `ghp_${'a1B2'.repeat(9)}` } }],
    ['not positive', { timeoutMs: 0 }],
    ['not positive', { timeoutMs: Number.NaN }],
  ])('is refused with the step’s name: %s', (reason, changes) => {
    expect(() => assertJob(toJob([], [[{ ...STEP, ...changes }]]))).toThrow(new RegExp(`step "a": .*${reason}`));
  });

  test('names each step once, over all phases', () => {
    expect(() => assertJob(toJob([], [[STEP], [STEP]]))).toThrow('the name is used twice');
    expect(() => assertJob(toJob([], [[STEP], [{ ...STEP, name: 'b' }]]))).not.toThrow();
  });
});
