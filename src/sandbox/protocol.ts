/**
 * What the host and the guest (sandbox/go/guest, the first process of a container) say to each other. The guest begins, on
 * standard error, with a line that says what kernel it runs under. The host sends a tar whose last member is the job file;
 * the guest answers on standard output with records: the length of a header (32 bits, big-endian), the header as JSON, then
 * the bytes it announces. A step gives one record when it ends, in any order; the end record is last and carries the nonce
 * that only the job file holds, so an output that was cut off is never taken for a whole one.
 */

/** The guest's program in every image; `guest dockerfile` is a step of a job. */
export const GUEST = '/opt/cypherfix/guest';
export const JOB_FOLDER = 'job';
export const JOB_FILE = 'job/job.json';
/** Longest header that is ever read, in bytes. */
export const MAX_HEADER_BYTES = 4096;

/** argv of the container; the nonce ties the line about the kernel to this container. */
export const toStartCommand = (nonce: string): string[] => [GUEST, 'run', nonce];

export interface GuestStep {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
}

export interface GuestJob {
  readonly nonce: string;
  readonly maxOutputBytes: number;
  readonly phases: readonly (readonly GuestStep[])[];
}
