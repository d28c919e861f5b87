import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real repository in a temporary folder, driven by plain git as a user would. */
export interface TempRepo {
  readonly path: string;
  git(...args: string[]): string;
  gitBytes(args: readonly string[], input?: Buffer): Buffer;
  write(path: string | Buffer, content: string | Buffer): void;
  /** Adds everything and commits; returns the commit's id. */
  commit(message?: string): string;
  remove(): void;
}

const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Author',
  GIT_AUTHOR_EMAIL: 'author@example.org',
  GIT_COMMITTER_NAME: 'Author',
  GIT_COMMITTER_EMAIL: 'author@example.org',
};

export function createTempRepo(...initArgs: string[]): TempRepo {
  const path = createTempFolder();
  const run = (args: readonly string[], input?: Buffer): Buffer =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
      cwd: path,
      env: ENVIRONMENT,
      maxBuffer: 1 << 30,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    });
  run(['init', '-q', '-b', 'main', ...initArgs]);
  return {
    path,
    git: (...args) => run(args).toString('utf8').trimEnd(),
    gitBytes: run,
    write(name, content) {
      const full = Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name)]);
      mkdirSync(
        dirname(full.toString('latin1')) === path ? path : Buffer.from(dirname(full.toString('latin1')), 'latin1'),
        {
          recursive: true,
        },
      );
      writeFileSync(full, content);
    },
    commit(message = 'change') {
      run(['add', '-A']);
      run(['commit', '-q', '--allow-empty', '-m', message]);
      return run(['rev-parse', 'HEAD']).toString('utf8').trim();
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function createTempFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'cypherfix-test-')));
}
