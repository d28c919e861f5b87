import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGit } from '../../src/workspace/git.ts';
import { findMergeBase } from '../../src/workspace/merge-base.ts';
import { openLocalWorkspace } from '../../src/workspace/workspace.ts';
import { createTempFolder, createTempRepo, type TempRepo } from './temp-repo.ts';

let repo: TempRepo;
let base: string;
let head: string;
beforeEach(() => {
  repo = createTempRepo();
  repo.write('.cypherfix.yml', 'version: 1 # base\n');
  repo.write('a.js', 'a\n');
  base = repo.commit('base');
  repo.write('.cypherfix.yml', 'version: 1 # head\n');
  repo.write('a.js', 'b\n');
  head = repo.commit('head');
});
afterEach(() => repo.remove());

const open = (options: Parameters<typeof openLocalWorkspace>[0]) => openLocalWorkspace({ repo: repo.path, ...options });

describe('a change', () => {
  it('has head, merge base, history, and policy from the base', async () => {
    const workspace = await open({ base: 'HEAD~1' });
    expect(workspace.change).toMatchObject({ baseSha: base, mergeBaseSha: base, headSha: head, wholeTree: false });
    expect(await workspace.head.read({ path: 'a.js' }, 10)).toMatchObject({ bytes: Buffer.from('b\n') });
    expect(await workspace.mergeBase?.read({ path: 'a.js' }, 10)).toMatchObject({ bytes: Buffer.from('a\n') });
    expect((await workspace.readPolicyFile('.cypherfix.yml'))?.toString()).toContain('base');
    expect((await workspace.readHistory())?.commits).toEqual([head]);
    await workspace.close();
  });

  it('gives what a file was before, under its old name, whatever bytes the name has', async () => {
    const text = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join('');
    const old = Buffer.concat([Buffer.from('old-'), Buffer.from([0xff])]);
    repo.write(old, text);
    symlinkSync('a.js', join(repo.path, 'link'));
    const start = repo.commit();
    rmSync(Buffer.concat([Buffer.from(`${repo.path}/`), old]));
    repo.write('moved', `${text}more\n`);
    repo.write('new', 'new\n');
    rmSync(join(repo.path, 'link'));
    repo.write('link', 'file now\n');
    repo.write('a.js', 'c\n');
    repo.commit();
    const workspace = await open({ base: start });
    const before = await Promise.all(
      workspace.change.files.map(async file => [file.path, (await workspace.readBefore(file, 1_000))?.status]),
    );
    expect(before).toEqual([
      ['a.js', 'ok'],
      ['link', undefined],
      ['moved', 'ok'],
      ['new', undefined],
    ]);
    const moved = workspace.change.files.find(file => file.path === 'moved');
    expect(moved && (await workspace.readBefore(moved, 1_000))).toEqual({ status: 'ok', bytes: Buffer.from(text) });
    await workspace.close();
  });

  it.each(['main~1', 'refs/heads/main^', 'v1', 'HEAD@{1}', 'HEAD^{/base}'])('takes %s as a base', async name => {
    repo.git('tag', '-a', '-m', 'tag', 'v1', base);
    repo.git('pack-refs', '--all');
    const workspace = await open({ base: name });
    expect(workspace.change.baseSha).toBe(base);
    await workspace.close();
  });

  it('finds no policy in a link, a folder or where there is none, and refuses one that is too long', async () => {
    symlinkSync('a.js', join(repo.path, 'link.yml'));
    repo.write('dir/x.yml', 'x\n');
    repo.write('long.yml', 'x'.repeat(1_100_000));
    repo.commit();
    const workspace = await open({ base: 'HEAD' });
    for (const path of ['link.yml', 'dir', 'dir/', '', '*', ':/a.js', 'none.yml', '../x']) {
      expect(await workspace.readPolicyFile(path).catch(error => error.code)).toSatisfy(
        value => value === null || value === 'git',
      );
    }
    expect((await workspace.readPolicyFile('dir/x.yml'))?.toString()).toBe('x\n');
    await expect(workspace.readPolicyFile('long.yml')).rejects.toMatchObject({ code: 'policy' });
    await workspace.close();
  });

  it('lists policy files below a folder of the base', async () => {
    for (const name of ['rules/b.yml', 'rules/deep/a ü.yml', 'rules-not/c.yml']) repo.write(name, 'x\n');
    repo.commit();
    const workspace = await open({ base: 'HEAD' });
    expect(await workspace.listPolicyFiles('rules')).toEqual(['rules/b.yml', 'rules/deep/a ü.yml']);
    expect(await workspace.listPolicyFiles('rules/')).toHaveLength(2);
    expect(await workspace.listPolicyFiles('none')).toEqual([]);
    await workspace.close();
  });

  it('works on a bare repository, and on one with SHA-256 ids', async () => {
    const bare = createTempFolder();
    execFileSync('git', ['clone', '-q', '--bare', repo.path, join(bare, 'x.git')]);
    const workspace = await openLocalWorkspace({ repo: join(bare, 'x.git'), base });
    expect(workspace.change.files).toHaveLength(2);
    await workspace.close();
    await expect(openLocalWorkspace({ repo: join(bare, 'x.git'), base, workingTree: true })).rejects.toThrow('bare');
    rmSync(bare, { recursive: true });
    const modern = createTempRepo('--object-format=sha256');
    modern.write('a', 'a\n');
    modern.commit();
    modern.write('a', 'b\n');
    modern.write('.gitattributes', '* -diff\n');
    modern.commit();
    const second = await openLocalWorkspace({ repo: modern.path, base: 'HEAD~1' });
    expect(second.change.headSha).toHaveLength(64);
    expect(second.change.files.map(file => file.additions)).toEqual([1, 1]);
    await second.close();
    modern.remove();
  });

  it('leaves nothing behind', async () => {
    const before = readdirSync(tmpdir()).filter(name => name.startsWith('cypherfix-git-')).length;
    await (await open({ base })).close();
    await open({ base: 'nowhere' }).catch(() => {});
    // Other test files have folders of their own open meanwhile.
    expect(readdirSync(tmpdir()).filter(name => name.startsWith('cypherfix-git-')).length).toBeLessThanOrEqual(
      before + 3,
    );
  });
});

