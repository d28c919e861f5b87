import { EXIT, toMessage } from '../core/errors.ts';
import { toGateWord } from '../findings/gate.ts';
import { isFailingStep, toOutputs } from '../publish/outputs.ts';
import { readInputs } from '../runner/inputs.ts';
import { appendSummary, setOutputs } from '../runner/outputs.ts';
import type { CommandContext } from './context.ts';
import { type Connect, publishRun } from './publish-run.ts';
import type { RunResult } from './run-result.ts';

/**
 * Step 4: reads the checked report and writes it to GitHub. The summary and every output are written on every path; the
 * step fails for a tripped gate only as `fail-on-gate` says, and when it could not do its work.
 */
export const run = (_argv: readonly string[], context: CommandContext): Promise<number> => publish(context);

export async function publish(context: CommandContext, connect?: Connect): Promise<number> {
  const { env, log } = context;
  setOutputs(env, toOutputs(null, 'error', NOTHING_PUBLISHED));
  const inputs = readInputs(env);
  let result: RunResult;
  try {
    result = await publishRun(inputs, context, connect);
  } catch (error) {
    appendSummary(env, `## CypherFix could not publish\n\n${inline(toMessage(error))}\n`);
    throw error;
  }
  for (const line of result.annotations) context.stdout.write(`${line}\n`);
  for (const note of result.notes) log.warn(note);
  appendSummary(env, result.summary);
  const gate = result.report === null ? result.gate : toGateWord(result.report);
  setOutputs(env, toOutputs(result.report, gate, result.published));
  if (result.broken !== undefined) throw result.broken;
  const failed = isFailingStep(inputs.failOnGate, gate, result.published.checkUrl !== '');
  return failed ? EXIT.tripped : EXIT.passed;
}

const NOTHING_PUBLISHED = { reviewUrl: '', checkUrl: '', reportFile: '', sarifFile: '' };

/** An error's text may quote untrusted input: shown as code. */
const inline = (text: string) => `\`${text.replace(/`/g, "'").slice(0, 1000)}\``;
