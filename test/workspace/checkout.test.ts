import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchPullRequest, fetchWholeTree } from '../../src/workspace/checkout.ts';
import { openFetchedWorkspace } from '../../src/workspace/workspace.ts';
import { type GitHttpServer, startGitHttpServer } from './git-http-server.ts';
import { createTempFolder, createTempRepo, type TempRepo } from './temp-repo.ts';

const TOKEN = 'ghs_example-token-for-tests';
const CREDENTIAL = `basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;

let repo: TempRepo;
let folder: string;
let gitDir: string;

beforeEach(() => {
  repo = createTempRepo();
  folder = createTempFolder();
  gitDir = join(folder, 'repo.git');
});
afterEach(() => {
  repo.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** main and topic apart by the given numbers of commits; returns the ids of what matters. */
function grow(onMain: number, onTopic: number): { fork: string; main: string; topic: string } {
  repo.write('a.js', 'a\n');
  repo.commit('root');
  repo.write('b.js', 'b\n');
  const fork = repo.commit('fork');
  repo.git('checkout', '-q', '-b', 'topic');
  for (let i = 0; i < onTopic; i += 1) repo.git('commit', '-q', '--allow-empty', '-m', `topic ${i}`);
  repo.write('topic.js', 't\n');
  const topic = repo.commit('topic');
  repo.git('checkout', '-q', 'main');
  for (let i = 0; i < onMain; i += 1) repo.git('commit', '-q', '--allow-empty', '-m', `main ${i}`);
  repo.write('main.js', 'm\n');
  return { fork, main: repo.commit('main'), topic };
}

const depthOf = (ref: string) =>
  Number(execFileSync('git', ['--git-dir', gitDir, 'rev-list', '--count', ref]).toString());

describe('over http', () => {
  let server: GitHttpServer;
  beforeEach(async () => {
    server = await startGitHttpServer(repo.path, CREDENTIAL);
  });
  afterEach(() => server.close());

  it('fetches head, base and merge base with the token in the header alone', async () => {
    const { fork, main, topic } = grow(3, 2);
    const url = `${server.url}/.git`;
    const fetched = await fetchPullRequest({ gitDir, url, token: TOKEN, headSha: topic, baseRef: 'refs/heads/main' });
    expect(fetched).toEqual({ headSha: topic, baseSha: main, mergeBaseSha: fork, mergeBases: [fork] });
    expect(server.authorizations.length).toBeGreaterThan(0);
    expect(new Set(server.authorizations.map(value => value?.toLowerCase()))).toEqual(
      new Set([CREDENTIAL.toLowerCase()]),
    );
    for (const name of readdirSync(gitDir, { recursive: true, encoding: 'utf8' })) {
      const path = join(gitDir, name);
      if (!statSync(path).isFile()) continue;
      const text = readFileSync(path, 'latin1');
      expect(text.includes(TOKEN) || text.includes(CREDENTIAL.slice(6))).toBe(false);
    }
    const { baseSha, mergeBaseSha } = fetched;
    const workspace = await openFetchedWorkspace({ gitDir, headSha: topic, baseSha, mergeBaseSha, wholeTree: false });
    expect(workspace.change).toMatchObject({ baseSha: main, mergeBaseSha: fork, headSha: topic });
    expect(workspace.change.files.map(file => file.path)).toEqual(['topic.js']);
    expect((await workspace.readPolicyFile('main.js'))?.toString()).toBe('m\n');
    await workspace.close();
  });

  it('says that the token may not read, and does not say the token', async () => {
    const { topic } = grow(0, 0);
    const attempt = fetchPullRequest({
      gitDir,
      url: `${server.url}/.git`,
      token: 'ghs_wrong',
      headSha: topic,
      baseRef: 'refs/heads/main',
    });
    await expect(attempt).rejects.toMatchObject({
      code: 'permission',
      message: expect.not.stringContaining('ghs_wrong'),
    });
  });

  it('fetches one commit for a whole tree', async () => {
    const { main } = grow(5, 0);
    expect(await fetchWholeTree({ gitDir, url: `${server.url}/.git`, token: TOKEN, headSha: main })).toBe(main);
    expect(depthOf(main)).toBe(1);
    const workspace = await openFetchedWorkspace({
      gitDir,
      headSha: main,
      baseSha: null,
      mergeBaseSha: null,
      wholeTree: true,
    });
    expect(workspace.change).toMatchObject({ wholeTree: true, headSha: main });
    expect(workspace.change.files.map(file => file.path)).toEqual(['a.js', 'b.js', 'main.js']);
    await workspace.close();
  });
});

describe('merge base', () => {
  const fetchIt = (head: string, base: string) =>
    fetchPullRequest({ gitDir, url: `file://${repo.path}`, headSha: head, baseSha: base });

  it('deepens until it is there, and no further than it needs', async () => {
    const { fork, main, topic } = grow(150, 80);
    repo.git('checkout', '-q', '--detach', fork);
    expect(await fetchIt(topic, main)).toMatchObject({ mergeBaseSha: fork });
    expect(depthOf(main)).toBeGreaterThan(150);
  });

  it('is not taken from an older merge while a nearer one is beyond the boundary', async () => {
    // base: root - old - 40 commits - near - tip; head merges `near` (far down) and branches from `old`.
    repo.write('f', 'root\n');
    repo.commit('root');
    const old = repo.commit('old');
    for (let i = 0; i < 40; i += 1) repo.git('commit', '-q', '--allow-empty', '-m', `m${i}`);
    const near = repo.commit('near');
    const tip = repo.commit('tip');
    repo.git('checkout', '-q', '-b', 'topic', old);
    repo.git('merge', '-q', '--no-ff', '-m', 'take near', near);
    for (let i = 0; i < 60; i += 1) repo.git('commit', '-q', '--allow-empty', '-m', `t${i}`);
    const head = repo.commit('head');
    expect(await fetchIt(head, tip)).toMatchObject({ mergeBaseSha: near });
  });

  it('is the one of several that git diff A...B takes', async () => {
    repo.write('f', 'root\n');
    repo.commit('root');
    repo.git('checkout', '-q', '-b', 'topic');
    repo.write('t', 't\n');
    const t1 = repo.commit('t1');
    repo.git('checkout', '-q', 'main');
    repo.write('m', 'm\n');
    const m1 = repo.commit('m1');
    repo.git('merge', '-q', '-m', 'merge topic', t1);
    const main = repo.commit('main');
    repo.git('checkout', '-q', 'topic');
    repo.git('merge', '-q', '-m', 'merge main', m1);
    repo.write('t2', 't2\n');
    const topic = repo.commit('topic');
    const fetched = await fetchIt(topic, main);
    expect([...fetched.mergeBases].sort()).toEqual([t1, m1].sort());
    expect(repo.git('diff', '--raw', `${main}...${topic}`)).toBe(
      repo.git('diff', '--raw', fetched.mergeBaseSha, topic),
    );
    expect(fetched.mergeBases[0]).toBe(fetched.mergeBaseSha);
  });

  it('does not exist for unrelated histories', async () => {
    repo.write('a', 'a\n');
    const main = repo.commit();
    repo.git('checkout', '-q', '--orphan', 'other');
    const other = repo.commit('of another root');
    await expect(fetchIt(other, main)).rejects.toMatchObject({
      code: 'git',
      message: expect.stringContaining('share no history'),
    });
  });

  it('is an error where the source is shallow itself', async () => {
    const { main, topic } = grow(5, 5);
    const shallow = join(folder, 'shallow');
    execFileSync('git', ['clone', '-q', '--bare', '--no-single-branch', '--depth=2', `file://${repo.path}`, shallow]);
    const attempt = fetchPullRequest({ gitDir, url: `file://${shallow}`, headSha: topic, baseSha: main });
    await expect(attempt).rejects.toMatchObject({ code: 'git', message: expect.stringContaining('shallow') });
  });
});

