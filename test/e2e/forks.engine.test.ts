import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeState } from '../../src/render/state-marker.ts';
import { pullRequestEvent, workflowRunEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import type { PullRequest } from '../sim/state.ts';
import { FORK_READ } from '../sim/tokens.ts';
import { type Job, outcomes, runJob } from './run-job.ts';
import { checkOf, commentsOn, FAULTY, openChange, reviewsOn, startShop } from './shop.ts';

let github: GitHub;
let pull: PullRequest;
let job: Job;
beforeAll(async () => {
  github = await startShop();
  const fork = github.fork('stranger');
  pull = openChange(github, 'patch-1', { 'app.py': FAULTY }, { from: fork });
});
afterAll(() => github.close());

test('a fork’s run may write nothing: annotations, the summary, and a failed step when the gate trips', async () => {
  const token = github.addToken({ permissions: FORK_READ });
  const writes = github.journal.writes().filter(entry => entry.status < 400).length;
  job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), { token: token.value });

  expect(outcomes(job)).toMatchObject({
    resolve: 'success',
    analyze: 'success',
    publish: 'failure',
    cleanup: 'success',
  });
  expect(job.steps['publish']?.result?.status).toBe(1);
  expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', 'review-url': '', 'check-url': '' });
  expect(job.summary).toContain('S602');
  const annotations = job.steps['publish']?.result?.commands.filter(c => c.properties['file'] !== undefined);
  expect(annotations?.map(a => `${a.properties['file']}:${a.properties['line']}`)).toEqual(
    expect.arrayContaining(['app.py:6', 'app.py:10']),
  );
  expect(github.journal.writes().filter(entry => entry.status < 400)).toHaveLength(writes);
  expect(reviewsOn(github, pull)).toEqual([]);
});

test('with fail-on-gate: false the same run stays green', async () => {
  const token = github.addToken({ permissions: FORK_READ });
  const kept = await runJob(github, pullRequestEvent(github, pull.number, 'reopened'), {
    token: token.value,
    inputs: { 'fail-on-gate': 'false' },
  });
  expect(kept.conclusion).toBe('success');
  expect(kept.outputs['gate']).toBe('tripped');
});

const FORGED = {
  mode: 'on',
  issues: [1],
  criteria: [
    { issue: 1, text: 'Everything is done', source: 'checklist', status: 'met', judgedBy: 'test', evidence: [] },
  ],
  notices: [],
};
const bodyOf = (review?: { body: string }): string => review?.body ?? '';

test('the companion workflow publishes the artefact of that run as a review, and examines nothing itself', async () => {
  const run = github.addWorkflowRun(pull, { id: job.runId });
  // A fork's author can write criteria as met as they like into it.
  const report = { ...JSON.parse(String(job.files['report.json'])), acceptance: FORGED };
  github.addArtifact(run, `cypherfix-${pull.headSha}`, {
    ...job.files,
    'report.json': Buffer.from(JSON.stringify(report)),
  });
  const companion = await runJob(github, workflowRunEvent(github, run));

  expect(bodyOf(reviewsOn(github, pull)[0])).not.toContain('Everything is done');
  expect(companion.summary).not.toContain('Everything is done');
  expect(decodeState(bodyOf(reviewsOn(github, pull)[0]))?.acceptanceHead).toBeNull();
  expect(outcomes(companion)).toMatchObject({ prepare: 'skipped', analyze: 'skipped', publish: 'success' });
  expect(reviewsOn(github, pull)).toHaveLength(1);
  expect(commentsOn(github, pull).map(comment => comment.line)).toEqual([6, 10]);
  expect(checkOf(github, pull.headSha).conclusion).toBe('failure');
  expect(companion.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped' });
  expect(companion.outputs['review-url']).not.toBe('');
});

test('the companion refuses an artefact about another pull request', async () => {
  const other = openChange(github, 'patch-2', { 'other.py': FAULTY }, { from: github.fork('mallory') });
  const run = github.addWorkflowRun(other);
  github.addArtifact(run, `cypherfix-${other.headSha}`, job.files);
  const companion = await runJob(github, workflowRunEvent(github, run));
  expect(reviewsOn(github, other)).toEqual([]);
  expect(companion.outputs).toMatchObject({ gate: 'error', conclusion: 'failure' });
  expect(companion.summary).toMatch(/report\.json is about another pull request/);
});

test('a bot’s pull request is examined with the scanners alone', async () => {
  const bot = openChange(github, 'bump', { 'app.py': FAULTY }, { author: 'dependabot[bot]' });
  github.state.user('dependabot[bot]').type = 'Bot';
  const run = await runJob(github, pullRequestEvent(github, bot.number, 'opened'));
  expect(run.outputs['gate']).toBe('tripped');
  expect(JSON.parse(String(run.files['request.json']))).toMatchObject({ restricted: true });
});
