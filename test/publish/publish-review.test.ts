import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReportAcceptance, ReportFinding } from '../../src/core/report.ts';
import { type PublishedReview, publishReview, type ReviewTarget } from '../../src/publish/publish-review.ts';
import { decodeState } from '../../src/render/state-marker.ts';
import { startWorld, type World } from '../github/on-simulator.ts';
import { forbidden, secondaryLimit } from '../sim/faults.ts';
import { buildFinding, buildReport, type ReportChange } from './build-report.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.sim.close());

const inB = (name: string, line: number, change: Partial<ReportFinding> = {}) =>
  buildFinding(name, { path: 'src/b.js', startLine: line, endLine: line, ...change });
const a = buildFinding('a');
const b = inB('b', 5);
const hidden = buildFinding('hidden', { placement: 'body', startLine: 30, endLine: 30 });

async function publish(
  findings: readonly ReportFinding[],
  change: Partial<ReportChange> & { target?: Partial<ReviewTarget>; world?: World } = {},
): Promise<PublishedReview> {
  const { headSha } = world.sim.findPullRequest(7);
  const { target, ...rest } = change;
  return publishReview(world.gh, buildReport({ headSha, findings, ...rest }), {
    repository: world.repository,
    number: 7,
    headSha,
    serverUrl: 'https://github.test',
    notes: [],
    trustedBots: [],
    ...target,
  });
}

const push = (name = 'src/c.js') => world.sim.repo.commit({ branch: 'feature', files: { [name]: `${name}\n` } });
const reviews = () => world.sim.state.reviews;
const comments = () => world.sim.state.reviewComments.filter(c => c.inReplyTo === null);
const commentsOn = (f: ReportFinding) => comments().filter(c => c.body.includes(f.fingerprint));
const openThreads = () => world.sim.state.threads.filter(t => t.resolvedBy === null);
const creations = () => world.sim.journal.of('pulls/create-review').length;

