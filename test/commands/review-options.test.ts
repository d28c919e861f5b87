import { expect, test } from 'vitest';
import { parseReviewOptions, REVIEW_HELP } from '../../src/commands/review-options.ts';

test.each([
  ['--base main', { kind: 'commits', repo: '.', base: 'main', head: 'HEAD' }],
  ['--repo x --base main --head topic', { kind: 'commits', repo: 'x', base: 'main', head: 'topic' }],
  ['--repo x --base main --working-tree', { kind: 'working-tree', repo: 'x', base: 'main' }],
  ['--repo x --all', { kind: 'all', repo: 'x', head: 'HEAD', base: null }],
  ['--repo x --all --head v1 --base main', { kind: 'all', repo: 'x', head: 'v1', base: 'main' }],
  ['--dir x --all', { kind: 'folder', dir: 'x' }],
  ['--repo x --replay r', { kind: 'recorded', repo: 'x' }],
  ['--replay r --base main', { kind: 'commits', repo: '.', base: 'main', head: 'HEAD' }],
])('%s', (line, target) => {
  expect(parseReviewOptions(line.split(' '))?.target).toEqual(target);
});

test.each([
  ['', '--base is missing'],
  ['--all --working-tree', 'do not go together'],
  ['--base main --head x --working-tree', 'do not go together'],
  ['--dir x', '--dir needs --all'],
  ['--dir x --all --base main', 'do not go together'],
  ['--base main --format pdf', "--format 'pdf' is none of text"],
  ['--base main --nonsense', '--nonsense'],
  ['--base', 'base'],
  ['main', 'main'],
  ['--all --ai', '--ai and --all do not go together'],
  ['--all --issue x.md', '--issue and --all do not go together'],
  ['--dir x --all --ai', '--ai and --all do not go together'],
  ['--replay r --head x', '--base is missing'],
  ['--base main --replay r --ai', '--replay and --ai do not go together'],
  ['--base main --replay r --record s', '--replay and --record do not go together'],
  ['--base main --replay r --issue i', '--replay and --issue do not go together'],
  ['--base main --record r --output r', 'name the same file'],
])('%j is refused', (line, message) => {
  expect(() => parseReviewOptions(line.split(' ').filter(word => word !== ''))).toThrow(message);
});

test('the help names every option', () => {
  expect(parseReviewOptions(['--help'])).toBeNull();
  for (const option of [
    'repo',
    'base',
    'head',
    'working-tree',
    'all',
    'dir',
    'format',
    'output',
    'config',
    'ai',
    'record',
    'replay',
    'issue',
  ]) {
    expect(REVIEW_HELP).toContain(`--${option}`);
  }
});
