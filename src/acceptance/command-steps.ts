import type { Step } from '../sandbox/sandbox.ts';
import { TREE_FOLDER } from './tree-snapshot.ts';

export const STEP = { setup: 'setup', command: 'command', collect: 'collect results' } as const;

export const MAX_STDOUT_BYTES = 16 * 1024 * 1024;
const MAX_STDERR_BYTES = 4 * 1024 * 1024;

/** Setup, where there is one, and the command, each as a phase; the command is not run when setup failed. */
export function toCommandSteps(options: {
  readonly command: string;
  readonly setup: string | null;
  readonly timeoutMs: number;
}): Step[][] {
  const { command, setup, timeoutMs } = options;
  const base = {
    cwd: `/work/${TREE_FOLDER}`,
    env: ENVIRONMENT,
    timeoutMs,
    maxStdoutBytes: MAX_STDOUT_BYTES,
    maxStderrBytes: MAX_STDERR_BYTES,
  };
  if (setup === null) return [[{ ...base, name: STEP.command, argv: ['/bin/sh', '-c', command] }]];
  return [
    [{ ...base, name: STEP.setup, argv: ['/bin/sh', '-c', '/bin/sh -c "$1" && : > "$2"', 'sh', setup, SETUP_DONE] }],
    [{ ...base, name: STEP.command, argv: ['/bin/sh', '-c', GUARDED, 'sh', command, SETUP_DONE] }],
  ];
}

/** The command for all tests, or for one file or folder, which is quoted for the shell. */
export function fillTarget(command: string, target: string | null): string {
  const quoted = target === null ? '' : `'${target.replaceAll("'", `'\\''`)}'`;
  return command.replaceAll('{target}', () => quoted).trim();
}

/** Outside of the tree, so that no test sees it. */
const SETUP_DONE = '/work/setup-done';
const GUARDED = 'test -e "$2" || exit 125; exec /bin/sh -c "$1"';

/** Where the images keep their tools, and what keeps those from waiting for a network or a person. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/opt/go/bin:/usr/local/bin:/usr/bin:/bin',
  CI: 'true',
  NO_COLOR: '1',
  GOROOT: '/opt/go',
  GOTOOLCHAIN: 'local',
  GOPROXY: 'off',
  XDG_CONFIG_HOME: '/opt/config',
  npm_config_update_notifier: 'false',
  PYTHONDONTWRITEBYTECODE: '1',
};
