import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLocalWorkspace } from '../../src/workspace/workspace.ts';
import { createTempFolder, createTempRepo, type TempRepo } from './temp-repo.ts';

let repo: TempRepo;
beforeEach(() => {
  repo = createTempRepo();
});
afterEach(() => repo.remove());

async function changes(): Promise<string[]> {
  const workspace = await openLocalWorkspace({ repo: repo.path, base: 'HEAD', workingTree: true });
  try {
    expect(workspace.change.headSha).toBeUndefined();
    return workspace.change.files.map(file => `${file.status} ${file.path} +${file.additions} -${file.deletions}`);
  } finally {
    await workspace.close();
  }
}

it('sees staged, unstaged, new and deleted files and leaves ignored ones out', async () => {
  repo.write('.gitignore', '*.log\n');
  for (const name of ['staged', 'unstaged', 'gone', 'mode', 'same']) repo.write(name, `${name}\n`);
  repo.commit();
  repo.write('staged', 'staged\nmore\n');
  repo.git('add', 'staged');
  repo.write('unstaged', 'other\n');
  rmSync(join(repo.path, 'gone'));
  chmodSync(join(repo.path, 'mode'), 0o755);
  repo.write('dir/new\n.js', 'x\n');
  repo.write('debug.log', 'x\n');
  expect(await changes()).toEqual([
    'added dir/new\n.js +1 -0',
    'deleted gone +0 -1',
    'modified mode +0 -0',
    'modified staged +1 -0',
    'modified unstaged +1 -1',
  ]);
});

it('compares with the merge base, with the commits of the branch included', async () => {
  repo.write('a', 'a\n');
  repo.commit();
  repo.git('checkout', '-q', '-b', 'topic');
  repo.write('b', 'b\n');
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write('c', 'c\n');
  repo.commit();
  repo.git('checkout', '-q', 'topic');
  repo.write('d', 'd\n');
  const workspace = await openLocalWorkspace({ repo: repo.path, base: 'main', workingTree: true });
  expect(workspace.change.files.map(file => file.path)).toEqual(['b', 'd']);
  expect(await workspace.head.read({ path: 'd' }, 10)).toMatchObject({ status: 'ok', bytes: Buffer.from('d\n') });
  await workspace.close();
});

it('stores links as links, and neither pipes nor files behind a folder that became a link', async () => {
  const outside = createTempFolder();
  repo.write('dir/f.js', 'inside\n');
  repo.write('pipe', 'p\n');
  repo.commit();
  renameSync(join(repo.path, 'dir'), join(outside, 'dir'));
  symlinkSync(join(outside, 'dir'), join(repo.path, 'dir'));
  rmSync(join(repo.path, 'pipe'));
  execFileSync('mkfifo', [join(repo.path, 'pipe'), join(repo.path, 'new-pipe')]);
  symlinkSync('/etc/passwd', join(repo.path, 'link'));
  expect(await changes()).toEqual([
    'added dir +1 -0',
    'deleted dir/f.js +0 -1',
    'added link +1 -0',
    'deleted pipe +0 -1',
  ]);
  rmSync(outside, { recursive: true });
});

it('takes a file that became a folder, and a folder that became a file', async () => {
  repo.write('a', 'a\n');
  repo.write('d/x', 'x\n');
  repo.commit();
  rmSync(join(repo.path, 'a'));
  rmSync(join(repo.path, 'd'), { recursive: true });
  repo.write('a/inner', 'inner\n');
  repo.write('d', 'file\n');
  expect(await changes()).toEqual(['deleted a +0 -1', 'added a/inner +1 -0', 'added d +1 -0', 'deleted d/x +0 -1']);
});

it('follows end-of-line attributes, so that only real changes show', async () => {
  repo.write('.gitattributes', '*.txt text eol=crlf\n');
  repo.write('a.txt', 'one\r\ntwo\r\n');
  repo.commit();
  expect(await changes()).toEqual([]);
  repo.write('a.txt', 'one\r\n2\r\n');
  expect(await changes()).toEqual(['modified a.txt +1 -1']);
});

it('leaves other repositories inside the work tree alone', async () => {
  repo.write('a', 'a\n');
  repo.commit();
  mkdirSync(join(repo.path, 'nested'));
  execFileSync('git', ['init', '-q', join(repo.path, 'nested')]);
  repo.write('nested/f', 'f\n');
  repo.write('b', 'b\n');
  expect(await changes()).toEqual(['added b +1 -0']);
});

it('works in a repository without a commit, in a linked work tree and from a folder inside', async () => {
  repo.write('a/b.js', 'x\n');
  const empty = await openLocalWorkspace({ repo: repo.path, all: true, workingTree: true });
  expect(empty.change.files.map(file => file.path)).toEqual(['a/b.js']);
  expect(await empty.readPolicyFile('a/b.js')).toBeNull();
  await empty.close();
  repo.commit();
  const linked = join(createTempFolder(), 'linked');
  repo.git('worktree', 'add', '-q', linked, '-b', 'other');
  rmSync(join(linked, 'a', 'b.js'));
  const workspace = await openLocalWorkspace({ repo: linked, base: 'main', workingTree: true });
  expect(workspace.change.files.map(file => [file.path, file.status])).toEqual([['a/b.js', 'deleted']]);
  await workspace.close();
  repo.write('a/c.js', 'y\n');
  const inside = await openLocalWorkspace({ repo: join(repo.path, 'a'), base: 'HEAD', workingTree: true });
  expect(inside.change.files.map(file => file.path)).toEqual(['a/c.js']);
  await inside.close();
  rmSync(join(linked, '..'), { recursive: true });
});

it('reads a split index', async () => {
  repo.write('a', 'a\n');
  repo.commit();
  repo.git('update-index', '--split-index');
  repo.write('b', 'b\n');
  repo.git('add', 'b');
  expect(await changes()).toEqual(['added b +1 -0']);
});
