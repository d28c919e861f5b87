import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, LINES, refusal, type Scene, startWithPull, toText } from './start-with-pull.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startWithPull();
});
afterEach(() => scene.github.close());

const OFF_DIFF =
  "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank";

describe('create a review', () => {
  it('takes comments inside hunks, on one line, on several and on a deleted one', async () => {
    const { octokit, at, pull, github } = scene;
    const { data } = await octokit.rest.pulls.createReview({
      ...at,
      commit_id: pull.headSha,
      event: 'COMMENT',
      body: 'see below',
      comments: [
        { path: 'a.js', line: 10, side: 'RIGHT', body: 'one' },
        { path: 'a.js', start_line: 48, start_side: 'RIGHT', line: 50, side: 'RIGHT', body: 'several' },
        { path: 'gone.js', line: 1, side: 'LEFT', body: 'deleted' },
      ],
    });
    expect(data).toMatchObject({ state: 'COMMENTED', commit_id: pull.headSha, user: { login: 'github-actions[bot]' } });
    const comments = await octokit.paginate(octokit.rest.pulls.listReviewComments, { ...at, per_page: 2 });
    expect(comments.map(comment => [comment.path, comment.start_line, comment.line, comment.side])).toEqual([
      ['a.js', null, 10, 'RIGHT'],
      ['a.js', 48, 50, 'RIGHT'],
      ['gone.js', null, 1, 'LEFT'],
    ]);
    expect(comments[0]?.diff_hunk).toMatch(/^@@ -7,7 \+7,7 @@[\s\S]*\+eval\(x\)$/);
    expect(github.state.threads).toHaveLength(3);
  });

  it.each([
    ['a line between two hunks', { path: 'a.js', line: 30 }, OFF_DIFF],
    ['a deleted line on the right side', { path: 'gone.js', line: 1 }, OFF_DIFF],
    ['no line at all', { path: 'a.js' }, OFF_DIFF],
    [
      'a range over two hunks',
      { path: 'a.js', start_line: 10, line: 50 },
      'Pull request review thread start line must be part of the same hunk as the line.',
    ],
    [
      'a range that starts where it ends',
      { path: 'a.js', start_line: 10, line: 10 },
      'Pull request review thread start line must precede the end line.',
    ],
    [
      'a file that is not changed',
      { path: 'zz.js', line: 1 },
      "Pull request review thread path is invalid and Pull request review thread diff hunk can't be blank",
    ],
    [
      'the old name of a renamed file',
      { path: 'old.js', line: 1 },
      "Pull request review thread path is invalid and Pull request review thread diff hunk can't be blank",
    ],
  ])('refuses the whole review for %s', async (_, place, message) => {
    const { octokit, at, github } = scene;
    const comments = [
      { path: 'b.js', line: 2, body: 'good' },
      { ...place, body: 'bad' },
    ];
    const answer = await refusal(octokit.rest.pulls.createReview({ ...at, event: 'COMMENT', body: 'b', comments }));
    expect(answer).toMatchObject({ status: 422, message: 'Unprocessable Entity', errors: [message] });
    expect(github.state.reviews).toEqual([]);
    expect(github.state.reviewComments).toEqual([]);
  });

  it('posts a part of a very large review and answers 502', async () => {
    const { octokit, at, github } = scene;
    const comments = Array.from({ length: 71 }, () => ({ path: 'b.js', line: 2, body: 'again' }));
    const answer = await refusal(octokit.rest.pulls.createReview({ ...at, event: 'COMMENT', body: 'b', comments }));
    expect(answer.status).toBe(502);
    expect(github.state.reviews).toHaveLength(1);
    expect(github.state.reviewComments).toHaveLength(60);
  });

  it('counts the limit of a body in characters, not in UTF-16 units', async () => {
    const { octokit, at } = scene;
    const send = (body: string) => octokit.rest.pulls.createReview({ ...at, event: 'COMMENT', body });
    expect((await send('\u{1F512}'.repeat(65_536))).status).toBe(200);
    expect((await refusal(send('a'.repeat(65_537)))).errors).toEqual([
      'Body is too long (maximum is 65536 characters)',
    ]);
  });

  it('refuses what the description does not know, in the words of its schema check', async () => {
    const { octokit, at } = scene;
    const send = (body: object) =>
      octokit.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', { ...at, ...body });
    expect((await refusal(send({ event: 'SHOUT' }))).message).toMatch(/^Invalid request/);
    const withSubject = { event: 'COMMENT', comments: [{ path: 'b.js', body: 'x', subject_type: 'file' }] };
    expect((await refusal(send(withSubject))).message).toContain('"subject_type" is not a permitted key.');
  });

  it('refuses to approve, one’s own pull request, a foreign commit and an unknown one', async () => {
    const { octokit, at, github, pull } = scene;
    const own = connect(github, github.addToken({ kind: 'user', login: pull.author.login }).value);
    const approve = { ...at, event: 'APPROVE' as const };
    expect(await refusal(octokit.rest.pulls.createReview(approve))).toMatchObject({ status: 403 });
    expect((await refusal(own.rest.pulls.createReview(approve))).errors).toEqual([
      'Can not approve your own pull request',
    ]);
    const other = github.repo.commit({ branch: 'other', files: { 'z.js': 'z\n' }, parent: null });
    const on = (commit_id: string) =>
      octokit.rest.pulls.createReview({ ...at, event: 'COMMENT', body: 'x', commit_id });
    expect((await refusal(on(other))).status).toBe(422);
    expect((await refusal(on('a'.repeat(40)))).message).toBe(`No commit found for SHA: ${'a'.repeat(40)}`);
  });

  it('keeps a pending review to its author, and one of them', async () => {
    const { octokit, at, github } = scene;
    await octokit.rest.pulls.createReview({ ...at, body: 'draft' });
    const other = connect(github, github.addToken({ kind: 'user', login: 'mona' }).value);
    expect((await octokit.rest.pulls.listReviews(at)).data).toHaveLength(1);
    expect((await other.rest.pulls.listReviews(at)).data).toEqual([]);
    expect((await refusal(octokit.rest.pulls.createReview({ ...at, body: 'again' }))).errors).toEqual([
      'User can only have one pending review per pull request',
    ]);
  });
});

