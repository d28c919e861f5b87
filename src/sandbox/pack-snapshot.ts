import type { Readable } from 'node:stream';
import { type Pack, pack } from 'tar-stream';
import { CypherFixError } from '../core/errors.ts';
import { findSecrets } from '../core/secrets.ts';
import { type GuestJob, JOB_FILE, JOB_FOLDER } from './protocol.ts';
import type { SandboxJob, SnapshotEntry, Step } from './sandbox.ts';

/** Names at the top of /work that the guest itself uses. */
const RESERVED = new Set([JOB_FOLDER, '.home', '.tmp']);

/**
 * The tar that goes into the sandbox: the snapshot's files, then the job file. Produced only as fast as it is read; the
 * stream fails with what the snapshot threw, or with a CypherFixError on a path that leaves /work.
 */
export function packSnapshot(job: SandboxJob, nonce: string): Readable {
  const archive = pack();
  // The reader gets it too; a reader that has gone must not make it an uncaught one.
  archive.on('error', () => {});
  fill(archive, job, nonce).catch((error: Error) => archive.destroy(error));
  return archive as unknown as Readable;
}

/** Throws on a job that cannot be run as it is meant: the message names the step. */
export function assertJob(job: SandboxJob): void {
  const names = new Set<string>();
  for (const step of job.phases.flat()) {
    const reason = findFault(step, names);
    if (reason !== undefined)
      throw new CypherFixError('internal', `sandbox job "${job.purpose}", step "${step.name}": ${reason}`);
    names.add(step.name);
  }
}

async function fill(archive: Pack, job: SandboxJob, nonce: string): Promise<void> {
  for await (const entry of job.snapshot) {
    assertPath(entry.path);
    await add(archive, entry);
  }
  await add(archive, { path: JOB_FILE, content: Buffer.from(JSON.stringify(toGuestJob(job, nonce))) });
  archive.finalize();
}

function add(archive: Pack, entry: SnapshotEntry): Promise<void> {
  return new Promise((resolve, reject) => {
    const mode = entry.executable === true ? 0o755 : 0o644;
    const header = { name: entry.path, mode, mtime: new Date(0), size: entry.content.length };
    archive.entry(header, entry.content, error => (error ? reject(error) : resolve()));
  });
}

function assertPath(path: string): void {
  const parts = path.split('/');
  const fault = path.includes('\0') || parts.some(part => part === '' || part === '.' || part === '..');
  if (fault || RESERVED.has(parts[0] ?? '')) {
    throw new CypherFixError('internal', `a snapshot path that cannot be sent to the sandbox: ${JSON.stringify(path)}`);
  }
}

function toGuestJob(job: SandboxJob, nonce: string): GuestJob {
  return {
    nonce,
    maxOutputBytes: job.limits.maxOutputBytes,
    phases: job.phases.map(phase =>
      phase.map(({ argv, cwd, env, timeoutMs, maxStdoutBytes, maxStderrBytes }) => ({
        argv,
        cwd,
        env,
        timeoutMs,
        maxStdoutBytes,
        maxStderrBytes,
      })),
    ),
  };
}

function findFault(step: Step, names: ReadonlySet<string>): string | undefined {
  if (names.has(step.name)) return 'the name is used twice';
  if (!step.argv[0]?.startsWith('/')) return 'argv[0] is not an absolute path';
  if (step.cwd !== '/work' && !step.cwd.startsWith('/work/')) return 'the working directory is not below /work';
  if ([...step.argv, ...Object.entries(step.env).flat()].some(text => text.includes('\0')))
    return 'a NUL in an argument';
  if (Object.values(step.env).some(value => findSecrets(value).length > 0)) return 'a secret in its environment';
  if (!(step.timeoutMs > 0)) return 'the time limit is not positive';
  return undefined;
}
