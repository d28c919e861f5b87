import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GIT_ENVIRONMENT } from './repository.ts';
import { type Scene, startWithPull } from './start-with-pull.ts';

const run = promisify(execFile);
let scene: Scene;
let folder: string;
beforeEach(async () => {
  scene = await startWithPull();
  folder = mkdtempSync(join(tmpdir(), 'git-http-test-'));
  await git('init', '--quiet');
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await scene.github.close();
});

/** Git as the action runs it; the server is in this process, so nothing here may block it. */
async function git(...args: string[]): Promise<string> {
  const env = { ...GIT_ENVIRONMENT, GIT_TERMINAL_PROMPT: '0' };
  return (await run('git', ['-C', folder, ...args], { env })).stdout.trim();
}

function withToken(token: string): string[] {
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  return ['-c', `http.extraHeader=Authorization: Basic ${basic}`];
}

const url = (suffix = '') => `${scene.github.url}/acme/shop${suffix}`;

it.each(['', '.git'])('fetches one commit by its SHA, shallow, from /owner/name%s', async suffix => {
  const { github, pull } = scene;
  await git(...withToken(github.token), 'fetch', '--quiet', '--depth=1', url(suffix), pull.headSha);
  expect(await git('rev-parse', 'FETCH_HEAD')).toBe(pull.headSha);
  expect(await git('show', 'FETCH_HEAD:b.js')).toBe('one\ntwo\nthree');
  expect(github.journal.of('git/upload-pack').length).toBeGreaterThan(0);
  expect(github.journal.of('git/upload-pack').every(entry => entry.status === 200)).toBe(true);
});

it('deepens, and leaves blobs out on request', async () => {
  const { github, pull } = scene;
  const fetch = (...more: string[]) =>
    git(...withToken(github.token), 'fetch', '--quiet', ...more, url(), pull.headSha);
  await fetch('--depth=1', '--filter=blob:none');
  expect(await git('rev-list', '--count', 'FETCH_HEAD')).toBe('1');
  await fetch('--deepen=5');
  expect(await git('rev-list', '--count', 'FETCH_HEAD')).toBe('2');
});

it('serves the head and the test merge of a pull request by their refs', async () => {
  const { github, pull } = scene;
  const refs = await git(...withToken(github.token), 'ls-remote', url(), `refs/pull/${pull.number}/*`);
  expect(refs.split('\n').map(line => line.split('\t'))).toEqual([
    [pull.headSha, `refs/pull/${pull.number}/head`],
    [pull.mergeSha, `refs/pull/${pull.number}/merge`],
  ]);
});

it('refuses without a token, with a wrong one and without contents: read', async () => {
  const { github, pull } = scene;
  const fetch = (options: string[]) => git(...options, 'fetch', '--quiet', url(), pull.headSha);
  await expect(fetch([])).rejects.toThrow(/could not read Username|Authentication failed/);
  await expect(fetch(withToken('ghs_wrong'))).rejects.toThrow(/could not read Username|Authentication failed/);
  const blind = github.addToken({ permissions: { 'pull-requests': 'write' } });
  await expect(fetch(withToken(blind.value))).rejects.toThrow(/not found/i);
});

it('takes a push with contents: write, and the pull request follows', async () => {
  const { github, pull } = scene;
  await git(...withToken(github.token), 'fetch', '--quiet', url(), pull.headSha);
  await git('checkout', '--quiet', '--detach', 'FETCH_HEAD');
  await git('commit', '--quiet', '--allow-empty', '--message', 'Nothing');
  const head = await git('rev-parse', 'HEAD');
  const push = (token: string) => git(...withToken(token), 'push', '--quiet', url(), 'HEAD:refs/heads/feature');
  const reader = github.addToken({ permissions: { contents: 'read' } });
  await expect(push(reader.value)).rejects.toThrow(/403/);
  await push(github.token);
  expect(pull.headSha).toBe(head);
});
