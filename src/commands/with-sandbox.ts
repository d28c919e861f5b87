import { DEFAULT_LIMITS } from '../policy/default-limits.ts';
import { createSandbox, type GvisorSandbox } from '../sandbox/create-sandbox.ts';
import type { CommandContext } from './context.ts';
import { toSandboxOptions } from './sandbox-options.ts';

/**
 * Begins to start a container with the limits that most policies have, and does the work; whatever happens, everything
 * that was started is stopped again.
 */
export async function withSandbox<T>(
  context: CommandContext,
  work: (sandbox: GvisorSandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await createSandbox(toSandboxOptions(context));
  sandbox.prewarm('scanners', { memoryMb: DEFAULT_LIMITS.memory_mb, cpus: DEFAULT_LIMITS.cpus });
  try {
    return await work(sandbox);
  } finally {
    await Promise.allSettled([sandbox.close()]);
  }
}
