import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchStanding } from '../../src/publish/standing.ts';
import { startWorld, type World } from '../github/on-simulator.ts';
import { forbidden } from '../sim/faults.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.sim.close());

const standing = (askedBy: string | null = null) =>
  fetchStanding(world.gh, world.repository, { number: 7, headSha: world.pull.headSha, askedBy });
const kind = async (askedBy: string | null = null) => (await standing(askedBy)).kind;

test('an open pull request with the same head is current', async () => {
  expect(await kind()).toBe('current');
  expect(await kind('alice')).toBe('current');
});

test('a moved head is stale and says from where to where', async () => {
  const { headSha } = world.pull;
  const expected = { number: 7, headSha, askedBy: null };
  const moved = world.sim.repo.commit({ branch: 'feature', files: { 'src/c.js': 'c\n' } });
  const read = await fetchStanding(world.gh, world.repository, expected);
  expect(read).toMatchObject({ kind: 'stale', headSha: moved });
  expect('reason' in read && read.reason).toContain(headSha.slice(0, 12));
});

test('a closed pull request is closed', async () => {
  world.sim.closePullRequest(7);
  expect(await kind()).toBe('closed');
});

test('who lost write permission is denied, and so is nobody', async () => {
  world.sim.setRole('alice', 'read');
  expect(await kind('alice')).toBe('denied');
  expect(await kind('')).toBe('denied');
  expect(await kind()).toBe('current');
});

test('a permission that cannot be read is denied', async () => {
  world.sim.faults.add({ match: 'repos/get-collaborator-permission-level', ...forbidden() });
  expect(await kind('alice')).toBe('denied');
});
