import { expect, test } from 'vitest';
import { workMeanwhile } from '../../src/analysis/work-meanwhile.ts';
import type { Sandbox, SandboxJob, SandboxResult, SnapshotEntry } from '../../src/sandbox/sandbox.ts';

const signal = new AbortController().signal;
const entry = (path: string): SnapshotEntry => ({ path, content: Buffer.from(path) });
const toJob = (snapshot: SandboxJob['snapshot']): SandboxJob => ({
  purpose: 'scan',
  imageClass: 'scanners',
  snapshot,
  phases: [],
  limits: { memoryMb: 1, cpus: 1, timeoutMs: 1, maxOutputBytes: 1 },
});

/** A sandbox that takes the files and then works until it is told to end. */
function fake() {
  const events: string[] = [];
  let finish = () => {};
  const sandbox: Sandbox = {
    async run(job) {
      for await (const { path } of job.snapshot) events.push(path);
      job.onSent?.();
      await new Promise<void>(resolve => {
        finish = resolve;
      });
      events.push('end');
      return {} as SandboxResult;
    },
    async close() {
      events.push('closed');
    },
  };
  return { events, sandbox, finish: () => finish() };
}

const turn = () => new Promise(resolve => setTimeout(resolve, 20));

test('the work begins when the files are sent and the job still runs; once for all jobs', async () => {
  const { events, sandbox, finish } = fake();
  const both = workMeanwhile(sandbox, async () => events.push('work'));
  const first = both.run(toJob([entry('a'), entry('b')]), signal);
  await turn();
  finish();
  await first;
  const second = both.run(toJob([entry('c')]), signal);
  await turn();
  finish();
  await second;
  await both.close();
  expect(events).toEqual(['a', 'b', 'work', 'end', 'c', 'end', 'closed']);
});

test('work that fails leaves the job alone', async () => {
  const { events, sandbox, finish } = fake();
  const job = workMeanwhile(sandbox, () => Promise.reject(new Error('no such module'))).run(
    toJob([entry('a')]),
    signal,
  );
  await turn();
  finish();
  await job;
  expect(events).toEqual(['a', 'end']);
});

test('files that cannot be read fail the job as before, and no work begins', async () => {
  const { events, sandbox } = fake();
  async function* broken(): AsyncGenerator<SnapshotEntry> {
    yield entry('a');
    throw new Error('unreadable');
  }
  const job = workMeanwhile(sandbox, async () => events.push('work')).run(toJob(broken()), signal);
  await expect(job).rejects.toThrow('unreadable');
  await turn();
  expect(events).toEqual(['a']);
});
