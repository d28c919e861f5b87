import { afterEach, beforeEach, expect, test } from 'vitest';
import { listReviewThreads } from '../../src/github/review-threads.ts';
import { createReview } from '../../src/github/reviews.ts';
import { closeThreads } from '../../src/publish/close-threads.ts';
import { startWorld, type World } from '../github/on-simulator.ts';
import { forbidden } from '../sim/faults.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.sim.close());

const REPLY = { body: 'Not there any more. <!-- gone -->', marker: '<!-- gone -->' };

async function startThreads(count: number) {
  const comments = Array.from({ length: count }, (_, i) => ({ path: 'src/b.js', line: i + 1, body: `c${i}` }));
  const review = { headSha: world.pull.headSha, body: 'r', comments };
  await createReview(world.gh, world.repository, 7, review, () => false);
  return listReviewThreads(world.gh, world.repository, 7);
}

const close = async (count: number) => {
  const threads = await startThreads(count);
  return closeThreads(
    world.gh,
    world.repository,
    7,
    threads.map(thread => ({ thread, reply: REPLY })),
  );
};

test('101 threads are listed and resolved', async () => {
  world.sim.settings.contentPerMinute = 1000;
  for (const _ of [1, 2, 3]) await startThreads(27);
  const result = await close(20);
  expect(result).toEqual({ resolved: 101, marked: 0, problems: [] });
  expect(world.sim.state.threads.every(t => t.resolvedBy !== null)).toBe(true);
}, 60_000);

test('without contents: write their comments are folded', async () => {
  world.sim.workflowToken.permissions = { contents: 'read', 'pull-requests': 'write', metadata: 'read' };
  const result = await close(3);
  expect(result.resolved + result.marked).toBe(3);
  expect(result.problems).toEqual([]);
  expect(world.sim.state.threads.every(t => t.resolvedBy === null)).toBe(true);
});

test('where neither is permitted the thread gets one answer', async () => {
  for (const match of ['graphql/resolveReviewThread', 'graphql/minimizeComment']) {
    world.sim.faults.add({ match, times: 99, ...forbidden() });
  }
  expect(await close(3)).toEqual({ resolved: 0, marked: 3, problems: [] });
  expect(world.sim.journal.of('graphql/resolveReviewThread')).toHaveLength(1);
  expect(world.sim.journal.of('graphql/minimizeComment')).toHaveLength(1);
  expect(world.sim.commentsWith('<!-- gone -->')).toHaveLength(3);
  world.sim.faults.clear();
});

test('an answer is not doubled by a lost reply of GitHub', async () => {
  for (const match of ['graphql/resolveReviewThread', 'graphql/minimizeComment']) {
    world.sim.faults.add({ match, ...forbidden() });
  }
  world.sim.faults.add({ match: 'pulls/create-reply-for-review-comment', kind: 'commit-then-502' });
  expect((await close(1)).marked).toBe(1);
  expect(world.sim.commentsWith('<!-- gone -->')).toHaveLength(1);
});

test('what cannot be touched at all is said', async () => {
  const threads = await startThreads(2);
  world.sim.workflowToken.permissions = { contents: 'read', 'pull-requests': 'read', metadata: 'read' };
  const result = await closeThreads(
    world.gh,
    world.repository,
    7,
    threads.map(thread => ({ thread, reply: REPLY })),
  );
  expect(result).toMatchObject({ resolved: 0, marked: 0 });
  expect(result.problems).toHaveLength(2);
});