describe('a whole tree', () => {
  it('lists every tracked file as added', async () => {
    const workspace = await open({ all: true });
    expect(workspace.change.wholeTree).toBe(true);
    expect(workspace.change.files.map(file => [file.path, file.status, file.hunks.length])).toEqual([
      ['.cypherfix.yml', 'added', 0],
      ['a.js', 'added', 0],
    ]);
    expect((await workspace.readPolicyFile('.cypherfix.yml'))?.toString()).toContain('head');
    expect([workspace.mergeBase, await workspace.readHistory()]).toEqual([null, null]);
    await workspace.close();
  });

  it('takes policy from the base where one is named', async () => {
    const workspace = await open({ all: true, base: 'HEAD~1' });
    expect((await workspace.readPolicyFile('.cypherfix.yml'))?.toString()).toContain('base');
    await workspace.close();
  });

  it('may be a plain folder, which has no policy', async () => {
    const folder = createTempFolder();
    writeFileSync(join(folder, '.cypherfix.yml'), 'version: 1\n');
    const workspace = await openLocalWorkspace({ dir: folder, all: true });
    expect(workspace.change.files.map(file => file.path)).toEqual(['.cypherfix.yml']);
    expect(await workspace.readPolicyFile('.cypherfix.yml')).toBeNull();
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
});

describe('what cannot be reviewed is an error that says why', () => {
  it.each([
    [{ base: 'nowhere' }, 'usage', 'unknown revision for --base: "nowhere"'],
    [{ base: 'HEAD', head: 'no/where' }, 'usage', 'unknown revision for --head: "no/where"'],
    [{ base: '--output=/tmp/x' }, 'usage', 'unknown revision'],
    [{ base: 'HEAD:a.js' }, 'usage', 'unknown revision'],
    [{ base: 'a\nb' }, 'usage', 'unknown revision'],
    [{}, 'usage', '--base'],
    [{ base: 'HEAD', head: 'HEAD', workingTree: true }, 'usage', 'do not go together'],
    [{ base: 'HEAD', gitBinary: '/nonexistent/git' }, 'missing', 'git was not found'],
  ])('%j', async (options, code, message) => {
    await expect(open(options)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('no repository', async () => {
    const folder = createTempFolder();
    const attempt = openLocalWorkspace({ repo: folder, base: 'HEAD' });
    await expect(attempt).rejects.toMatchObject({ code: 'usage', message: `not a git repository: ${folder}` });
    mkdirSync(join(folder, '.git'));
    await expect(openLocalWorkspace({ repo: folder, base: 'HEAD' })).rejects.toMatchObject({ code: 'usage' });
    await expect(openLocalWorkspace({ repo: join(folder, 'x'), base: 'HEAD' })).rejects.toMatchObject({
      code: 'usage',
    });
    rmSync(folder, { recursive: true });
  });

  it('a shallow clone that ends above the merge base', async () => {
    repo.git('checkout', '-q', '-b', 'topic', base);
    for (let i = 0; i < 5; i += 1) repo.git('commit', '-q', '--allow-empty', '-m', `t${i}`);
    const folder = createTempFolder();
    execFileSync('git', ['clone', '-q', '--depth=3', '--no-single-branch', `file://${repo.path}`, join(folder, 'c')]);
    const clone = { repo: join(folder, 'c') };
    await expect(openLocalWorkspace({ ...clone, base: 'origin/main' })).rejects.toMatchObject({
      code: 'git',
      hint: expect.stringContaining('--unshallow'),
    });
    const near = await openLocalWorkspace({ ...clone, base: 'HEAD~1' });
    expect(near.change.files).toEqual([]);
    await near.close();
    rmSync(folder, { recursive: true });
  });

  it('a partial clone without the files', async () => {
    repo.git('config', 'uploadpack.allowFilter', 'true');
    const folder = createTempFolder();
    execFileSync('git', [
      'clone',
      '-q',
      '--no-checkout',
      '--filter=blob:none',
      `file://${repo.path}`,
      join(folder, 'c'),
    ]);
    await expect(openLocalWorkspace({ repo: join(folder, 'c'), base: 'HEAD~1' })).rejects.toMatchObject({
      code: 'git',
      message: expect.stringContaining('lacks objects'),
    });
    rmSync(folder, { recursive: true });
  });

  it('an interruption', async () => {
    await expect(open({ base, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'interrupted' });
    const controller = new AbortController();
    const workspace = await open({ base, signal: controller.signal });
    const reading = workspace.head.read({ path: 'a.js' }, 10);
    controller.abort();
    await expect(reading).rejects.toMatchObject({ code: 'interrupted' });
    await workspace.close();
  });
});

it('takes no older merge base for the answer when a nearer one may be hidden', async () => {
  const commit = (message: string, ...parents: string[]) =>
    repo.git('commit-tree', '-m', message, ...parents.flatMap(parent => ['-p', parent]), `${base}^{tree}`);
  const near = commit('near', base);
  const tip = commit('tip', near);
  const cut = commit('cut', near);
  const merge = commit('merge', commit('side', base), cut);
  const git = createGit({ gitDir: join(repo.path, '.git') });
  const tips = { base: tip, head: merge };
  expect(await findMergeBase(git, tips, new Set())).toMatchObject({ status: 'found', mergeBase: { sha: near } });
  writeFileSync(join(repo.path, '.git', 'shallow'), `${cut}\n`);
  // Git itself answers with the older one now.
  expect(repo.git('merge-base', tip, merge)).toBe(base);
  expect(await findMergeBase(git, tips, new Set([cut]))).toEqual({ status: 'cut-off' });
});
