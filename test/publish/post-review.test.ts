import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReviewComment } from '../../src/github/reviews.ts';
import { postReview, type ReviewToPost } from '../../src/publish/post-review.ts';
import { startWorld, type World } from '../github/on-simulator.ts';
import { abuseLimit, badGateway, forbidden, primaryLimit, secondaryLimit, type Trouble } from '../sim/faults.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.sim.close());

const good = (line: number): ReviewComment => ({ path: 'src/b.js', line, body: `comment ${line}` });
const bad = (line: number): ReviewComment => ({ path: 'src/a.js', line, body: `off the diff ${line}` });
const many = (count: number) => Array.from({ length: count }, (_, index) => good(index + 1));

function toPost(comments: readonly ReviewComment[]): ReviewToPost {
  return {
    number: 7,
    headSha: world.pull.headSha,
    comments,
    renderBody: inBody => `main; in the body: ${inBody.join(',')}`,
    renderPart: part => `part ${part}`,
    isReview: candidate => candidate.byViewer && candidate.body.startsWith('main'),
    isPart: (candidate, part) => candidate.byViewer && candidate.body === `part ${part}`,
  };
}

const post = (comments: readonly ReviewComment[]) => postReview(world.gh, world.repository, toPost(comments));
const mainReviews = () => world.sim.reviewsWith('main;');
const posted = () => world.sim.state.reviewComments.map(c => c.body);

test('thirty comments and ranges are one review', async () => {
  const comments = [...many(29), { path: 'src/a.js', startLine: 2, line: 3, body: 'range' }];
  const result = await post(comments);
  expect(result.refused).toEqual([]);
  expect(world.sim.state.reviews).toHaveLength(1);
  expect(world.sim.state.reviews[0]).toMatchObject({ state: 'COMMENTED', commitId: world.pull.headSha });
  expect(world.sim.state.reviewComments).toHaveLength(30);
  expect(world.sim.state.reviewComments.every(c => c.side === 'RIGHT')).toBe(true);
  expect(world.sim.state.reviewComments.at(-1)).toMatchObject({ startLine: 2, line: 3 });
  expect(world.sim.journal.writes()).toHaveLength(1);
});

test('a range of one line is sent as a line', async () => {
  await post([{ path: 'src/a.js', startLine: 2, line: 2, body: 'x' }]);
  expect(world.sim.state.reviewComments[0]?.startLine).toBeNull();
});

describe('bad comments', () => {
  test('one of thirty goes to the body, the others are posted once', async () => {
    const comments = many(30);
    comments[17] = bad(30);
    const result = await post(comments);
    expect(result.refused).toEqual([17]);
    expect(mainReviews().map(r => r.body)).toEqual(['main; in the body: 17']);
    expect(posted().sort()).toEqual(
      comments
        .filter((_, i) => i !== 17)
        .map(c => c.body)
        .sort(),
    );
    expect(world.sim.journal.writes().length).toBeLessThan(14);
  });

  test('several, also at the ends', async () => {
    const comments = many(8);
    comments[0] = bad(20);
    comments[7] = bad(21);
    expect((await post(comments)).refused).toEqual([0, 7]);
    expect(posted()).toHaveLength(6);
  });

  test('a range across hunks', async () => {
    const result = await post([good(1), { path: 'src/a.js', startLine: 2, line: 40, body: 'across' }]);
    expect(result.refused).toEqual([1]);
  });

  test('only bad ones leave one review with all of them in the body', async () => {
    expect((await post([bad(20), bad(21), bad(22)])).refused).toEqual([0, 1, 2]);
    expect(mainReviews().map(r => r.body)).toEqual(['main; in the body: 0,1,2']);
    expect(posted()).toEqual([]);
    world.sim.state.reviews.splice(0);
    expect((await post([bad(20)])).refused).toEqual([0]);
    expect(mainReviews().map(r => r.body)).toEqual(['main; in the body: 0']);
  });

  test('thirty bad ones cost a bounded number of requests', async () => {
    const result = await post(Array.from({ length: 30 }, (_, i) => bad(10 + i)));
    expect(result.refused).toHaveLength(30);
    expect(world.sim.journal.writes().length).toBeLessThan(30);
  });

  test('when the search meets a limit that lasts, the rest stays in the body', async () => {
    const comments = many(10);
    comments[9] = bad(20);
    world.sim.after(
      'pulls/create-review',
      () => world.sim.faults.add({ match: 'pulls/create-review', times: 9, ...secondaryLimit({ retryAfter: 4000 }) }),
      3,
    );
    const result = await post(comments);
    expect(posted()).toHaveLength(5);
    expect(result.refused).toEqual([5, 6, 7, 8, 9]);
    expect(mainReviews().map(r => r.body)).toEqual(['main; in the body: 5,6,7,8,9']);
    world.sim.faults.clear();
  });
});

