import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileSarifSchema } from '../render/sarif-schema.ts';
import {
  issueCommentEvent,
  issuesEvent,
  mergeGroupEvent,
  pullRequestEvent,
  pullRequestTargetEvent,
  pushEvent,
  reviewCommentEvent,
  scheduleEvent,
  type WorkflowEvent,
  workflowRunEvent,
} from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import { outcomes, runJob } from './run-job.ts';
import { checkOf, FAULTY, openChange, startShop } from './shop.ts';

let github: GitHub;
beforeAll(async () => {
  github = await startShop({ files: { 'old.py': FAULTY } });
  github.setRole('writer', 'write');
});
afterAll(() => github.close());

describe('what does not apply is skipped with the reason in the summary, and GitHub is not written to', () => {
  const onPull = (name: string, act: (number: number) => WorkflowEvent) => (): WorkflowEvent =>
    act(openChange(github, name, { 'app.py': FAULTY }).number);

  const CASES: [what: string, make: () => WorkflowEvent, reason: string][] = [
    [
      'a draft',
      () => {
        const draft = openChange(github, 'draft', { 'app.py': FAULTY }, { draft: true });
        return pullRequestEvent(github, draft.number, 'opened');
      },
      'draft pull request',
    ],
    [
      'a closed pull request',
      onPull('closed', number => {
        github.closePullRequest(number);
        return pullRequestEvent(github, number, 'synchronize');
      }),
      'the pull request is closed',
    ],
    ['another action', onPull('edited', n => pullRequestEvent(github, n, 'edited')), "'edited' does not start"],
    [
      'another label',
      onPull('bug', n => pullRequestEvent(github, n, 'labeled', { label: 'bug', sender: 'writer' })),
      'a different label',
    ],
    [
      'the label of fixes',
      onPull('fix', n => pullRequestEvent(github, n, 'labeled', { label: 'cypherfix:fix', sender: 'writer' })),
      'prepares no fixes',
    ],
    [
      'a label of a bot',
      onPull('robot', n =>
        pullRequestEvent(github, n, 'labeled', { label: 'cypherfix:review', sender: 'renovate[bot]' }),
      ),
      'a label added by a bot',
    ],
    ['pull_request_target', onPull('target', n => pullRequestTargetEvent(github, n, 'opened')), 'pull_request_target'],
    [
      'another comment',
      onPull('talk', n => issueCommentEvent(github, github.comment(n, 'see /cypherfix review', 'writer'))),
      'no /cypherfix command',
    ],
    [
      'a word that only begins like the command',
      onPull('fixes', n => issueCommentEvent(github, github.comment(n, '/cypherfixes review', 'writer'))),
      'no /cypherfix command',
    ],
    [
      'a comment that was edited',
      onPull('late', n => issueCommentEvent(github, github.comment(n, '/cypherfix review', 'writer'), 'edited')),
      'a comment was edited',
    ],
    [
      'a comment of a bot',
      onPull('echo', n => issueCommentEvent(github, github.comment(n, '/cypherfix review', 'renovate[bot]'))),
      "a bot's comment never starts",
    ],
    [
      'a review comment without a command',
      onPull('inline', n =>
        reviewCommentEvent(github, github.commentOnLine(n, { path: 'app.py', line: 6 }, 'why?', 'writer')),
      ),
      'no /cypherfix command',
    ],
    ['a labelled issue', () => issuesEvent(github, github.openIssue().number, 'labeled', { label: 'bug' }), 'label'],
    [
      'a push to another branch',
      () => {
        github.repo.setBranch('side', github.repo.sha('main') ?? '');
        return pushEvent(github, 'side');
      },
      'not to the default branch',
    ],
    [
      'a workflow run that was no fork’s',
      onPull('own', n => workflowRunEvent(github, github.addWorkflowRun(github.findPullRequest(n)))),
      'no fork run',
    ],
  ];

  test.each(CASES)('%s', async (_, make, reason) => {
    const event = make();
    const requests = github.journal.writes().length;
    const job = await runJob(github, event);
    expect(job.conclusion).toBe('success');
    expect(outcomes(job)).toMatchObject({
      prepare: 'skipped',
      analyze: 'skipped',
      upload: 'skipped',
      publish: 'skipped',
    });
    expect(job.steps['resolve']?.outputs).toMatchObject({ run: 'false', mode: '', number: '' });
    expect(job.steps['resolve']?.outputs['reason']).toContain(reason);
    expect(job.summary).toContain(reason);
    expect(job.outputs).toMatchObject({ conclusion: '', gate: 'empty', findings: '0' });
    expect(github.journal.writes()).toHaveLength(requests);
  });

  test('an action that the policy does not want', async () => {
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': 'version: 1\nreview: { on: [opened] }\n' } });
    const pull = openChange(github, 'unwanted', { 'app.py': FAULTY });
    const job = await runJob(github, pullRequestEvent(github, pull.number, 'reopened'));
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': null } });
    expect(job.summary).toContain('does not list reopened');
    expect(job.steps['analyze']?.outcome).toBe('skipped');
  });
});

test('a merge queue gets success with a link to the review, and nothing is examined', async () => {
  const pull = openChange(github, 'queued', { 'README.md': '# Shop, better\n' });
  const event = mergeGroupEvent(github, pull.number);
  const job = await runJob(github, event);
  expect(outcomes(job)).toMatchObject({ analyze: 'skipped', publish: 'success' });
  const check = checkOf(github, event.sha);
  expect(check).toMatchObject({ name: 'CypherFix', conclusion: 'success' });
  expect(check.summary).toContain(`/pull/${pull.number}`);
  expect(job.summary).toContain(`/pull/${pull.number}`);
  expect(job.outputs['gate']).toBe('empty');
});

test.each([
  ['a push to the default branch', () => pushEvent(github, 'main', github.repo.sha('main~1'))],
  ['the schedule', () => scheduleEvent(github)],
])('%s examines the whole tree: summary, check and SARIF, no review', async (_, make) => {
  github.repo.commit({ branch: 'main', files: { 'README.md': `# Shop ${Math.random()}\n` } });
  const reviews = github.state.reviews.length;
  const event = make();
  const job = await runJob(github, event);
  expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', 'review-url': '' });
  expect(github.state.reviews).toHaveLength(reviews);
  expect(job.summary).toContain('old.py');
  expect(checkOf(github, github.repo.sha('main') ?? '').conclusion).toBe('failure');
  const sarif = JSON.parse(String(job.files['report.sarif']));
  const isSarif = compileSarifSchema();
  expect(isSarif(sarif), JSON.stringify(isSarif.errors)).toBe(true);
  expect(sarif.runs[0].results.map((r: { ruleId: string }) => r.ruleId)).toEqual(
    expect.arrayContaining([expect.stringContaining('S602')]),
  );
  expect(JSON.parse(String(job.files['report.json'])).subject).toMatchObject({ all: true });
});
