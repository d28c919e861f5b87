import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolderTree } from '../../src/workspace/folder-tree.ts';
import { createGit } from '../../src/workspace/git.ts';
import { createObjectReader } from '../../src/workspace/object-reader.ts';
import { createGitTree } from '../../src/workspace/tree.ts';
import { createTempFolder, createTempRepo } from './temp-repo.ts';

let folder: string;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a folder', () => {
  it('lists every file by path bytes, without git folders, pipes and sockets', async () => {
    const root = join(folder, 'root');
    for (const dir of ['a', 'a/.git', '.Git', 'z']) mkdirSync(join(root, dir), { recursive: true });
    for (const name of ['a/b', 'a-b', 'a.b', 'a/.git/config', '.Git/HEAD', 'é']) writeFileSync(join(root, name), name);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]), 'raw');
    writeFileSync(join(root, 'z', '.git'), 'gitdir: /elsewhere\n');
    chmodSync(join(root, 'a-b'), 0o755);
    symlinkSync('/etc', join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const socket = createServer().listen(join(root, 'socket'));
    const tree = await createFolderTree(root);
    expect(await tree.entries()).toEqual([
      { path: 'a-b', mode: '100755', kind: 'text', size: 3 },
      { path: 'a.b', mode: '100644', kind: 'text', size: 3 },
      { path: 'a/b', mode: '100644', kind: 'text', size: 3 },
      { path: 'link', mode: '120000', kind: 'symlink', size: 4 },
      { path: 'é', mode: '100644', kind: 'text', size: 2 },
      { path: '\uFFFD', rawPath: '/w==', mode: '100644', kind: 'text', size: 3 },
    ]);
    expect(await tree.read({ path: '\uFFFD', rawPath: '/w==' }, 3)).toEqual({
      status: 'ok',
      bytes: Buffer.from('raw'),
    });
    expect(await tree.read({ path: 'a/b' }, 3)).toEqual({ status: 'ok', bytes: Buffer.from('a/b') });
    expect(await tree.read({ path: 'a/b' }, 2)).toMatchObject({ status: 'too-large' });
    for (const path of ['pipe', 'socket', 'a', '/dev/null', 'link']) {
      expect((await tree.read({ path }, 10)).status).toMatch(/not-a-file|outside/);
    }
    await new Promise(resolve => socket.close(resolve));
  });

  it.each([
    '../secret',
    'a/../../secret',
    '/etc/passwd',
    'a//b',
    './a',
    '',
    'a\0b',
    '.git/config',
    'a/.GIT/config',
    'a/..',
  ])('does not read %j', async path => {
    mkdirSync(join(folder, 'root', 'a', '.git'), { recursive: true });
    mkdirSync(join(folder, 'root', '.git'));
    writeFileSync(join(folder, 'secret'), 'secret');
    writeFileSync(join(folder, 'root', '.git', 'config'), 'secret');
    const tree = await createFolderTree(join(folder, 'root'));
    expect(await tree.read({ path }, 100)).toMatchObject({ status: 'outside' });
  });

  it('follows no link, inside or out, as the file or on the way to it', async () => {
    const root = join(folder, 'root');
    mkdirSync(join(root, 'real'), { recursive: true });
    writeFileSync(join(root, 'real', 'f'), 'inside');
    writeFileSync(join(folder, 'f'), 'outside');
    symlinkSync('real', join(root, 'dir-in'));
    symlinkSync('..', join(root, 'dir-out'));
    symlinkSync('real/f', join(root, 'file-in'));
    symlinkSync('../f', join(root, 'file-out'));
    const tree = await createFolderTree(root);
    expect(await tree.read({ path: 'dir-in/f' }, 100)).toMatchObject({ status: 'outside' });
    expect(await tree.read({ path: 'dir-out/f' }, 100)).toMatchObject({ status: 'outside' });
    expect(await tree.read({ path: 'file-in' }, 100)).toMatchObject({ status: 'not-a-file' });
    expect(await tree.read({ path: 'file-out' }, 100)).toMatchObject({ status: 'not-a-file' });
    expect((await tree.entries()).map(entry => entry.path)).toEqual([
      'dir-in',
      'dir-out',
      'file-in',
      'file-out',
      'real/f',
    ]);
  });

  it('reads below a root that is named through a link', async () => {
    mkdirSync(join(folder, 'root'));
    writeFileSync(join(folder, 'root', 'f'), 'x');
    symlinkSync('root', join(folder, 'alias'));
    const tree = await createFolderTree(join(folder, 'alias'));
    expect(await tree.read({ path: 'f' }, 1)).toMatchObject({ status: 'ok' });
    expect(await tree.read({ path: 'gone' }, 1)).toMatchObject({ status: 'missing' });
    expect(await tree.read({ path: 'f/x' }, 1)).toMatchObject({ status: 'missing' });
  });

  it('is a usage error where there is none', async () => {
    await expect(createFolderTree(join(folder, 'none'))).rejects.toMatchObject({ code: 'usage' });
    writeFileSync(join(folder, 'file'), '');
    await expect(createFolderTree(join(folder, 'file'))).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('a commit', () => {
  it('lists and reads files by bytes, and neither links nor submodules', async () => {
    const repo = createTempRepo();
    repo.write('a b', 'text\n');
    repo.write(Buffer.from([0xfe]), 'raw');
    repo.write('d/pic.png', Buffer.alloc(300_000, 7));
    repo.write('empty', '');
    symlinkSync('/etc/passwd', join(repo.path, 'link'));
    const first = repo.commit();
    repo.git('update-index', '--add', '--cacheinfo', `160000,${first},sub`);
    const tree = repo.git('write-tree');
    const git = createGit({ gitDir: join(repo.path, '.git') });
    const objects = createObjectReader(git);
    const view = createGitTree(git, objects, tree);
    const entries = await view.entries();
    expect(entries.map(entry => [entry.path, entry.rawPath, entry.mode, entry.kind, entry.size])).toEqual([
      ['a b', undefined, '100644', 'text', 5],
      ['d/pic.png', undefined, '100644', 'binary', 300_000],
      ['empty', undefined, '100644', 'text', 0],
      ['link', undefined, '120000', 'symlink', 11],
      ['sub', undefined, '160000', 'submodule', 0],
      ['\uFFFD', '/g==', '100644', 'text', 3],
    ]);
    const results = await Promise.all(entries.map(entry => view.read(entry, 300_000)));
    expect(results.map(result => (result.status === 'ok' ? result.bytes.length : result.status))).toEqual([
      5,
      300_000,
      0,
      'not-a-file',
      'not-a-file',
      3,
    ]);
    expect(await view.read({ path: 'd/pic.png' }, 299_999)).toMatchObject({ status: 'too-large' });
    expect(await view.read({ path: 'd' }, 10)).toMatchObject({ status: 'not-a-file' });
    for (const path of ['none', 'a b/x', 'd/', 'd/none', '/d', '', 'link/passwd', 'sub/x', '../a b']) {
      expect(await view.read({ path }, 10)).toMatchObject({ status: 'missing' });
    }
    expect(await view.read({ path: 'a b' }, 10)).toEqual({ status: 'ok', bytes: Buffer.from('text\n') });
    await objects.close();
    repo.remove();
  });

  it('does not wait for ever for a pipe in the place of a ref', async () => {
    const repo = createTempRepo();
    repo.write('f', 'x');
    repo.commit();
    execFileSync('mkfifo', [join(repo.path, '.git', 'refs', 'heads', 'pipe')]);
    const objects = createObjectReader(createGit({ gitDir: join(repo.path, '.git') }), 300);
    await expect(objects.read('pipe', 10)).rejects.toMatchObject({ code: 'git' });
    expect((await objects.read('HEAD:f', 10))?.size).toBe(1);
    await objects.close();
    repo.remove();
  });

  it('skips what is longer than asked for and goes on with the next request', async () => {
    const repo = createTempRepo();
    repo.write('big', 'x'.repeat(500_000));
    repo.write('small', 'y');
    repo.commit();
    const objects = createObjectReader(createGit({ gitDir: join(repo.path, '.git') }));
    const [big, none, odd, small] = await Promise.all(
      ['HEAD:big', 'no-such-name', 'two\nlines', 'HEAD:small'].map(name => objects.read(name, 10)),
    );
    expect([big?.size, big?.bytes, none, odd, small?.bytes?.toString()]).toEqual([500_000, null, null, null, 'y']);
    await objects.close();
    expect((await objects.read('HEAD:small', 10))?.size).toBe(1);
    await objects.close();
    repo.remove();
  });
});
