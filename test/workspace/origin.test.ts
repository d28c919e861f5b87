import { expect, test } from 'vitest';
import { readOriginName, toRepositoryName } from '../../src/workspace/origin.ts';
import { createTempRepo } from './temp-repo.ts';

test.each([
  ['https://github.com/acme/shop.git', 'acme/shop'],
  ['https://github.com/acme/shop', 'acme/shop'],
  ['https://x-access-token:secret@github.example.com/Acme/Shop.js/', 'Acme/Shop.js'],
  ['git@github.com:acme/shop.git', 'acme/shop'],
  ['ssh://git@github.example.com:2222/acme/shop', 'acme/shop'],
  ['/srv/git/acme/shop.git', null],
  ['../acme/shop', null],
  ['file:///srv/acme/shop.git', null],
  ['https://gitlab.example/group/sub/project.git', null],
  ['https://github.com/shop', null],
  ['', null],
])('%s is %s', (url, name) => {
  expect(toRepositoryName(url)).toBe(name);
});

test('the name is read from the repository that holds the folder', async () => {
  const repo = createTempRepo();
  try {
    repo.write('a.txt', 'a\n');
    repo.commit('Begin');
    const use = { searchPath: process.env['PATH'] };
    expect(await readOriginName(repo.path, use)).toBeNull();
    repo.git('remote', 'add', 'origin', 'git@github.com:acme/shop.git');
    expect(await readOriginName(repo.path, use)).toBe('acme/shop');
  } finally {
    repo.remove();
  }
});
