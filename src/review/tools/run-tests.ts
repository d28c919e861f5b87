import { z } from 'zod';
import { toMessage } from '../../core/errors.ts';
import { defineTool, optional } from './tool.ts';
import { type ToolContext, ToolError, takePath } from './tool-context.ts';

export const MAX_TEST_RUNS = 3;
const MAX_OUTPUT_CHARS = 8_192;

/** Runs of one review; every call makes a tool of its own, so that reviews do not share the count. */
export function createRunTests() {
  let runs = 0;
  return defineTool({
    name: 'run_tests',
    description: `Runs the repository's tests in a sandbox and returns the end of their output. For the correctness reviewer only, at most ${MAX_TEST_RUNS} times.`,
    input: z.object({ target: optional(z.string()).describe('path of a test file or folder, null for all tests') }),
    async run({ target: written }, context, { role, signal }) {
      if (!context.defences.mayRunTests(role)) throw new ToolError('correctness only');
      if (context.runTests === null) throw new ToolError('no test command is configured');
      const target = written === null || written.trim() === '' ? null : await takeTarget(context, written);
      if (runs >= MAX_TEST_RUNS) throw new ToolError(`at most ${MAX_TEST_RUNS} runs a review`);
      runs += 1;
      try {
        const output = context.guard.clean('test-output', await context.runTests(target, signal));
        const cut = output.length - MAX_OUTPUT_CHARS;
        return cut <= 0 ? `output:\n${output}` : `output (the first ${cut} characters are cut):\n${output.slice(cut)}`;
      } catch (error) {
        signal.throwIfAborted();
        // A refusal is no run.
        if (error instanceof ToolError) runs -= 1;
        throw new ToolError(toMessage(error));
      }
    },
  });
}

/** A path that exists at the head, and nothing that a command line could take for more. */
async function takeTarget(context: ToolContext, written: string): Promise<string> {
  const path = takePath(context, written);
  if (path.startsWith('-')) throw new ToolError('target: must not start with a dash');
  const entries = await context.tree.entries();
  if (!entries.some(entry => entry.path === path || entry.path.startsWith(`${path}/`))) {
    throw new ToolError('target: no such file or folder at the head');
  }
  return path;
}
