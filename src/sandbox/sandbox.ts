/** The sandbox port: one job in, one result out. A result is a value with flags, never an exception. */

export interface SnapshotEntry {
  /** Relative to /work, POSIX, no `..`; written as a plain file, folders are made as needed. */
  readonly path: string;
  readonly content: Buffer;
  readonly executable?: boolean;
}

export interface Step {
  /** Unique in the job. */
  readonly name: string;
  /** argv[0] is an absolute path in the image. */
  readonly argv: readonly string[];
  /** Absolute, below /work. */
  readonly cwd: string;
  /** Added to a fixed minimal environment (PATH, HOME=/work/.home, LANG=C.UTF-8, TMPDIR=/work/.tmp). */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
}

export interface SandboxJob {
  /** Shown in the report: `scan`, `scan base`, `acceptance` … */
  readonly purpose: string;
  /** Class of the image lock: `scanners`, `node` … */
  readonly imageClass: string;
  /** Streamed, so that 50,000 files need little memory. */
  readonly snapshot: AsyncIterable<SnapshotEntry> | Iterable<SnapshotEntry>;
  /** Steps of one phase run at once; every process that is left is killed between phases. */
  readonly phases: readonly (readonly Step[])[];
  readonly limits: SandboxLimits;
  /** Hears that all of the snapshot has left this process, which now only waits. */
  readonly onSent?: () => void;
}

export interface SandboxLimits {
  /** MiB of memory, tmpfs included. */
  readonly memoryMb: number;
  readonly cpus: number;
  /** Wall clock of the whole job, enforced from outside. */
  readonly timeoutMs: number;
  /** All captured output of the job together. */
  readonly maxOutputBytes: number;
}

export interface StepResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  /** The program could not be started: the reason. */
  readonly spawnError?: string;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly durationMs: number;
}

export interface SandboxIdentity {
  /** Name of the Docker runtime. */
  readonly runtime: string;
  readonly runtimeVersion: string;
  readonly platform: string;
  /** `sha256:…` of the image that ran. */
  readonly imageDigest: string;
  readonly insecure?: boolean;
  /** Tools of the image with their versions, from the lock. */
  readonly tools: Readonly<Record<string, string>>;
}

export interface SandboxResult {
  readonly identity: SandboxIdentity;
  readonly purpose: string;
  /** Exit code of the container; null when it never ran to an end. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly oomKilled: boolean;
  readonly outputTruncated: boolean;
  readonly durationMs: number;
  /** Why no or not all results came back; absent when the job ran to its end. */
  readonly failure?: string;
  readonly steps: ReadonlyMap<string, StepResult>;
}

export interface Sandbox {
  /** Runs one job; rejects only when the signal aborts or the sandbox cannot be had at all (CypherFixError). */
  run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult>;
  /** Removes this run's containers; stops an engine that we started. */
  close(): Promise<void>;
}
