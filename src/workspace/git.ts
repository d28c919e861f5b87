import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { CypherFixError } from '../core/errors.ts';
import { type GitEnvironmentOptions, toGitEnvironment } from './git-environment.ts';
import { toGitError } from './git-errors.ts';

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_STDERR_CHARS = 8_192;

export interface GitOptions extends GitEnvironmentOptions {
  readonly signal?: AbortSignal | undefined;
  readonly gitBinary?: string | undefined;
  /** Strings that must not show in an error message. */
  readonly secrets?: readonly string[] | undefined;
}

export interface RunOptions {
  readonly input?: Buffer | string;
  /** Cap of standard output in bytes; more is an error, never a cut. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** Exit codes that are answers and not failures, beside 0. */
  readonly okExitCodes?: readonly number[];
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Git over one repository folder of our own. Loads no configuration of the repository, runs no program but git's own. */
export interface Git {
  readonly gitDir: string;
  readonly signal: AbortSignal | undefined;
  /** Runs to the end and returns standard output whole. Throws a CypherFixError with what git said. */
  run(args: readonly string[], options?: RunOptions): Promise<GitResult>;
  /** Hands standard output over in pieces; what `onChunk` throws ends git and rejects. */
  stream(args: readonly string[], onChunk: (chunk: Buffer) => void, options?: RunOptions): Promise<GitResult>;
  /** A long-lived git process, for the object reader; it ends with its standard input, or on abort. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams;
}

/**
 * `gitDir` must be a folder that we wrote ourselves (see `createPrivateGitDir`, `fetchPullRequest`): git reads the
 * configuration in it.
 */
export function createGit(options: GitOptions): Git {
  const start = (args: readonly string[]): ChildProcessWithoutNullStreams => startGit(args, options);
  const stream: Git['stream'] = (args, onChunk, run = {}) => watch(start(args), args, onChunk, run, options);
  return {
    gitDir: options.gitDir,
    signal: options.signal,
    start,
    stream,
    async run(args, run = {}) {
      const chunks: Buffer[] = [];
      const maxBytes = run.maxBytes ?? DEFAULT_MAX_BYTES;
      let length = 0;
      const collect = (chunk: Buffer): void => {
        length += chunk.length;
        if (length > maxBytes) throw new CypherFixError('git', `git ${args[0]} printed more than ${maxBytes} bytes`);
        chunks.push(chunk);
      };
      const result = await stream(args, collect, run);
      return { ...result, stdout: Buffer.concat(chunks) };
    },
  };
}

function startGit(args: readonly string[], options: GitOptions): ChildProcessWithoutNullStreams {
  if (options.signal?.aborted) throw toInterruption();
  const child = spawn(options.gitBinary ?? 'git', args, {
    cwd: options.gitDir,
    env: toGitEnvironment(options),
    // A process group of its own, so that git's helpers end with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A process that ends early closes its input; the exit status says why.
  child.stdin.on('error', () => {});
  const onAbort = (): void => killGroup(child.pid);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  child.once('close', () => options.signal?.removeEventListener('abort', onAbort));
  return child;
}

function watch(
  child: ChildProcessWithoutNullStreams,
  args: readonly string[],
  onChunk: (chunk: Buffer) => void,
  run: RunOptions,
  options: GitOptions,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    let stderr = '';
    let failure: unknown;
    const fail = (error: unknown): void => {
      failure ??= error;
      killGroup(child.pid);
    };
    const timeoutMs = run.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const timer = setTimeout(
      () => fail(new CypherFixError('git', `git ${args[0]} did not finish within ${Math.round(timeoutMs / 1000)} s`)),
      timeoutMs,
    );
    child.stdout.on('data', (chunk: Buffer) => {
      if (failure !== undefined) return;
      try {
        onChunk(chunk);
      } catch (error) {
        fail(error);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MAX_STDERR_CHARS) stderr += text.slice(0, MAX_STDERR_CHARS - stderr.length);
    });
    child.once('error', error => {
      failure ??= toGitError(args, { stderr: '', cause: error });
    });
    child.once('close', (code, killedBy) => {
      clearTimeout(timer);
      const said = hideSecrets(stderr, options.secrets ?? []);
      const exitCode = code ?? -1;
      if (options.signal?.aborted) reject(toInterruption());
      else if (failure !== undefined) reject(failure);
      else if (exitCode === 0 || run.okExitCodes?.includes(exitCode)) {
        resolve({ exitCode, stdout: Buffer.alloc(0), stderr: said });
      } else reject(toGitError(args, { stderr: said || `ended by ${killedBy ?? `status ${exitCode}`}` }));
    });
    child.stdin.end(run.input ?? '');
  });
}

/** The error of everything that an abort ended. */
export function toInterruption(): CypherFixError {
  return new CypherFixError('interrupted', 'interrupted');
}

/** Ends a process that `start` returned, with all its children. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((hidden, secret) => (secret === '' ? hidden : hidden.replaceAll(secret, '***')), text);
}