describe('a lost answer', () => {
  test.each<Trouble['kind']>(['commit-then-502', 'commit-then-drop'])(
    'after the write (%s) doubles nothing',
    async kind => {
      world.sim.faults.add({ match: 'pulls/create-review', kind } as never);
      const result = await post(many(30));
      expect(result.url).not.toBe('');
      expect(world.sim.state.reviews).toHaveLength(1);
      expect(world.sim.state.reviewComments).toHaveLength(30);
      expect(result.id).toBe(world.sim.state.reviews[0]?.id);
    },
  );

  test('before the write is sent again', async () => {
    world.sim.faults.add({ match: 'pulls/create-review', times: 2, ...badGateway() });
    await post(many(3));
    expect(world.sim.state.reviews).toHaveLength(1);
    expect(world.waits).toEqual([1000, 2000]);
  });

  test('while a part is posted doubles nothing', async () => {
    const comments = many(4);
    comments[0] = bad(20);
    world.sim.after(
      'pulls/create-review',
      () => world.sim.faults.add({ match: 'pulls/create-review', kind: 'commit-then-502' }),
      3,
    );
    expect((await post(comments)).refused).toEqual([0]);
    expect(posted().sort()).toEqual(['comment 2', 'comment 3', 'comment 4']);
  });
});

describe('limits', () => {
  test.each<[string, Trouble, number]>([
    ['403 with retry-after', secondaryLimit({ retryAfter: 72 }), 72_000],
    ['429 with retry-after', secondaryLimit({ status: 429, retryAfter: 5 }), 5000],
    ['403 without a header', secondaryLimit(), 60_000],
    ['422 with code abuse', abuseLimit(), 60_000],
  ])('%s is waited out', async (_name, trouble, wait) => {
    world.sim.faults.add({ match: 'pulls/create-review', ...trouble });
    await post(many(2));
    expect(world.waits).toEqual([wait]);
    expect(world.sim.state.reviews).toHaveLength(1);
  });

  test.each<[string, Trouble, string]>([
    ['a block of an hour', secondaryLimit({ retryAfter: 3600 }), 'secondary-limit'],
    ['the hourly quota', primaryLimit(Math.floor(Date.now() / 1000) + 3000), 'rate-limit'],
    ['a missing permission', forbidden(), 'forbidden'],
  ])('%s is passed on at once', async (_name, trouble, kind) => {
    world.sim.faults.add({ match: 'pulls/create-review', ...trouble });
    await expect(post(many(2))).rejects.toMatchObject({ kind });
    expect(world.waits).toEqual([]);
    expect(world.sim.state.reviews).toEqual([]);
  });

  test('an abuse limit that does not end is passed on after bounded waits', async () => {
    world.sim.faults.add({ match: 'pulls/create-review', times: 9, ...abuseLimit() });
    await expect(post(many(2))).rejects.toMatchObject({ kind: 'abuse' });
    expect(world.waits.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(360_000);
    world.sim.faults.clear();
  });
});
