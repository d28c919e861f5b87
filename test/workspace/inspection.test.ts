import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Inspection, TextSearch } from '../../src/workspace/inspection.ts';
import { openLocalWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import { createTempRepo, type TempRepo } from './temp-repo.ts';

let repo: TempRepo;
let workspace: Workspace;

beforeEach(() => {
  repo = createTempRepo();
});
afterEach(async () => {
  await workspace.close();
  repo.remove();
});

async function open(workingTree = false): Promise<Inspection> {
  workspace = await openLocalWorkspace({ repo: repo.path, base: 'main~1', workingTree });
  if (workspace.inspection === null) throw new Error('no inspection');
  return workspace.inspection;
}

const all = (pattern: string, rest: Partial<TextSearch> = {}): TextSearch => ({
  pattern,
  fixed: false,
  ignoreCase: false,
  takes: () => true,
  maxMatches: 50,
  ...rest,
});

it('finds lines of the head tree, also in paths with newlines, not in binaries', async () => {
  repo.write('a.ts', 'old needle\n');
  repo.commit();
  repo.write('a.ts', 'x\nneedle one\n');
  repo.write('odd\nname.ts', 'a Needle: two\n');
  repo.write('b.bin', Buffer.from('needle\0\n'));
  repo.commit();
  const inspection = await open();
  expect((await inspection.search(all('needle'))).matches).toEqual([{ path: 'a.ts', line: 2, text: 'needle one' }]);
  const loose = await inspection.search(all('NEEDLE: T', { ignoreCase: true, fixed: true }));
  expect(loose.matches).toEqual([{ path: 'odd\nname.ts', line: 1, text: 'a Needle: two' }]);
  expect(await inspection.search(all('nothing such'))).toEqual({ matches: [], more: 0 });
  expect((await inspection.search(all('needle', { takes: path => path !== 'a.ts' }))).matches).toEqual([]);
});

it('counts what is beyond the cap and refuses a pattern that is none', async () => {
  repo.write('a.ts', '');
  repo.commit();
  repo.write('a.ts', 'hit\n'.repeat(7));
  repo.commit();
  const inspection = await open();
  const result = await inspection.search(all('hit', { maxMatches: 3 }));
  expect([result.matches.length, result.more]).toEqual([3, 4]);
  await expect(inspection.search(all('('))).rejects.toThrow(/git grep/);
  // A pattern that looks like an option stays a pattern.
  expect((await inspection.search(all('--open-files-in-pager=x', { fixed: true }))).matches).toEqual([]);
});

it('lists the commits of a path and who touched its lines', async () => {
  repo.write('a.ts', 'one\ntwo\n');
  const first = repo.commit('Add one and two');
  repo.write('a.ts', 'one\nTWO\n');
  const second = repo.commit('Shout two');
  const inspection = await open();
  expect((await inspection.log('a.ts', 10)).map(entry => [entry.commit, entry.subject])).toEqual([
    [second, 'Shout two'],
    [first, 'Add one and two'],
  ]);
  expect(await inspection.log('a.ts', 1)).toHaveLength(1);
  expect(await inspection.log('b.ts', 5)).toEqual([]);
  expect((await inspection.log('', 5)).length).toBe(2);
  const blame = await inspection.blame('a.ts', 1, 2);
  expect(blame.map(({ line, commit, subject, text }) => [line, commit, subject, text])).toEqual([
    [1, first, 'Add one and two', 'one'],
    [2, second, 'Shout two', 'TWO'],
  ]);
  expect(blame[0]?.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  await expect(inspection.blame('b.ts', 1, 2)).rejects.toThrow(/no such path/);
  await expect(inspection.blame('a.ts', 9, 10)).rejects.toThrow(/lines/);
});

it('takes uncommitted text for searches', async () => {
  repo.write('a.ts', 'one\n');
  repo.commit();
  repo.commit();
  repo.write('a.ts', 'uncommitted\n');
  const inspection = await open(true);
  expect((await inspection.search(all('uncommitted'))).matches).toEqual([
    { path: 'a.ts', line: 1, text: 'uncommitted' },
  ]);
});
