import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { History } from '../../src/core/tree.ts';
import { createGit } from '../../src/workspace/git.ts';
import { readHistory } from '../../src/workspace/history.ts';
import { createObjectReader } from '../../src/workspace/object-reader.ts';
import { createTempRepo, type TempRepo } from './temp-repo.ts';

let repo: TempRepo;
beforeEach(() => {
  repo = createTempRepo();
});
afterEach(() => repo.remove());

async function versions(mergeBaseSha: string): Promise<{ history: History; seen: string[][] }> {
  const git = createGit({ gitDir: join(repo.path, '.git') });
  const objects = createObjectReader(git);
  const history = await readHistory(git, objects, { mergeBaseSha, headSha: repo.git('rev-parse', 'HEAD') });
  const seen = [];
  for (const blob of history.blobs) {
    const read = await history.read(blob, 1_000);
    const text = read.status === 'ok' ? read.bytes.toString() : read.status;
    seen.push([blob.path, text, repo.git('log', '-1', '--format=%s', blob.commit)]);
  }
  await objects.close();
  return { history, seen };
}

it('holds each version once, also of files that are gone again', async () => {
  repo.write('kept', 'before\n');
  const base = repo.commit('base');
  repo.write('secret.env', 'KEY=1\n');
  repo.write('new\nline ü', 'x\n');
  const first = repo.commit('add');
  rmSync(join(repo.path, 'secret.env'));
  repo.write('kept', 'after\n');
  const second = repo.commit('remove');
  repo.write('secret.env', 'KEY=1\n');
  const third = repo.commit('again');
  repo.git('commit', '-q', '--allow-empty', '-m', 'empty');
  const { history, seen } = await versions(base);
  expect(history.commits).toEqual([first, second, third, repo.git('rev-parse', 'HEAD')]);
  expect(seen).toEqual([
    ['new\nline ü', 'x\n', 'add'],
    ['secret.env', 'KEY=1\n', 'add'],
    ['kept', 'after\n', 'remove'],
  ]);
  expect(history.blobs.map(blob => blob.size)).toEqual([2, 6, 6]);
});

it('sees what a merge brings that none of its parents has', async () => {
  repo.write('f', 'base\n');
  repo.write('g', 'base\n');
  const base = repo.commit('base');
  repo.git('checkout', '-q', '-b', 'side');
  repo.write('f', 'side\n');
  repo.commit('side');
  repo.git('checkout', '-q', 'main');
  repo.write('h', 'main\n');
  repo.commit('main');
  repo.git('merge', '-q', '--no-commit', 'side');
  repo.write('g', 'evil\n');
  repo.write('only-in-merge', 'evil too\n');
  repo.commit('evil merge');
  const { history, seen } = await versions(base);
  expect(history.commits).toHaveLength(3);
  expect(seen.sort()).toEqual([
    ['f', 'side\n', 'side'],
    ['g', 'evil\n', 'evil merge'],
    ['h', 'main\n', 'main'],
    ['only-in-merge', 'evil too\n', 'evil merge'],
  ]);
});

it('sees the resolution of a merge of three branches', async () => {
  repo.write('f', 'base\n');
  const base = repo.commit('base');
  for (const name of ['one', 'two']) {
    repo.git('checkout', '-q', '-b', name, base);
    repo.write(name, `${name}\n`);
    repo.commit(name);
  }
  repo.git('checkout', '-q', '-b', 'octopus', base);
  repo.write('three', 'three\n');
  repo.commit('three');
  repo.git('merge', '-q', '--no-commit', 'one', 'two');
  repo.write('f', 'octopus\n');
  repo.commit('octopus');
  const { history, seen } = await versions(base);
  expect(history.commits).toHaveLength(4);
  expect(seen).toContainEqual(['f', 'octopus\n', 'octopus']);
  expect(seen).toHaveLength(4);
});

it('holds the whole first commit of a branch without a common root, the targets of links, and no submodules', async () => {
  repo.write('f', 'base\n');
  const base = repo.commit('base');
  repo.git('checkout', '-q', '--orphan', 'other');
  repo.git('rm', '-q', '-rf', '.');
  repo.write('root-file', 'root\n');
  symlinkSync('target', join(repo.path, 'link'));
  repo.git('update-index', '--add', '--cacheinfo', `160000,${base},sub`);
  repo.git('add', 'root-file', 'link');
  repo.git('commit', '-q', '-m', 'root');
  repo.git('checkout', '-q', 'main');
  repo.git('merge', '-q', '--allow-unrelated-histories', '-m', 'join', 'other');
  const { seen } = await versions(base);
  expect(seen).toEqual([
    ['link', 'target', 'root'],
    ['root-file', 'root\n', 'root'],
  ]);
});

it('is empty where nothing was committed', async () => {
  repo.write('f', 'base\n');
  const { history } = await versions(repo.commit('base'));
  expect([history.commits, history.blobs]).toEqual([[], []]);
});
