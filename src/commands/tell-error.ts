import { toMessage } from '../core/errors.ts';
import { setOutputs } from '../runner/outputs.ts';
import type { CommandContext } from './context.ts';

/** Runs a step; when it fails, its output `error` says why, so that `publish` can say it on GitHub. Rejects as `task`. */
export async function tellError(context: CommandContext, task: () => Promise<number>): Promise<number> {
  try {
    return await task();
  } catch (error) {
    if (!context.signal.aborted) setOutputs(context.env, { error: toMessage(error) });
    throw error;
  }
}
