import { z } from 'zod';
import { CypherFixError, ERROR_CODES } from '../core/errors.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import { redact } from '../core/secrets.ts';
import type { SandboxResult, StepResult } from '../sandbox/sandbox.ts';
import { openText, SealedText, sealText } from './sealed-text.ts';

const count = z.int().nonnegative();
const ms = z.number().nonnegative();
const code = z.int().nullable();

const RecordedStep = z.strictObject({
  name: z.string(),
  exitCode: code,
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  truncated: z.boolean(),
  spawnError: SealedText.nullable(),
  durationMs: ms,
  stdout: SealedText,
  stderr: SealedText,
});

/** One job of the sandbox with all that came back. `turn` counts the jobs of one purpose from 0. */
export const RecordedRun = z.strictObject({
  purpose: z.string(),
  turn: count,
  /** Over commands, limits and files. */
  jobHash: z.string().regex(/^[0-9a-f]{64}$/),
  /** How much of the files the sandbox had read when the job ended. */
  given: z.strictObject({ entries: count, complete: z.boolean() }),
  outcome: z.discriminatedUnion('status', [
    z.strictObject({
      status: z.literal('ran'),
      identity: z.strictObject({
        runtime: z.string(),
        runtimeVersion: z.string(),
        platform: z.string(),
        imageDigest: z.string(),
        insecure: z.boolean().exactOptional(),
        tools: z.record(z.string(), z.string()),
      }),
      exitCode: code,
      timedOut: z.boolean(),
      oomKilled: z.boolean(),
      outputTruncated: z.boolean(),
      durationMs: ms,
      failure: SealedText.nullable(),
      steps: z.array(RecordedStep),
    }),
    z.strictObject({
      status: z.literal('rejected'),
      code: z.enum(ERROR_CODES),
      message: z.string(),
      hint: z.string().nullable(),
    }),
  ]),
});
export type RecordedRun = z.infer<typeof RecordedRun>;
type Outcome = RecordedRun['outcome'];

/** A result in its recorded form; `secrets` null hides every output as a whole. */
export function toRanOutcome(result: SandboxResult, key: Buffer, secrets: SecretRegistry | null): Outcome {
  const seal = (bytes: Buffer) => sealText(bytes, key, secrets);
  const sealLine = (text: string | undefined) => (text === undefined ? null : seal(Buffer.from(text)));
  const { identity, exitCode, timedOut, oomKilled, outputTruncated, durationMs } = result;
  const steps = [...result.steps].map(([name, step]) => ({
    name,
    exitCode: step.exitCode,
    signal: step.signal,
    timedOut: step.timedOut,
    truncated: step.truncated,
    spawnError: sealLine(step.spawnError),
    durationMs: step.durationMs,
    stdout: seal(step.stdout),
    stderr: seal(step.stderr),
  }));
  const flags = { exitCode, timedOut, oomKilled, outputTruncated, durationMs };
  const { insecure, tools, ...plain } = identity;
  const shown = { ...plain, ...(insecure === undefined ? {} : { insecure }), tools: { ...tools } };
  return { status: 'ran', identity: shown, ...flags, failure: sealLine(result.failure), steps };
}

export function toRejectedOutcome(error: CypherFixError, secrets: SecretRegistry): Outcome {
  const hint = error.hint === undefined ? null : redact(error.hint, secrets);
  return { status: 'rejected', code: error.code, message: redact(error.message, secrets), hint };
}

/** The result as the sandbox gave it; throws what the sandbox threw, and an Error when the outputs cannot be opened. */
export function toSandboxResult({ purpose, outcome }: RecordedRun, key: Buffer): SandboxResult {
  if (outcome.status === 'rejected') {
    const { code, message, hint } = outcome;
    throw new CypherFixError(code, message, hint === null ? {} : { hint });
  }
  const line = (text: SealedText) => openText(text, key).toString('utf8');
  const { status: _, failure, steps, ...flags } = outcome;
  const opened = steps.map(({ name, spawnError, stdout, stderr, ...step }): [string, StepResult] => [
    name,
    {
      ...step,
      ...(spawnError === null ? {} : { spawnError: line(spawnError) }),
      stdout: openText(stdout, key),
      stderr: openText(stderr, key),
    },
  ]);
  return { ...flags, purpose, ...(failure === null ? {} : { failure: line(failure) }), steps: new Map(opened) };
}
