import type { Sandbox } from '../sandbox/sandbox.ts';

/**
 * The sandbox, with `work` begun once, when the first job's files are all sent: the host then has nothing to do but wait.
 * The work's failure is its own affair and touches no job.
 */
export function workMeanwhile(sandbox: Sandbox, work: () => Promise<unknown>): Sandbox {
  let begun = false;
  const begin = (): void => {
    if (begun) return;
    begun = true;
    work().catch(() => {});
  };
  return {
    close: () => sandbox.close(),
    run: (job, signal) => {
      const onSent = (): void => {
        job.onSent?.();
        begin();
      };
      return sandbox.run({ ...job, onSent }, signal);
    },
  };
}
