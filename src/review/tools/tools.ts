import { toMessage } from '../../core/errors.ts';
import type { ToolSpec } from '../../model/model.ts';
import type { ToolRunner } from '../../model/tool-results.ts';
import { getDiff } from './get-diff.ts';
import { gitBlame, gitLog } from './git-history.ts';
import { listDir } from './list-dir.ts';
import { readFile } from './read-file.ts';
import { createRunTests } from './run-tests.ts';
import { searchCode } from './search-code.ts';
import type { Tool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

export interface Toolbox {
  readonly specs: readonly ToolSpec[];
  /** Runs the calls of one role; results are cleaned, and marked as data. */
  runnerFor(role: string): ToolRunner;
}

/** The reviewers' tools: the same for all three, byte for byte, since the prompt cache covers them. */
export function createToolbox(context: ToolContext): Toolbox {
  return toToolbox([readFile, searchCode, listDir, gitLog, gitBlame, getDiff, createRunTests()], context);
}

/** What reflection needs to check a finding. */
export function createReflectionToolbox(context: ToolContext): Toolbox {
  return toToolbox([readFile, searchCode, getDiff], context);
}

function toToolbox(tools: readonly Tool[], context: ToolContext): Toolbox {
  const byName = new Map(tools.map(tool => [tool.spec.name, tool]));
  return {
    specs: tools.map(tool => tool.spec),
    runnerFor: role => ({
      async run({ name, input }, signal) {
        const tool = byName.get(name);
        if (tool === undefined) return 'error: no such tool';
        try {
          return await tool.run(input, context, { role, signal });
        } catch (error) {
          signal.throwIfAborted();
          return `error: ${context.guard.cleanLine('code', toMessage(error)).slice(0, MAX_ERROR_CHARS)}`;
        }
      },
      // Errors as well: git's words may hold a name from the repository.
      wrap: (text, { name }) => context.guard.block(byName.has(name) ? `result of ${name}` : 'result', text),
    }),
  };
}

const MAX_ERROR_CHARS = 500;
