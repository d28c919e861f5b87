import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGit } from '../../src/workspace/git.ts';
import { toGitEnvironment } from '../../src/workspace/git-environment.ts';
import { assertGitVersion } from '../../src/workspace/git-version.ts';
import { createTempFolder, createTempRepo, type TempRepo } from './temp-repo.ts';

let repo: TempRepo;
let folder: string;
beforeEach(() => {
  repo = createTempRepo();
  folder = createTempFolder();
});
afterEach(() => {
  repo.remove();
  rmSync(folder, { recursive: true, force: true });
});

function fakeGit(script: string): string {
  const path = join(folder, 'git');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A zombie has ended too: it only waits for whoever inherited it. */
const state = (pid: number): string =>
  spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
    .stdout.trim()
    .replace(/^Z.*/, '');

it('passes on nothing of the environment but what it names', () => {
  process.env['GIT_SSH_COMMAND_TEST'] = 'x';
  const environment = toGitEnvironment({
    gitDir: '/x',
    searchPath: '.:bin:/usr/bin:',
    network: { https_proxy: 'p', OTHER: 'o' },
  });
  delete process.env['GIT_SSH_COMMAND_TEST'];
  expect(environment).not.toHaveProperty('GIT_SSH_COMMAND_TEST');
  expect(environment).not.toHaveProperty('OTHER');
  expect(environment).toMatchObject({
    PATH: '/usr/bin',
    https_proxy: 'p',
    GIT_ALLOW_PROTOCOL: 'none',
    HOME: '/nonexistent',
  });
});

it('may not reach any server unless it is told to', async () => {
  const git = createGit({ gitDir: join(repo.path, '.git') });
  await expect(git.run(['ls-remote', `file://${repo.path}`])).rejects.toMatchObject({
    message: expect.stringContaining('not allowed'),
  });
});

it('stops at the cap of its output with an error', async () => {
  const git = createGit({ gitDir: repo.path, gitBinary: fakeGit('yes') });
  await expect(git.run(['x'], { maxBytes: 1_000 })).rejects.toMatchObject({
    code: 'git',
    message: 'git x printed more than 1000 bytes',
  });
});

it('ends git and its children after the time limit and on abort', async () => {
  const pidFile = join(folder, 'pid');
  const gitBinary = fakeGit(`sleep 600 & echo $! > ${pidFile}; wait`);
  const readPid = () => Number(execFileSync('cat', [pidFile], { encoding: 'utf8' }));
  const slow = createGit({ gitDir: repo.path, gitBinary });
  await expect(slow.run(['x'], { timeoutMs: 500 })).rejects.toMatchObject({
    code: 'git',
    message: expect.stringContaining('did not finish'),
  });
  await expect.poll(() => state(readPid()), { timeout: 5_000 }).toBe('');
  const controller = new AbortController();
  const aborted = createGit({ gitDir: repo.path, gitBinary, signal: controller.signal });
  const attempt = aborted.run(['x']);
  setTimeout(() => controller.abort(), 500);
  await expect(attempt).rejects.toMatchObject({ code: 'interrupted' });
  await expect.poll(() => state(readPid()), { timeout: 5_000 }).toBe('');
});

it('shows what git said without the secrets', async () => {
  const git = createGit({
    gitDir: repo.path,
    gitBinary: fakeGit('echo "fatal: bad s3cret here" >&2; exit 128'),
    secrets: ['s3cret'],
  });
  await expect(git.run(['x'])).rejects.toMatchObject({ code: 'git', message: 'git x failed: fatal: bad *** here' });
});

it.each([
  ['git version 2.30.2', 'too old'],
  ['git version 1.8', 'too old'],
  ['something else', 'asked for its version'],
])('refuses %s', async (said, message) => {
  const git = createGit({ gitDir: repo.path, gitBinary: fakeGit(`echo '${said}'`) });
  await expect(assertGitVersion(git)).rejects.toMatchObject({
    code: 'missing',
    message: expect.stringContaining(message),
  });
});

it.each(['git version 2.31.0', 'git version 2.100.1.windows.1', 'git version 3.0.0'])('takes %s', async said => {
  const git = createGit({ gitDir: repo.path, gitBinary: fakeGit(`echo '${said}'`) });
  await expect(assertGitVersion(git)).resolves.toBeUndefined();
});
