import { afterEach, beforeEach, expect, it } from 'vitest';
import * as events from './events.ts';
import { listExampleEvents } from './example-events.ts';
import { type Scene, startWithPull } from './start-with-pull.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startWithPull();
});
afterEach(() => scene.github.close());

/** Keys that the published example has and ours lacks, two levels deep. */
function missingKeys(ours: Record<string, unknown>, example: Record<string, unknown>): string[] {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  return Object.entries(example).flatMap(([key, value]) => {
    const mine = ours[key];
    if (mine === undefined) return [key];
    if (!isObject(value) || !isObject(mine)) return [];
    return Object.keys(value)
      .filter(inner => !(inner in mine))
      .map(inner => `${key}.${inner}`);
  });
}

function example(name: string, action?: string): Record<string, unknown> {
  const found = listExampleEvents(name).find(one => one.action === action);
  if (found === undefined) throw new Error(`no example of ${name} ${action}`);
  return found.payload;
}

it('builds payloads with every key of GitHub’s own examples', () => {
  const { github, pull } = scene;
  const issue = github.openIssue({ labels: ['bug'] });
  const comment = github.comment(issue.number, 'hello');
  const inline = github.commentOnLine(pull.number, { path: 'b.js', line: 2 }, 'why?');
  const run = github.addWorkflowRun(pull);
  const pairs: [events.WorkflowEvent, Record<string, unknown>][] = [
    [events.pullRequestEvent(github, pull.number, 'opened'), example('pull_request', 'opened')],
    [events.pullRequestEvent(github, pull.number, 'synchronize'), example('pull_request', 'synchronize')],
    [events.pullRequestEvent(github, pull.number, 'labeled', { label: 'bug' }), example('pull_request', 'labeled')],
    [events.issueCommentEvent(github, comment), example('issue_comment', 'created')],
    [events.reviewCommentEvent(github, inline), example('pull_request_review_comment', 'created')],
    [events.issuesEvent(github, issue.number, 'labeled', { label: 'bug' }), example('issues', 'labeled')],
    [events.pushEvent(github, 'main'), example('push')],
    [events.mergeGroupEvent(github, pull.number), example('merge_group', 'checks_requested')],
    [events.workflowDispatchEvent(github, {}), example('workflow_dispatch')],
    [events.workflowRunEvent(github, run), example('workflow_run', 'completed')],
  ];
  // What differs by kind of owner or by how a hook is set up; a plain issue has no `draft` today.
  const tolerated = /^(organization|installation|repository\.template_repository|issue\.draft)$/;
  const missing = pairs.map(([event, published]) => [
    event.name,
    missingKeys(event.payload, published).filter(key => !tolerated.test(key)),
  ]);
  expect(missing).toEqual(pairs.map(([event]) => [event.name, []]));
});

it('gives a pull request its test merge, and everything else the default branch', () => {
  const { github, pull } = scene;
  const main = github.repo.sha('main');
  const opened = events.pullRequestEvent(github, pull.number, 'opened');
  expect(opened).toMatchObject({
    sha: pull.mergeSha,
    ref: `refs/pull/${pull.number}/merge`,
    headRef: 'feature',
    baseRef: 'main',
  });
  expect(opened.payload['pull_request']).toMatchObject({ head: { sha: pull.headSha } });
  const comment = events.issueCommentEvent(github, github.comment(pull.number, '/cypherfix review', 'mona'));
  expect(comment).toMatchObject({ sha: main, ref: 'refs/heads/main', headRef: '', actor: 'mona' });
  expect(comment.payload['issue']).toMatchObject({ pull_request: { url: expect.stringContaining('/pulls/') } });
  expect(JSON.stringify(comment.payload)).not.toContain(pull.headSha);
  expect(events.pullRequestTargetEvent(github, pull.number, 'opened')).toMatchObject({
    sha: main,
    name: 'pull_request_target',
  });
  expect(events.scheduleEvent(github)).toMatchObject({ sha: main, payload: { schedule: '0 3 * * 1' } });
});

it('knows forks, drafts and bots', () => {
  const { github } = scene;
  const fork = github.fork('mallory');
  fork.commit({ branch: 'evil', files: { 'x.js': 'x\n' }, parent: github.repo.sha('main') ?? null });
  const pull = github.openPullRequest({ head: 'evil', from: fork, draft: true });
  const { payload } = events.pullRequestEvent(github, pull.number, 'opened');
  expect(payload).toMatchObject({
    pull_request: {
      draft: true,
      author_association: 'NONE',
      head: { repo: { fork: true, full_name: 'mallory/shop' } },
    },
    sender: { login: 'mallory', type: 'User' },
  });
  expect(events.workflowRunEvent(github, github.addWorkflowRun(pull)).payload).toMatchObject({
    workflow_run: { pull_requests: [], head_repository: { full_name: 'mallory/shop' } },
  });
  github.repo.setBranch('dependabot/npm/x', github.repo.sha('feature') ?? '');
  const bumped = github.openPullRequest({ head: 'dependabot/npm/x', author: 'dependabot[bot]' });
  const bot = events.pullRequestEvent(github, bumped.number, 'opened');
  expect(bot).toMatchObject({
    actor: 'dependabot[bot]',
    payload: { sender: { login: 'dependabot[bot]', type: 'Bot' } },
  });
});

it('lists the commits of a push and the commit of a merge group', () => {
  const { github, pull } = scene;
  const before = github.repo.sha('main') ?? '';
  const after = github.repo.commit({ branch: 'main', files: { 'd.js': 'd\n' }, message: 'Add d' });
  const push = events.pushEvent(github, 'main', before);
  expect(push).toMatchObject({
    sha: after,
    payload: { before, after, created: false, commits: [{ id: after, message: 'Add d' }] },
  });
  const group = events.mergeGroupEvent(github, pull.number);
  expect(group.ref).toMatch(/^refs\/heads\/gh-readonly-queue\/main\/pr-\d+-[0-9a-f]{40}$/);
  expect(group.payload['merge_group']).toMatchObject({ head_sha: group.sha, base_ref: 'refs/heads/main' });
});

it('hands out the published examples', () => {
  expect(listExampleEvents('issue_comment').filter(one => one.action === 'created')).toHaveLength(5);
  expect(new Set(listExampleEvents().map(one => one.name)).size).toBeGreaterThan(50);
});
