import type { z } from 'zod';
import type { StepResult } from '../sandbox/sandbox.ts';

const MAX_REASON_CHARS = 300;

/** Why a step's output cannot be used at all, or undefined. `exitCodes` are those with which the tool prints its report. */
export function stepFailure(result: StepResult | undefined, exitCodes: readonly number[]): string | undefined {
  if (result === undefined) return 'the sandbox brought back no result';
  if (result.spawnError !== undefined) return `could not be started: ${result.spawnError}`;
  if (result.timedOut) return `timed out after ${Math.round(result.durationMs / 1000)} s`;
  if (result.signal !== null) return `killed by ${result.signal}${withStderr(result)}`;
  if (result.exitCode === null || !exitCodes.includes(result.exitCode))
    return `exit code ${result.exitCode}${withStderr(result)}`;
  if (result.truncated) return 'more output than the sandbox takes';
  return undefined;
}

/** Up to here a report is checked sooner than zod compiles its schema. */
export const SHORT_REPORT_BYTES = 256 * 1024;

/** A tool's report, checked, or the reason why it cannot be used. */
export function readReport<T>(schema: z.ZodType<T>, output: Buffer): { value: T } | { failure: string } {
  const json = parseJson(output);
  if ('failure' in json) return json;
  const parsed = schema.safeParse(json.value, { jitless: output.length < SHORT_REPORT_BYTES });
  return parsed.success ? { value: parsed.data } : { failure: `unexpected report: ${shorten(parsed.error.message)}` };
}

function parseJson(output: Buffer): { value: unknown } | { failure: string } {
  try {
    return { value: JSON.parse(output.toString('utf8')) };
  } catch {
    const start = output.subarray(0, 80).toString('utf8').trim();
    return { failure: start === '' ? 'printed nothing' : `printed no JSON: ${JSON.stringify(start)}` };
  }
}

/** A message of the tool on one line, cut. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_REASON_CHARS ? `${line.slice(0, MAX_REASON_CHARS)}…` : line;
}

function withStderr(result: StepResult): string {
  const tail = shorten(result.stderr.subarray(-600).toString('utf8'));
  return tail === '' ? '' : `: ${tail}`;
}
