import { toMessage } from '../core/errors.ts';
import type { ToolCall, ToolResult } from './model.ts';

/** Runs one tool call; what it throws reaches the model as `error: …`. */
export interface ToolRunner {
  /** Returns the raw text of the result. */
  run(call: ToolCall, signal: AbortSignal): Promise<string>;
  /** Dresses a result that was cut to size, with markers around untrusted text for instance. */
  wrap?(text: string, call: ToolCall): string;
}

/** Most characters of a tool's result that a model reads. */
export const MAX_RESULT_CHARS = 12_000;
/** Most tool calls of one turn that are run. */
export const MAX_CALLS_PER_TURN = 16;
export const REFUSED_RESULT = 'error: the budget does not allow this result to be read';

/** The results of the calls, in their order, run one after the other. Rejects only when the signal aborts. */
export async function answerCalls(
  calls: readonly ToolCall[],
  runner: ToolRunner,
  signal: AbortSignal,
): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  for (const [index, call] of calls.entries()) {
    signal.throwIfAborted();
    const text = index < MAX_CALLS_PER_TURN ? await runOne(call, runner, signal) : TOO_MANY;
    const shown = cutResult(text);
    results.push({ id: call.id, text: runner.wrap?.(shown, call) ?? shown, isError: text.startsWith('error:') });
  }
  return results;
}

/** The text, at most `most` characters of it, with a line that says how much was cut. */
export function cutResult(text: string, most = MAX_RESULT_CHARS): string {
  if (text.length <= most) return text;
  // Never half of a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)}\n… (cut: ${text.length - end} of ${text.length} characters are not shown)`;
}

const TOO_MANY = `error: at most ${MAX_CALLS_PER_TURN} tool calls a turn are run`;

async function runOne(call: ToolCall, runner: ToolRunner, signal: AbortSignal): Promise<string> {
  try {
    return await runner.run(call, signal);
  } catch (error) {
    signal.throwIfAborted();
    return `error: ${toMessage(error)}`;
  }
}
