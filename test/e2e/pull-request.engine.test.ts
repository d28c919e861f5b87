import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pullRequestEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import type { PullRequest } from '../sim/state.ts';
import { type Job, NODE_24, outcomes, runJob } from './run-job.ts';
import { CLEAN, checkOf, commentsOn, FAULTY, HALF_MENDED, openChange, reviewsOn, startShop } from './shop.ts';

let github: GitHub;
beforeAll(async () => {
  github = await startShop();
});
afterAll(() => github.close());

const places = (pull: PullRequest) =>
  commentsOn(github, pull).map(comment => `${comment.path}:${comment.originalLine}`);

describe('a pull request from its opening to its end', () => {
  let pull: PullRequest;
  let job: Job;

  test('opened with faults: one review on the right lines, a failed check, summary, artefact and outputs', async () => {
    pull = openChange(github, 'faulty', { 'app.py': FAULTY });
    job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'));

    expect(job.conclusion).toBe('success');
    expect(new Set(Object.values(outcomes(job)))).toEqual(new Set(['success']));
    expect(reviewsOn(github, pull)).toMatchObject([{ state: 'COMMENTED', commitId: pull.headSha }]);
    expect(places(pull)).toEqual(['app.py:6', 'app.py:10']);
    expect(commentsOn(github, pull)[0]?.body).toContain('S602');
    const check = checkOf(github, pull.headSha);
    expect(check).toMatchObject({ name: 'CypherFix', status: 'completed', conclusion: 'failure' });
    expect(check.annotations.map(a => a.start_line)).toEqual(expect.arrayContaining([6, 10]));
    expect(github.state.checkRuns).toHaveLength(1);
    expect(job.summary).toContain('S602');
    expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', 'cost-usd': '0.0000' });
    expect(Number(job.outputs['findings'])).toBeGreaterThanOrEqual(2);
    expect(job.outputs['review-url']).toContain(`/pull/${pull.number}#pullrequestreview-`);
    expect(job.outputs['check-url']).toContain(`/runs/${check.id}`);
    expect(job.outputs['report-file']).toMatch(/cypherfix\/report\.json$/);
    expect(job.outputs['sarif-file']).toMatch(/cypherfix\/report\.sarif$/);
  });

  test('the artefact is named after the head and holds what another workflow needs', () => {
    const used = job.steps['upload']?.used;
    expect(used?.artifact?.name).toBe(`cypherfix-${pull.headSha}`);
    expect(Object.keys(job.files).sort()).toEqual(['report.json', 'report.sarif', 'request.json']);
    const request = JSON.parse(String(job.files['request.json']));
    expect(request).toMatchObject({ task: 'review', headSha: pull.headSha, pullRequest: { number: pull.number } });
  });

  test('run again: nothing doubles', async () => {
    const again = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
      runId: job.runId,
      attempt: 2,
    });
    expect(again.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped' });
    expect(reviewsOn(github, pull)).toHaveLength(1);
    expect(commentsOn(github, pull)).toHaveLength(2);
  });

  test('the next push mends one and adds one: only the new one is posted, and the thread of the mended one is resolved', async () => {
    const before = pull.headSha;
    github.repo.commit({ branch: 'faulty', files: { 'app.py': HALF_MENDED } });
    const next = await runJob(github, pullRequestEvent(github, pull.number, 'synchronize', { before }));

    expect(next.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped' });
    expect(pull.headSha).not.toBe(before);
    expect(places(pull)).toEqual(['app.py:6', 'app.py:10', 'app.py:14']);
    expect(reviewsOn(github, pull)).toHaveLength(2);
    const resolved = github.state.threads.filter(thread => thread.resolvedBy !== null).map(thread => thread.root);
    const [mended] = commentsOn(github, pull);
    expect(resolved).toEqual([mended?.id]);
    expect(checkOf(github, pull.headSha).conclusion).toBe('failure');
  });

  test('the last push mends all: success', async () => {
    const before = pull.headSha;
    github.repo.commit({ branch: 'faulty', files: { 'app.py': `${CLEAN}\n\nLIMIT = 3\n` } });
    const last = await runJob(github, pullRequestEvent(github, pull.number, 'synchronize', { before }));
    expect(last.outputs).toMatchObject({ conclusion: 'success', gate: 'pass' });
    expect(commentsOn(github, pull)).toHaveLength(3);
    expect(github.state.threads.every(thread => thread.resolvedBy !== null)).toBe(true);
    expect(checkOf(github, pull.headSha).conclusion).toBe('success');
  });
});

test('Node 24 does the same, and fail-on-gate makes the step fail', async () => {
  const pull = openChange(github, 'on-24', { 'tool.py': FAULTY });
  const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
    nodeFolder: NODE_24,
    inputs: { 'fail-on-gate': 'true' },
  });
  expect(places(pull)).toEqual(['tool.py:6', 'tool.py:10']);
  expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped' });
  expect(job.steps['publish']?.result?.status).toBe(1);
  expect(job.conclusion).toBe('failure');
});

test('a deletion and a binary alone end in success and say so', async () => {
  const pull = openChange(github, 'deletion', { 'README.md': null, 'logo.bin': Buffer.from([0, 1, 2, 3, 0]) });
  const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'));
  expect(job.outputs).toMatchObject({ conclusion: 'success', gate: 'pass', findings: '0' });
  expect(checkOf(github, pull.headSha).conclusion).toBe('success');
  expect(job.summary).toContain('README.md');
});

test('the head moves while the change is examined: no review of the old head, and the summary says so', async () => {
  const pull = openChange(github, 'moving', { 'app.py': FAULTY });
  const examined = pull.headSha;
  const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
    before: id => {
      if (id === 'publish') github.repo.commit({ branch: 'moving', files: { 'app.py': CLEAN } });
    },
  });
  expect(pull.headSha).not.toBe(examined);
  expect(reviewsOn(github, pull)).toEqual([]);
  expect(job.summary).toContain('the head moved');
  expect(checkOf(github, examined).status).toBe('completed');
  expect(github.state.checkRuns.some(check => check.headSha === pull.headSha)).toBe(false);
});

test('the head moved before the run began: skipped, since the newer commit has a run of its own', async () => {
  const pull = openChange(github, 'late', { 'app.py': FAULTY });
  const event = pullRequestEvent(github, pull.number, 'opened');
  github.repo.commit({ branch: 'late', files: { 'app.py': CLEAN } });
  const job = await runJob(github, event);
  expect(outcomes(job)).toMatchObject({ resolve: 'success', analyze: 'skipped', publish: 'skipped' });
  expect(job.steps['resolve']?.outputs).toMatchObject({ run: 'false', 'head-sha': '' });
  expect(job.summary).toMatch(/the head moved to [0-9a-f]{12}/);
});
