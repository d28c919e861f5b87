import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueCommentEvent, pullRequestEvent, reviewCommentEvent, workflowDispatchEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import type { PullRequest } from '../sim/state.ts';
import { type Job, runJob } from './run-job.ts';
import { CLEAN, checkOf, commentsOn, FAULTY, openChange, reactionsTo, reviewsOn, startShop } from './shop.ts';

let github: GitHub;
let pull: PullRequest;
beforeAll(async () => {
  github = await startShop();
  github.setRole('writer', 'write');
  github.setRole('reader', 'read');
  pull = openChange(github, 'asked', { 'app.py': FAULTY });
});
afterAll(() => github.close());

const answersTo = (number: number) =>
  github.state.issueComments.filter(c => c.number === number && c.author.type === 'Bot').map(c => c.body);
const ran = (job: Job) => job.steps['analyze']?.outcome === 'success';

describe('a comment with a command', () => {
  test('by somebody who may write: eyes at once, a review, a rocket at the end', async () => {
    const comment = github.comment(pull.number, '/CypherFix review\r\nplease', 'writer');
    const seen: string[][] = [];
    const job = await runJob(github, issueCommentEvent(github, comment), {
      before: id => {
        if (id === 'analyze') seen.push(reactionsTo(github, 'issue-comment', comment.id));
      },
    });
    expect(seen).toEqual([['eyes']]);
    expect(reactionsTo(github, 'issue-comment', comment.id)).toEqual(['eyes', 'rocket']);
    expect(reviewsOn(github, pull)).toHaveLength(1);
    expect(commentsOn(github, pull)).toHaveLength(2);
    expect(checkOf(github, pull.headSha).conclusion).toBe('failure');
    expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped' });
    const request = JSON.parse(String(job.files['request.json']));
    expect(request.request).toMatchObject({ trigger: 'issue_comment', actor: 'writer', commentId: comment.id });
  });

  test('as a reply in a thread of the review', async () => {
    const [first] = commentsOn(github, pull);
    if (first === undefined) throw new Error('there is no review to reply to');
    const reply = github.reply(first, '/cypherfix review', 'writer');
    const job = await runJob(github, reviewCommentEvent(github, reply));
    expect(ran(job)).toBe(true);
    expect(reactionsTo(github, 'review-comment', reply.id)).toEqual(['eyes', 'rocket']);
    expect(reviewsOn(github, pull)).toHaveLength(1);
  });

  test.each([
    ['an outsider', 'stranger', '/cypherfix review', 'this needs write permission'],
    ['somebody who may only read', 'reader', '/cypherfix review full', 'this needs write permission'],
    ['a word that is no command', 'writer', '/cypherfix dance', "there is no command 'dance'"],
    ['a command of a later version', 'writer', '/cypherfix fix all', "does not carry out 'fix'"],
  ])('%s is refused with thumbs down and one line of reason', async (_, login, body, reason) => {
    const writes = github.journal.writes().length;
    const before = answersTo(pull.number).length;
    const comment = github.comment(pull.number, body, login);
    const job = await runJob(github, issueCommentEvent(github, comment));
    expect(ran(job)).toBe(false);
    expect(reactionsTo(github, 'issue-comment', comment.id)).toEqual(['-1']);
    const answers = answersTo(pull.number).slice(before);
    expect(answers).toHaveLength(1);
    expect(answers[0]?.split('\n')[0]).toContain(reason);
    expect(job.summary).toContain(reason);
    expect(github.journal.writes().length - writes).toBe(2);
  });

  test('a permission that cannot be read is none', async () => {
    github.faults.add({
      match: 'repos/get-collaborator-permission-level',
      kind: 'respond',
      status: 404,
      body: { message: 'Not Found' },
    });
    const comment = github.comment(pull.number, '/cypherfix review', 'writer');
    const job = await runJob(github, issueCommentEvent(github, comment));
    expect(ran(job)).toBe(false);
    expect(reactionsTo(github, 'issue-comment', comment.id)).toEqual(['-1']);
  });

  test('help is answered with the list of commands', async () => {
    const comment = github.comment(pull.number, '/cypherfix', 'writer');
    const job = await runJob(github, issueCommentEvent(github, comment));
    expect(answersTo(pull.number).at(-1)).toContain('`/cypherfix review`');
    expect(reactionsTo(github, 'issue-comment', comment.id)).toEqual(['+1']);
    expect(job.summary).toContain('help was asked for');
  });

  test('under an issue a review is refused', async () => {
    const issue = github.openIssue();
    const comment = github.comment(issue.number, '/cypherfix review', 'writer');
    const job = await runJob(github, issueCommentEvent(github, comment));
    expect(answersTo(issue.number)[0]).toContain('needs a pull request');
    expect(job.outputs['gate']).toBe('empty');
  });
});

describe('a label', () => {
  test('cypherfix:review starts a review and is taken off again', async () => {
    pull.labels = ['CypherFix:Review', 'bug'];
    const event = pullRequestEvent(github, pull.number, 'labeled', { label: 'CypherFix:Review', sender: 'writer' });
    const job = await runJob(github, event);
    expect(ran(job)).toBe(true);
    expect(pull.labels).toEqual(['bug']);
    expect(reviewsOn(github, pull)).toHaveLength(1);
  });

  test('by somebody who may not write is taken off, and nothing is examined', async () => {
    pull.labels = ['cypherfix:review'];
    const event = pullRequestEvent(github, pull.number, 'labeled', { label: 'cypherfix:review', sender: 'reader' });
    const job = await runJob(github, event);
    expect(ran(job)).toBe(false);
    expect(pull.labels).toEqual([]);
    expect(job.summary).toContain('write permission');
  });
});

describe('a dispatch by hand', () => {
  test('with a number reviews that pull request', async () => {
    const other = openChange(github, 'by-hand', { 'app.py': CLEAN.replace('name', 'text') });
    const job = await runJob(github, workflowDispatchEvent(github, {}, 'writer'), {
      inputs: { 'pull-request': String(other.number) },
    });
    expect(job.outputs).toMatchObject({ conclusion: 'success', gate: 'pass' });
    expect(checkOf(github, other.headSha).conclusion).toBe('success');
  });

  test('of a pull request that does not exist is an error in every output, not a crash', async () => {
    const job = await runJob(github, workflowDispatchEvent(github, {}, 'writer'), {
      inputs: { 'pull-request': '4711' },
    });
    expect(job.conclusion).toBe('failure');
    expect(job.outputs).toMatchObject({ gate: 'error', conclusion: '' });
    expect(job.log).toMatch(/4711/);
  });

  test('by somebody without write permission does nothing', async () => {
    const job = await runJob(github, workflowDispatchEvent(github, {}, 'reader'), {
      inputs: { 'pull-request': String(pull.number) },
    });
    expect(ran(job)).toBe(false);
    expect(job.summary).toContain('write permission');
  });
});
