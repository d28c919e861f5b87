import { z } from 'zod';
import { MAX_HEADER_BYTES } from './protocol.ts';
import type { Step, StepResult } from './sandbox.ts';

const count = z.int().nonnegative();

const StepHeader = z.strictObject({
  /** Index of the step, counted through all phases. */
  step: count,
  exitCode: z.int().min(0).max(255).nullable(),
  signal: z.string().max(20).nullable(),
  timedOut: z.boolean(),
  truncated: z.boolean(),
  spawnError: z.string().max(MAX_HEADER_BYTES).nullable(),
  durationMs: z.number().nonnegative(),
  stdoutBytes: count,
  stderrBytes: count,
});
export type StepHeader = z.infer<typeof StepHeader>;
const EndHeader = z.strictObject({ end: z.string() });
export type EndHeader = z.infer<typeof EndHeader>;

export interface ResultReader {
  /** Takes the next bytes of the guest's standard output. After a violation everything is ignored. */
  push(bytes: Buffer): void;
  /** True as soon as the end record has been read and every step has its result. */
  readonly complete: boolean;
  /** What the guest did against the protocol. */
  readonly violation: string | undefined;
  readonly steps: ReadonlyMap<string, StepResult>;
}

/**
 * Reads the records of a guest, which may be hostile: only steps that were asked for, each once, no body over its step's
 * cap, nothing after the end record, and an end record only with the job's nonce and only when all steps are there.
 */
export function createResultReader(steps: readonly Step[], nonce: string): ResultReader {
  const results = new Map<string, StepResult>();
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let wanted = 4;
  let next: 'length' | 'header' | { header: StepHeader; step: Step } = 'length';
  let violation: string | undefined;
  let complete = false;

  function take(bytes: Buffer): void {
    if (next === 'length') {
      const length = bytes.readUInt32BE(0);
      if (length === 0 || length > MAX_HEADER_BYTES) throw new Error(`a record header of ${length} bytes`);
      expect('header', length);
    } else if (next === 'header') {
      takeHeader(parseHeader(bytes));
    } else {
      const { header, step } = next;
      results.set(step.name, toStepResult(header, bytes));
      expect('length', 4);
    }
  }

  function takeHeader(header: StepHeader | EndHeader): void {
    if ('end' in header) {
      if (header.end !== nonce) throw new Error('an end record with another nonce');
      if (results.size !== steps.length)
        throw new Error(`an end record after ${results.size} of ${steps.length} steps`);
      complete = true;
      return;
    }
    const step = steps[header.step];
    if (step === undefined) throw new Error(`a result of step ${header.step}, which does not exist`);
    if (results.has(step.name)) throw new Error(`a second result of step ${step.name}`);
    if (header.stdoutBytes > step.maxStdoutBytes || header.stderrBytes > step.maxStderrBytes) {
      throw new Error(`an output of step ${step.name} over its limit`);
    }
    expect({ header, step }, header.stdoutBytes + header.stderrBytes);
  }

  function expect(what: typeof next, bytes: number): void {
    next = what;
    wanted = bytes;
    // A step without output has no bytes to wait for.
    if (bytes === 0) take(Buffer.alloc(0));
  }

  function drain(): void {
    while (violation === undefined && !complete && pendingBytes >= wanted) {
      const all = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending);
      const bytes = all.subarray(0, wanted);
      const rest = all.subarray(wanted);
      pending = rest.length > 0 ? [rest] : [];
      pendingBytes = rest.length;
      take(bytes);
    }
    if (complete && pendingBytes > 0) throw new Error('bytes after the end record');
  }

  return {
    push(bytes) {
      if (violation !== undefined || bytes.length === 0) return;
      pending.push(bytes);
      pendingBytes += bytes.length;
      try {
        drain();
      } catch (error) {
        complete = false;
        violation = error instanceof z.ZodError ? 'a record header of another form' : (error as Error).message;
        pending = [];
      }
    },
    get complete() {
      return complete;
    },
    get violation() {
      return violation;
    },
    steps: results,
  };
}

function parseHeader(bytes: Buffer): StepHeader | EndHeader {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Error('a record header that is not JSON');
  }
  return z.union([StepHeader, EndHeader]).parse(value);
}

function toStepResult(header: StepHeader, bodies: Buffer): StepResult {
  return {
    exitCode: header.exitCode,
    signal: header.signal,
    timedOut: header.timedOut,
    truncated: header.truncated,
    ...(header.spawnError === null ? {} : { spawnError: header.spawnError }),
    // Copied, so that a small result does not keep a large chunk of the stream in memory.
    stdout: Buffer.from(bodies.subarray(0, header.stdoutBytes)),
    stderr: Buffer.from(bodies.subarray(header.stdoutBytes)),
    durationMs: header.durationMs,
  };
}
