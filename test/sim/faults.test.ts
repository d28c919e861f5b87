import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { abuseLimit, badGateway, forbidden, graphLimit, primaryLimit, secondaryLimit } from './faults.ts';
import { connect, refusal, type Scene, startWithPull } from './start-with-pull.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startWithPull();
});
afterEach(() => scene.github.close());

const review = (body = 'b') => scene.octokit.rest.pulls.createReview({ ...scene.at, event: 'COMMENT', body });
const read = () => scene.octokit.rest.pulls.get(scene.at);

describe('a fault', () => {
  it('meets the operation it names, as often as it says', async () => {
    const { github } = scene;
    github.faults.add({ match: 'pulls/create-review', times: 2, ...secondaryLimit({ retryAfter: 7 }) });
    expect(await refusal(review())).toMatchObject({ status: 403, headers: { 'retry-after': '7' } });
    expect((await read()).status).toBe(200);
    expect((await refusal(review())).message).toContain('secondary rate limit');
    expect((await review()).status).toBe(200);
    expect(github.faults.pending()).toEqual([]);
    expect(github.state.reviews).toHaveLength(1);
    expect(github.journal.of('pulls/create-review').map(entry => [entry.status, entry.fault])).toEqual([
      [403, 'respond'],
      [403, 'respond'],
      [200, null],
    ]);
  });

  it('takes the other forms of a limit', async () => {
    const { github } = scene;
    github.faults.add({ match: 'pulls/create-review', ...secondaryLimit({ status: 429 }) });
    github.faults.add({ match: 'pulls/create-review', ...abuseLimit() });
    github.faults.add({ match: entry => entry.method === 'GET', ...primaryLimit(1_900_000_000) });
    github.faults.add({ match: 'pulls/create-review', ...badGateway() });
    const limited = await refusal(review());
    expect(limited.status).toBe(429);
    expect(limited.headers).not.toHaveProperty('retry-after');
    expect((await refusal(review())).errors).toMatchObject([{ code: 'abuse' }]);
    expect((await refusal(read())).headers).toMatchObject({
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1900000000',
    });
    expect((await refusal(review())).status).toBe(502);
    expect(github.state.reviews).toEqual([]);
  });

  it('answers GraphQL with a limit under status 200, and REST with a refusal', async () => {
    const { github, octokit } = scene;
    github.faults.add({ match: 'graphql/viewer', ...graphLimit(1_900_000_000) });
    github.faults.add({ match: 'pulls/get', ...forbidden() });
    await expect(octokit.graphql('{ viewer { login } }')).rejects.toMatchObject({ errors: [{ type: 'RATE_LIMITED' }] });
    expect(await octokit.graphql('{ viewer { login } }')).toEqual({ viewer: { login: 'github-actions[bot]' } });
    expect(await refusal(read())).toMatchObject({ status: 403, message: 'Resource not accessible by integration' });
  });

  it('loses the answer to a write that took effect', async () => {
    const { github } = scene;
    github.faults.add({ match: 'pulls/create-review', kind: 'commit-then-502' });
    github.faults.add({ match: 'pulls/create-review', kind: 'commit-then-drop' });
    expect((await refusal(review('first'))).status).toBe(502);
    await expect(review('second')).rejects.toThrow();
    expect(github.state.reviews.map(one => one.body)).toEqual(['first', 'second']);
  });

  it('cuts the connection before anything happens, or delays the answer', async () => {
    const { github } = scene;
    github.faults.add({ match: 'pulls/create-review', kind: 'drop' });
    await expect(review()).rejects.toThrow();
    expect(github.state.reviews).toEqual([]);
    github.faults.add({ match: 'pulls/get', kind: 'delay', ms: 120 });
    const started = performance.now();
    await read();
    expect(performance.now() - started).toBeGreaterThan(110);
  });
});

describe('a hook', () => {
  it('pushes between two requests', async () => {
    const { github, at, octokit } = scene;
    github.after('pulls/get', () => void github.repo.commit({ branch: 'feature', files: { 'late.js': 'x\n' } }), 2);
    const heads = [];
    for (let index = 0; index < 3; index++) heads.push((await octokit.rest.pulls.get(at)).data.head.sha);
    expect(heads[0]).toBe(heads[1]);
    expect(heads[2]).toBe(github.repo.sha('feature'));
    expect(heads[2]).not.toBe(heads[1]);
  });

  it('closes the pull request, or takes a permission away', async () => {
    const { github, pull } = scene;
    github.after('pulls/get', () => github.closePullRequest(pull.number));
    github.after('pulls/get', () => {
      github.workflowToken.permissions['pull-requests'] = 'read';
    });
    expect((await read()).data.state).toBe('open');
    expect((await read()).data.state).toBe('closed');
    expect(await refusal(review())).toMatchObject({ status: 403, message: 'Resource not accessible by integration' });
  });
});

describe('limits', () => {
  it('block content after so many writes a minute', async () => {
    scene.github.settings.contentPerMinute = 3;
    for (let index = 0; index < 3; index++) await review(String(index));
    expect(await refusal(review())).toMatchObject({ status: 403, headers: { 'retry-after': '60' } });
    expect((await read()).status).toBe(200);
  });

  it('count the requests of an hour in the headers of every answer', async () => {
    const { github, octokit } = scene;
    github.settings.hourlyLimit = 2;
    expect((await read()).headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
    await read();
    expect((await octokit.rest.rateLimit.get()).data.rate).toMatchObject({ limit: 2, remaining: 0, used: 2 });
    const over = await refusal(read());
    expect(over).toMatchObject({ status: 403, headers: { 'x-ratelimit-remaining': '0' } });
    expect(over.message).toMatch(/^API rate limit exceeded/);
  });
});

describe('tokens', () => {
  it('are refused when unknown, and read-only for a fork', async () => {
    const { github, at } = scene;
    expect(await refusal(connect(github, 'ghs_wrong').rest.pulls.get(at))).toMatchObject({
      status: 401,
      message: 'Bad credentials',
    });
    const fork = connect(github, github.addToken({ permissions: { contents: 'read', 'pull-requests': 'read' } }).value);
    expect((await fork.rest.pulls.get(at)).status).toBe(200);
    expect((await refusal(fork.rest.pulls.createReview({ ...at, event: 'COMMENT', body: 'x' }))).status).toBe(403);
    expect((await refusal(fork.rest.checks.listForRef({ ...scene.place, ref: 'main' }))).status).toBe(403);
  });

  it('look like GitHub’s: some 520 characters with two dots, and never in the journal', async () => {
    const { github } = scene;
    expect(github.token).toMatch(/^ghs_15368_[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(github.token.length).toBeGreaterThan(480);
    await read();
    expect(JSON.stringify(github.journal.entries)).not.toContain(github.token);
  });

  it('open the API under /api/v3 and GraphQL under /api/graphql as well', async () => {
    const { github, at } = scene;
    const get = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `token ${github.token}` };
      return (await fetch(`${github.url}${path}`, { ...init, headers })).json();
    };
    const pull = await get(`/api/v3/repos/acme/shop/pulls/${at.pull_number}`);
    expect(pull).toMatchObject({ number: at.pull_number });
    const body = JSON.stringify({ query: '{ viewer { login } }' });
    expect(await get('/api/graphql', { method: 'POST', body })).toEqual({
      data: { viewer: { login: 'github-actions[bot]' } },
    });
    expect(await get('/graphql', { method: 'POST', body: '{' })).toMatchObject({ errors: [{}] });
  });
});
