/**
 * What host and guest say to each other. The host sends the program, then a tar whose last member is the job file; the
 * guest answers on standard output with records: a header of JSON, then the bytes it announces. A step gives one record
 * when it ends, in any order; the end record is last and carries the nonce that only the job file holds, so an output
 * that was cut off is never taken for a whole one.
 */

export const JOB_FOLDER = 'job';
export const PROGRAM_FILE = 'job/scan.js';
export const JOB_FILE = 'job/job.json';
/** Longest header that is ever read, in bytes. */
export const MAX_HEADER_BYTES = 4096;
/** Longest reason in a header, in characters; JSON escapes may make it six times as long in bytes. */
export const MAX_REASON_CHARS = 300;

export interface GuestStep {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  /** A program of the guest that may run in process 1 itself, where there is little for it to read. */
  readonly inside?: boolean;
}

export interface GuestJob {
  readonly nonce: string;
  readonly maxOutputBytes: number;
  readonly phases: readonly (readonly GuestStep[])[];
}

export interface StepHeader {
  /** Index of the step, counted through all phases. */
  readonly step: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  readonly spawnError: string | null;
  readonly durationMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

export interface EndHeader {
  readonly end: string;
}

/** One record's bytes before its bodies: the header's length (32 bits, big-endian), then the header. */
export function toRecordHead(header: StepHeader | EndHeader): Buffer {
  const text = Buffer.from(JSON.stringify(header), 'utf8');
  if (text.length > MAX_HEADER_BYTES) throw new RangeError(`a record header of ${text.length} bytes`);
  const head = Buffer.alloc(4 + text.length);
  head.writeUInt32BE(text.length, 0);
  text.copy(head, 4);
  return head;
}
