import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchPullRequest, fetchWholeTree } from '../../src/workspace/checkout.ts';
import { openFetchedWorkspace, openLocalWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import { createTempFolder, createTempRepo, type TempRepo } from './temp-repo.ts';

let repo: TempRepo;
let traps: string;
let marker: string;
let base: string;
let head: string;

/** A clone whose configuration, attributes and hooks each leave a mark when git runs them. */
beforeEach(() => {
  repo = createTempRepo();
  traps = createTempFolder();
  marker = join(traps, 'ran');
  repo.write(
    '.gitattributes',
    '*.js diff=trap filter=trap merge=trap\n*.txt text eol=lf filter=trap\n*.dat filter=proc\n',
  );
  repo.write(
    '.gitmodules',
    `[submodule "sub"]\n\tpath = sub\n\turl = ext::${trap('url')}\n\tupdate = !${trap('update')}\n`,
  );
  repo.write('a.js', 'one\n');
  repo.write('b.txt', 'one\n');
  repo.write('c.dat', 'one\n');
  base = repo.commit('base');
  repo.write('a.js', 'two\n');
  repo.write('b.txt', 'two\n');
  repo.write('c.dat', 'two\n');
  repo.write('.cypherfix.yml', 'version: 1\n');
  addSubmodule();
  head = repo.commit('head');
  setTraps(repo.path);
});
afterEach(() => {
  repo.remove();
  rmSync(traps, { recursive: true, force: true });
});

function trap(name: string): string {
  const script = join(traps, `${name}.sh`);
  writeFileSync(script, `#!/bin/sh\necho ${name} >> ${marker}\ncat\n`);
  chmodSync(script, 0o755);
  return script;
}

function addSubmodule(): void {
  const sub = join(repo.path, 'sub');
  mkdirSync(sub);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', sub, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  git('init', '-q');
  writeFileSync(join(sub, 'f.txt'), 'x\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'sub');
}

function setTraps(path: string): void {
  const included = join(traps, 'included.config');
  writeFileSync(included, `[core]\n\tfsmonitor = ${trap('included-fsmonitor')}\n`);
  const config = `
[core]
	fsmonitor = ${trap('fsmonitor')}
	sshCommand = ${trap('ssh')}
	pager = ${trap('pager')}
	editor = ${trap('editor')}
	askPass = ${trap('askpass')}
	gitProxy = ${trap('proxy')}
	alternateRefsCommand = ${trap('alternate-refs')}
	hooksPath = ${join(path, '.git', 'hooks')}
	attributesFile = ${join(traps, 'attributes')}
	worktree = /
	untrackedCache = true
[include]
	path = ${included}
[includeIf "gitdir:/"]
	path = ${included}
[alias]
	diff = !${trap('alias-diff')}
	log = !${trap('alias-log')}
	cat-file = !${trap('alias-cat-file')}
[pager]
	diff = ${trap('pager-diff')}
	log = ${trap('pager-log')}
	ls-tree = ${trap('pager-ls-tree')}
[diff]
	external = ${trap('external')}
	trustExitCode = true
[diff "trap"]
	textconv = ${trap('textconv')}
	command = ${trap('diff-command')}
	cachetextconv = true
[filter "trap"]
	clean = ${trap('clean')}
	smudge = ${trap('smudge')}
	required = true
[filter "proc"]
	process = ${trap('process')}
	required = true
[merge "trap"]
	driver = ${trap('merge-driver')}
[credential]
	helper = !${trap('credential')}
[gpg]
	program = ${trap('gpg')}
[gpg "ssh"]
	defaultKeyCommand = ${trap('gpg-ssh')}
[log]
	showSignature = true
[uploadpack]
	packObjectsHook = ${trap('pack-objects')}
[remote "origin"]
	url = ext::${trap('remote')}
	uploadpack = ${trap('uploadpack')}
	promisor = true
[extensions]
	worktreeConfig = true
[protocol "ext"]
	allow = always
[submodule "sub"]
	update = !${trap('submodule-update')}
[trailer "x"]
	command = ${trap('trailer')}
`;
  appendFileSync(join(path, '.git', 'config'), config);
  writeFileSync(join(path, '.git', 'config.worktree'), config);
  appendFileSync(join(path, 'sub', '.git', 'config'), config);
  writeFileSync(join(traps, 'attributes'), '* diff=trap filter=trap\n');
  mkdirSync(join(path, '.git', 'info'), { recursive: true });
  writeFileSync(join(path, '.git', 'info', 'attributes'), '* diff=trap filter=trap\n');
  const hooks = [
    'post-checkout',
    'post-index-change',
    'reference-transaction',
    'pre-auto-gc',
    'fsmonitor-watchman',
    'query-watchman',
    'update',
    'post-update',
    'pre-receive',
    'sendemail-validate',
    'proc-receive',
  ];
  mkdirSync(join(path, '.git', 'hooks'), { recursive: true });
  for (const hook of hooks) {
    writeFileSync(join(path, '.git', 'hooks', hook), `#!/bin/sh\necho hook-${hook} >> ${marker}\n`);
    chmodSync(join(path, '.git', 'hooks', hook), 0o755);
  }
}

async function useAll(workspace: Workspace): Promise<void> {
  for (const entry of await workspace.head.entries()) await workspace.head.read(entry, 1_000_000);
  for (const entry of (await workspace.mergeBase?.entries()) ?? []) await workspace.mergeBase?.read(entry, 1_000_000);
  const history = await workspace.readHistory();
  for (const blob of history?.blobs ?? []) await history?.read(blob, 1_000_000);
  await workspace.readPolicyFile('.cypherfix.yml');
  await workspace.close();
}

it('is a trap that plain git falls into', () => {
  repo.write('a.js', 'three\n');
  const plain = (...args: string[]) =>
    execFileSync('git', ['-C', repo.path, '-c', 'core.worktree=', ...args], { stdio: 'pipe' });
  try {
    plain('diff', base, head);
  } catch {
    // Some traps make git fail; that they ran is what counts.
  }
  expect(existsSync(marker)).toBe(true);
});

describe('nothing of the repository runs', () => {
  const list = () => readdirSync(repo.path).sort();

  it.each([
    ['a change', () => ({ base: 'HEAD~1' })],
    ['a change between names', () => ({ base, head })],
    ['a whole tree', () => ({ all: true })],
    ['a work tree', () => ({ base: 'HEAD~1', workingTree: true })],
    ['a whole work tree', () => ({ all: true, workingTree: true })],
  ])('for %s', async (_name, options) => {
    repo.write('a.js', 'three\n');
    repo.write('b.txt', 'three\r\n');
    repo.write('c.dat', 'three\n');
    repo.write('new.js', 'new\n');
    repo.write('sub/f.txt', 'dirty\n');
    // The same size and an odd time, so that git has to look into the file.
    repo.write('.cypherfix.yml', 'version: 2\n');
    utimesSync(join(repo.path, '.cypherfix.yml'), 1, 1);
    const before = list();
    const index = execFileSync('sha256sum', [join(repo.path, '.git', 'index')]).toString();
    const workspace = await openLocalWorkspace({ repo: repo.path, ...options() });
    expect(workspace.change.files.map(file => file.path)).toContain('a.js');
    await useAll(workspace);
    expect(existsSync(marker)).toBe(false);
    expect(list()).toEqual(before);
    expect(execFileSync('sha256sum', [join(repo.path, '.git', 'index')]).toString()).toBe(index);
  });

  it('for a plain folder that is a repository', async () => {
    const workspace = await openLocalWorkspace({ dir: repo.path, all: true });
    expect(workspace.change.files.some(file => file.path.includes('.git/'))).toBe(false);
    await useAll(workspace);
    expect(existsSync(marker)).toBe(false);
  });

  it('for a folder that fetching filled', async () => {
    const gitDir = join(traps, 'repo.git');
    const options = { gitDir, url: `file://${repo.path}`, headSha: head, baseSha: base };
    // The source's own settings are obeyed by git's server half, which GitHub runs and not we: take them away there.
    writeFileSync(join(repo.path, '.git', 'config'), '[uploadpack]\n\tallowAnySHA1InWant = true\n');
    rmSync(join(repo.path, '.git', 'hooks'), { recursive: true });
    const { mergeBaseSha } = await fetchPullRequest(options);
    await fetchWholeTree(options);
    await useAll(await openFetchedWorkspace({ gitDir, headSha: head, baseSha: base, mergeBaseSha, wholeTree: false }));
    await useAll(
      await openFetchedWorkspace({ gitDir, headSha: head, baseSha: null, mergeBaseSha: null, wholeTree: true }),
    );
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(join(gitDir, 'modules'))).toBe(false);
  });
});