it('never makes an existing clone shallower', async () => {
  const { main, topic } = grow(60, 60);
  execFileSync('git', ['clone', '-q', '--bare', `file://${repo.path}`, gitDir]);
  const before = depthOf(main);
  await fetchPullRequest({ gitDir, url: `file://${repo.path}`, headSha: topic, baseSha: main });
  await fetchWholeTree({ gitDir, url: `file://${repo.path}`, headSha: main });
  expect(depthOf(main)).toBe(before);
});

it('refuses a head that is not a full id, and a URL that could run a program or holds a secret', async () => {
  const options = { gitDir, headSha: 'a'.repeat(40), baseRef: 'refs/heads/main' };
  await expect(fetchPullRequest({ ...options, url: 'file:///x', headSha: 'main' })).rejects.toThrow(
    'not a full commit id',
  );
  for (const url of ['ext::sh -c x', 'http://example.org/x', 'ssh://host/x', '--upload-pack=x', '/local']) {
    await expect(fetchPullRequest({ ...options, url })).rejects.toMatchObject({ code: 'usage' });
  }
  await expect(fetchPullRequest({ ...options, url: 'https://user:pw@example.org/x' })).rejects.toThrow('credentials');
});

it('names the commit that the server does not have', async () => {
  grow(0, 0);
  const attempt = fetchPullRequest({
    gitDir,
    url: `file://${repo.path}`,
    headSha: 'a'.repeat(40),
    baseRef: 'refs/heads/main',
  });
  await expect(attempt).rejects.toMatchObject({ code: 'git', message: expect.stringContaining('a'.repeat(40)) });
});

it('leaves submodules where they are', async () => {
  writeFileSync(join(repo.path, '.gitmodules'), '[submodule "s"]\n\tpath = s\n\turl = file:///nowhere\n');
  repo.git('add', '.gitmodules');
  repo.git('update-index', '--add', '--cacheinfo', `160000,${'b'.repeat(40)},s`);
  repo.git('commit', '-q', '-m', 'submodule');
  const head = repo.git('rev-parse', 'HEAD');
  await fetchWholeTree({ gitDir, url: `file://${repo.path}`, headSha: head });
  const workspace = await openFetchedWorkspace({
    gitDir,
    headSha: head,
    baseSha: null,
    mergeBaseSha: null,
    wholeTree: true,
  });
  expect(workspace.change.files.map(file => [file.path, file.kind])).toEqual([
    ['.gitmodules', 'text'],
    ['s', 'submodule'],
  ]);
  expect(await workspace.head.read({ path: 's' }, 100)).toMatchObject({ status: 'not-a-file' });
  await workspace.close();
});
