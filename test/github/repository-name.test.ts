import { expect, test } from 'vitest';
import { parseRepositoryName } from '../../src/github/repository-name.ts';

test.each(['octo/repo', 'a/b.c_d-e', 'O-1/.github'])('%s', name => {
  const { owner, repo } = parseRepositoryName(name);
  expect(`${owner}/${repo}`).toBe(name);
});

test.each([
  '',
  'octo',
  'octo/',
  '/repo',
  'a/b/c',
  'a/..',
  'a/.',
  '-a/b',
  'a b/c',
  'a/b?x',
  'a/b\n',
  `${'a'.repeat(41)}/b`,
])('%j is refused', name => {
  expect(() => parseRepositoryName(name)).toThrow(/not a repository name/);
});
