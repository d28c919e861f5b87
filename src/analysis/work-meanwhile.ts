import type { Sandbox, SandboxJob, SnapshotEntry } from '../sandbox/sandbox.ts';

/**
 * The sandbox, with `work` begun once, when the first job's files are all on their way: the host then has nothing to do but
 * wait. The work's failure is its own affair and touches no job.
 */
export function workMeanwhile(sandbox: Sandbox, work: () => Promise<unknown>): Sandbox {
  let begun = false;
  const begin = (): void => {
    if (begun) return;
    begun = true;
    // After what is still to be sent.
    setImmediate(() => {
      work().catch(() => {});
    });
  };
  return {
    close: () => sandbox.close(),
    run: (job, signal) => sandbox.run({ ...job, snapshot: followedBy(job.snapshot, begin) }, signal),
  };
}

async function* followedBy(snapshot: SandboxJob['snapshot'], then: () => void): AsyncGenerator<SnapshotEntry> {
  yield* snapshot;
  then();
}
