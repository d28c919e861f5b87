import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files that the steps of one run hand on (contract): all in `$RUNNER_TEMP/cypherfix`. */
export interface RunFolder {
  readonly root: string;
  readonly request: string;
  readonly repository: string;
  readonly report: string;
  readonly sarif: string;
  /** Only where the policy asks for it (`ai.record`). */
  readonly recording: string;
}

export function toRunFolder(env: NodeJS.ProcessEnv): RunFolder {
  const root = join(env['RUNNER_TEMP'] || tmpdir(), 'cypherfix');
  return {
    root,
    request: join(root, 'request.json'),
    repository: join(root, 'repo.git'),
    report: join(root, 'report.json'),
    sarif: join(root, 'report.sarif'),
    recording: join(root, 'recording.json'),
  };
}

/** Makes the folder for this user alone; steps of one job run as one user. */
export function ensureRunFolder(env: NodeJS.ProcessEnv): RunFolder {
  const folder = toRunFolder(env);
  mkdirSync(folder.root, { recursive: true, mode: 0o700 });
  return folder;
}

/** Label of this run's containers and external id of its check run: `<run id>-<attempt>`. */
export function toRunLabel(env: NodeJS.ProcessEnv, fallback: string): string {
  const id = env['GITHUB_RUN_ID'];
  return id === undefined || id === '' ? fallback : `${id}-${env['GITHUB_RUN_ATTEMPT'] || '1'}`;
}

/** Where the sandbox keeps its state (contract): `$CYPHERFIX_HOME`, for root /var/lib/cypherfix, else the XDG folder. */
export function toHome(env: NodeJS.ProcessEnv, uid: number | undefined = process.getuid?.()): string {
  if (env['CYPHERFIX_HOME']) return env['CYPHERFIX_HOME'];
  if (uid === 0) return '/var/lib/cypherfix';
  return join(env['XDG_STATE_HOME'] || join(env['HOME'] || tmpdir(), '.local', 'state'), 'cypherfix');
}