describe('single comments', () => {
  it('take a file as a whole, a reply, an edit and a deletion', async () => {
    const { octokit, at, pull, place, github } = scene;
    const file = { ...at, commit_id: pull.headSha, path: 'b.js', subject_type: 'file' as const, body: 'whole' };
    const { data: root } = await octokit.rest.pulls.createReviewComment(file);
    const { data: reply } = await octokit.rest.pulls.createReplyForReviewComment({
      ...at,
      comment_id: root.id,
      body: 're',
    });
    expect(reply.in_reply_to_id).toBe(root.id);
    const toReply = { ...at, comment_id: reply.id, body: 'deeper' };
    expect((await refusal(octokit.rest.pulls.createReplyForReviewComment(toReply))).status).toBe(404);
    await octokit.rest.pulls.updateReviewComment({ ...place, comment_id: root.id, body: 'edited' });
    expect(github.commentsWith('edited')).toHaveLength(1);
    await octokit.rest.pulls.deleteReviewComment({ ...place, comment_id: reply.id });
    await octokit.rest.pulls.deleteReviewComment({ ...place, comment_id: root.id });
    expect(github.state.threads).toEqual([]);
  });

  it('name the field of a bad place', async () => {
    const { octokit, at, pull } = scene;
    const bad = { ...at, commit_id: pull.headSha, path: 'a.js', line: 30, side: 'RIGHT' as const, body: 'x' };
    expect(await refusal(octokit.rest.pulls.createReviewComment(bad))).toMatchObject({
      status: 422,
      message: 'Validation Failed',
      errors: [{ resource: 'PullRequestReviewComment', code: 'custom', field: 'pull_request_review_thread.line' }],
    });
  });
});

describe('when the head moves', () => {
  const review = async () => {
    const { octokit, at, pull } = scene;
    const comments = [
      { path: 'a.js', line: 10, body: 'first' },
      { path: 'a.js', line: 50, body: 'second' },
    ];
    await octokit.rest.pulls.createReview({ ...at, commit_id: pull.headSha, event: 'COMMENT', body: 'b', comments });
  };
  const places = async () => {
    const { data } = await scene.octokit.rest.pulls.listReviewComments(scene.at);
    return data.map(comment => [comment.body, comment.line, comment.original_line]);
  };

  it('carries a comment along when lines are put in above, and makes one outdated when its line changes', async () => {
    await review();
    const changed = ['new first', ...LINES.with(9, 'eval(x)').with(49, 'safe()')];
    scene.github.repo.commit({ branch: 'feature', files: { 'a.js': toText(changed) } });
    expect(await places()).toEqual([
      ['first', 11, 10],
      ['second', null, 50],
    ]);
  });

  it('re-points the commit of a review after a force push, and only then', async () => {
    const { github, pull } = scene;
    await review();
    const [made] = github.state.reviews;
    const before = pull.headSha;
    github.repo.commit({ branch: 'feature', files: { 'c.js': 'c\n' } });
    expect(made?.commitId).toBe(before);
    const main = github.repo.sha('main') ?? '';
    const rewritten = github.repo.commit({
      branch: 'feature',
      parent: main,
      files: { 'a.js': toText(LINES.with(9, 'eval(x)')) },
    });
    expect(made?.commitId).toBe(rewritten);
    expect(pull.headSha).toBe(rewritten);
    expect(await places()).toEqual([
      ['first', 10, 10],
      ['second', null, 50],
    ]);
  });
});
