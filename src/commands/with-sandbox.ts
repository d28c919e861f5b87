import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_LIMITS } from '../policy/default-limits.ts';
import { optimizeLate } from '../runner/late-optimizer.ts';
import { createSandbox, type GvisorSandbox } from '../sandbox/create-sandbox.ts';
import type { CommandContext } from './context.ts';
import { toSandboxOptions } from './sandbox-options.ts';

/** An engine that is still to be started takes seconds; the work does not wait for that. */
const HEAD_START_MS = 150;

/**
 * Begins to start a container with the limits that most policies have, and then does the work: loading its code would
 * keep this process from answering the engine, whose part takes longest. Whatever happens, everything that was started is stopped again.
 */
export async function withSandbox<T>(
  context: CommandContext,
  work: (sandbox: GvisorSandbox) => Promise<T>,
): Promise<T> {
  optimizeLate();
  const sandbox = await createSandbox(toSandboxOptions(context));
  const limits = { memoryMb: DEFAULT_LIMITS.memory_mb, cpus: DEFAULT_LIMITS.cpus };
  try {
    await Promise.race([sandbox.prewarm('scanners', limits), sleep(HEAD_START_MS, undefined, { ref: false })]);
    return await work(sandbox);
  } finally {
    await Promise.allSettled([sandbox.close()]);
  }
}