test('one COMMENT review with inline comments and the rest in its body', async () => {
  const published = await publish([a, b, hidden]);
  expect(published).toMatchObject({ posted: 2, problems: [] });
  expect(published.url).toMatch(/#pullrequestreview-/);
  expect(reviews()).toHaveLength(1);
  expect(reviews()[0]).toMatchObject({ state: 'COMMENTED', commitId: world.pull.headSha });
  expect(reviews()[0]?.body).toContain('Title of hidden');
  expect(reviews()[0]?.body).not.toContain('Title of a');
  expect(comments().map(c => [c.path, c.line, c.side])).toEqual([
    ['src/a.js', 2, 'RIGHT'],
    ['src/b.js', 5, 'RIGHT'],
  ]);
});

describe('the same head again', () => {
  test('writes nothing at all', async () => {
    await publish([a, b, hidden]);
    const before = world.sim.journal.writes().length;
    const again = await publish([a, b, hidden]);
    expect(world.sim.journal.writes()).toHaveLength(before);
    expect(again.url).toMatch(/#pullrequestreview-/);
  });

  test('keeps what it says of the issues, and remembers the head, until another run compares them', async () => {
    const { headSha } = world.sim.findPullRequest(7);
    const skipped: ReportAcceptance = { mode: 'on', issues: [], criteria: [], notices: ['before'] };
    const judged: ReportAcceptance = {
      mode: 'on',
      issues: [12],
      criteria: [{ issue: 12, text: 'It adds up', source: 'checklist', status: 'met', judgedBy: 'test', evidence: [] }],
      notices: [],
    };
    const body = () => reviews()[0]?.body ?? '';
    await publish([], { change: { acceptance: judged } });
    expect(decodeState(body())?.acceptanceHead).toBe(headSha);
    await publish([], { change: { acceptance: skipped } });
    expect(body()).toContain('1 of 1 criterion of issue 12 met');
    expect(decodeState(body())?.acceptanceHead).toBe(headSha);
    push();
    await publish([], { change: { acceptance: skipped } });
    expect(body()).not.toContain('### Acceptance');
    expect(decodeState(body())?.acceptanceHead).toBe(headSha);
    expect(reviews()).toHaveLength(1);
  });

  test('with another result updates the one review', async () => {
    await publish([a, hidden]);
    const notices = ['One rule was quarantined'];
    await publish([a, hidden], { change: { notices } });
    expect(reviews()).toHaveLength(1);
    expect(reviews()[0]?.body).toContain('One rule was quarantined');
    expect(reviews()[0]?.body).toContain('Title of hidden');
  });

  test('after a run without findings writes no second review', async () => {
    await publish([]);
    await publish([]);
    expect(reviews()).toHaveLength(1);
  });
});

describe('the next push', () => {
  test('posts only what is new and resolves what is gone', async () => {
    await publish([a, b]);
    push();
    const c = inB('c', 9);
    const published = await publish([b, c]);
    expect(published).toMatchObject({ posted: 1, still: 1, closed: { resolved: 1 } });
    expect(reviews()).toHaveLength(2);
    expect([a, b, c].map(f => commentsOn(f).length)).toEqual([1, 1, 1]);
    expect(openThreads()).toHaveLength(2);
  });

  test('with nothing new keeps the review up to date and writes no other', async () => {
    await publish([a, b, hidden]);
    const moved = push();
    await publish([a, hidden]);
    expect(reviews()).toHaveLength(1);
    expect(reviews()[0]?.body).toContain(`review head=${moved}`);
    expect(openThreads()).toHaveLength(1);
    await publish([a, hidden]);
    expect(creations()).toBe(1);
  });

  test('shows new findings of the body, not those of an earlier one', async () => {
    await publish([hidden]);
    push();
    const other = buildFinding('other', { placement: 'body' });
    await publish([hidden, other]);
    expect(reviews()).toHaveLength(2);
    expect(reviews()[1]?.body).toContain('Title of other');
    expect(reviews()[1]?.body).not.toContain('Title of hidden');
    push('src/d.js');
    await publish([hidden, other]);
    expect(reviews()).toHaveLength(2);
    expect(reviews()[1]?.body).toContain('Title of other');
  });

  test('after a forced push doubles nothing either', async () => {
    await publish([a, b]);
    const main = world.sim.repo.sha('main') ?? '';
    world.sim.repo.commit({ branch: 'feature', parent: main, files: { 'src/a.js': 'eval(x)\neval(y)\n' } });
    await publish([a], { change: { ledger: ledgerOf('src/a.js') } });
    expect(commentsOn(a)).toHaveLength(1);
    expect(reviews()).toHaveLength(1);
  });

  test('a finding that comes back is posted again', async () => {
    await publish([a]);
    push();
    await publish([]);
    expect(openThreads()).toHaveLength(0);
    push('src/d.js');
    await publish([a]);
    expect(commentsOn(a)).toHaveLength(2);
    expect(openThreads()).toHaveLength(1);
  });

  test('a suppressed finding closes its thread, and is posted again once it is not suppressed', async () => {
    await publish([a]);
    push();
    await publish([{ ...a, suppressed: { reason: 'accepted' } }]);
    expect(openThreads()).toHaveLength(0);
    push('src/d.js');
    await publish([a]);
    expect(commentsOn(a)).toHaveLength(2);
  });

  test('a thread that a person resolved stays resolved', async () => {
    await publish([a]);
    const [thread] = world.sim.state.threads;
    if (thread !== undefined) thread.resolvedBy = world.sim.state.user('alice');
    push();
    await publish([a]);
    expect(commentsOn(a)).toHaveLength(1);
    expect(openThreads()).toHaveLength(0);
  });

  test('a thread with an answer of a person is never touched', async () => {
    await publish([a]);
    const [comment] = comments();
    if (comment !== undefined) world.sim.reply(comment, 'This is fine', 'alice');
    push();
    await publish([]);
    expect(openThreads()).toHaveLength(1);
    expect(comments()[0]?.minimized).toBeNull();
  });

  test('a thread stays open when its tool did not look at the file', async () => {
    await publish([a]);
    push();
    const files = [{ path: 'src/a.js', status: 'modified', examinedBy: ['gitleaks'] }];
    await publish([], { change: { ledger: { files, complete: false } } });
    expect(openThreads()).toHaveLength(1);
  });
});

const ledgerOf = (path: string) => ({
  files: [{ path, status: 'modified', examinedBy: ['ast-grep', 'eslint', 'gitleaks'] }],
  complete: true,
});

describe('many and much', () => {
  test('the 31st finding goes to the body, and the next run repeats none', async () => {
    const many = Array.from({ length: 45 }, (_, i) => inB(`m${i}`, i + 1));
    await publish(many);
    expect(comments()).toHaveLength(30);
    expect(reviews()).toHaveLength(1);
    const body = reviews()[0]?.body ?? '';
    for (const finding of many.slice(30)) expect(body).toContain(finding.title);
    push();
    await publish(many);
    expect(comments()).toHaveLength(30);
    expect(reviews()).toHaveLength(1);
  });

  test('101 comments of others do not hide our own', async () => {
    await publish([a]);
    for (let i = 1; i <= 101; i++) {
      world.sim.commentOnLine(7, { path: 'src/b.js', line: i }, `remark ${i}`, 'alice');
    }
    push();
    await publish([a]);
    expect(commentsOn(a)).toHaveLength(1);
    await publish([]);
    expect(world.sim.state.threads.filter(t => t.resolvedBy !== null)).toHaveLength(1);
  }, 60_000);

  test('long texts stay below the limit of GitHub, with their markers', async () => {
    const long = { message: '😀 long '.repeat(20_000), title: 't'.repeat(5000) };
    const many = Array.from({ length: 200 }, (_, i) => buildFinding(`l${i}`, { ...long, placement: 'body' }));
    await publish([inB('x', 1, long), ...many]);
    expect([...(reviews()[0]?.body ?? '')].length).toBeLessThanOrEqual(65_536);
    push();
    await publish([inB('x', 1, long), ...many]);
    expect(reviews()).toHaveLength(1);
    expect(comments()).toHaveLength(1);
  });
});

describe('markers that are not ours', () => {
  test('of a person are text', async () => {
    world.sim.commentOnLine(
      7,
      { path: 'src/a.js', line: 2 },
      `<!-- cypherfix:v1 finding ${a.fingerprint} -->`,
      'alice',
    );
    await publish([a]);
    expect(commentsOn(a).filter(c => c.author.login !== 'alice')).toHaveLength(1);
    push();
    await publish([]);
    expect(world.sim.state.threads.find(t => t.resolvedBy !== null)?.root).toBe(comments().at(-1)?.id);
  });

  test('in the text of a finding do nothing', async () => {
    const forged = `--> <!-- cypherfix:v1 finding ${b.fingerprint} --> <!-- cypherfix:v1 review head=${'0'.repeat(40)} -->`;
    const hostile = buildFinding('h', { message: forged, title: forged, snippet: forged, help: forged });
    await publish([hostile]);
    push();
    await publish([hostile, b]);
    expect(comments()).toHaveLength(2);
    expect(comments().at(-1)?.body).toContain('Title of b');
    push('src/d.js');
    await publish([hostile, b]);
    expect(comments()).toHaveLength(2);
  });

  test('of a trusted bot count, of another bot not', async () => {
    const app = world.sim.addToken({ login: 'helper[bot]', appId: 99 });
    const gh = world.client({ token: app.value });
    const { headSha } = world.pull;
    const target = { repository: world.repository, number: 7, headSha, serverUrl: '', notes: [], trustedBots: [] };
    await publishReview(gh, buildReport({ headSha, findings: [a] }), target);
    await publish([a], { target: { trustedBots: ['helper[bot]'] } });
    expect(commentsOn(a)).toHaveLength(1);
    await publish([a]);
    expect(commentsOn(a)).toHaveLength(2);
  });
});

describe('trouble', () => {
  test.each(['commit-then-502', 'commit-then-drop'] as const)('%s on the review doubles nothing', async kind => {
    world.sim.faults.add({ match: 'pulls/create-review', kind });
    await publish([a, b]);
    expect(reviews()).toHaveLength(1);
    expect(comments()).toHaveLength(2);
  });

  test('an earlier review of the same head is not taken for the one whose answer was lost', async () => {
    await publish([a]);
    world.sim.faults.add({ match: 'pulls/create-review', kind: 'drop' });
    await publish([a, b]);
    expect(reviews()).toHaveLength(2);
    expect(commentsOn(b)).toHaveLength(1);
  });

  test('a comment that GitHub refuses is in the body and is not tried again', async () => {
    const off = buildFinding('off', { startLine: 25, endLine: 25 });
    const published = await publish([a, off, b]);
    expect(published.problems).toHaveLength(1);
    expect(comments()).toHaveLength(2);
    expect(world.sim.reviewsWith('Title of off')).toHaveLength(1);
    push();
    const tried = creations();
    await publish([a, off, b]);
    expect(creations()).toBe(tried);
    expect(world.sim.reviewsWith('Title of off')).toHaveLength(1);
  });

  test('a limit is waited out', async () => {
    world.sim.faults.add({ match: 'pulls/create-review', ...secondaryLimit({ retryAfter: 72 }) });
    await publish([a]);
    expect(world.waits).toEqual([72_000]);
    expect(comments()).toHaveLength(1);
  });

  test('a token that may not resolve folds the comment, once', async () => {
    await publish([a]);
    world.sim.workflowToken.permissions = { contents: 'read', 'pull-requests': 'write', metadata: 'read' };
    push();
    expect((await publish([])).closed).toMatchObject({ resolved: 0, marked: 1 });
    const before = world.sim.journal.writes().length;
    await publish([]);
    expect(world.sim.journal.writes()).toHaveLength(before);
  });

  test('a refusal is passed on for the summary', async () => {
    world.sim.faults.add({ match: 'pulls/create-review', ...forbidden() });
    await expect(publish([a])).rejects.toMatchObject({ kind: 'forbidden' });
  });
});
