import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect, refusal, type Scene, startWithPull } from './start-with-pull.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startWithPull({}, { labels: ['cypherfix:review'] });
});
afterEach(() => scene.github.close());

it('writes, lists, edits and deletes comments', async () => {
  const { octokit, place, pull, github } = scene;
  const on = { ...place, issue_number: pull.number };
  github.comment(pull.number, '/cypherfix review', 'mona');
  const { data } = await octokit.rest.issues.createComment({ ...on, body: 'done' });
  expect(data.user?.login).toBe('github-actions[bot]');
  await octokit.rest.issues.updateComment({ ...place, comment_id: data.id, body: 'done, edited' });
  const bodies = async () =>
    (await octokit.paginate(octokit.rest.issues.listComments, { ...on, per_page: 1 })).map(c => c.body);
  expect(await bodies()).toEqual(['/cypherfix review', 'done, edited']);
  await octokit.rest.issues.deleteComment({ ...place, comment_id: data.id });
  expect(await bodies()).toEqual(['/cypherfix review']);
});

it('refuses a comment that is too long, and any on a locked issue', async () => {
  const { octokit, place, pull } = scene;
  const send = (body: string) => octokit.rest.issues.createComment({ ...place, issue_number: pull.number, body });
  expect(await refusal(send('x'.repeat(65_537)))).toMatchObject({
    status: 422,
    errors: [{ resource: 'IssueComment', code: 'unprocessable', field: 'data' }],
  });
  pull.locked = true;
  expect((await refusal(send('x'))).status).toBe(403);
});

it('removes a label with a colon once, and answers 404 after that', async () => {
  const { octokit, place, pull, github } = scene;
  const label = { ...place, issue_number: pull.number, name: 'CypherFix:Review' };
  expect((await octokit.rest.issues.removeLabel(label)).data).toEqual([]);
  expect(await refusal(octokit.rest.issues.removeLabel(label))).toMatchObject({
    status: 404,
    message: 'Label does not exist',
  });
  const added = await octokit.rest.issues.addLabels({ ...place, issue_number: pull.number, labels: ['bug'] });
  expect(added.data.map(one => one.name)).toEqual(['bug']);
  expect(github.journal.of('issues/remove-label')[0]?.path).toContain('CypherFix%3AReview');
});

it('takes a reaction once from one user', async () => {
  const { octokit, place, pull, github } = scene;
  const comment = github.comment(pull.number, '/cypherfix review');
  const react = () =>
    octokit.rest.reactions.createForIssueComment({ ...place, comment_id: comment.id, content: 'eyes' });
  expect([(await react()).status, (await react()).status]).toEqual([201, 200]);
  const inline = github.commentOnLine(pull.number, { path: 'b.js', line: 1 }, 'why?', 'mona');
  await octokit.rest.reactions.createForPullRequestReviewComment({ ...place, comment_id: inline.id, content: '-1' });
  expect(github.state.reactions.map(one => [one.subject, one.content])).toEqual([
    [`issue-comment/${comment.id}`, 'eyes'],
    [`review-comment/${inline.id}`, '-1'],
  ]);
});

it('lets pull-requests: write comment on a pull request but not on an issue', async () => {
  const { place, pull, github } = scene;
  const issue = github.openIssue();
  const token = github.addToken({ permissions: { 'pull-requests': 'write' } });
  const limited = connect(github, token.value);
  const send = (issue_number: number) => limited.rest.issues.createComment({ ...place, issue_number, body: 'x' });
  expect((await send(pull.number)).status).toBe(201);
  const answer = await refusal(send(issue.number));
  expect(answer).toMatchObject({ status: 403, message: 'Resource not accessible by integration' });
  expect(answer.headers['x-accepted-github-permissions']).toBe('issues=write');
});

it.each([
  ['admin', 'admin'],
  ['maintain', 'write'],
  ['write', 'write'],
  ['triage', 'read'],
  ['read', 'read'],
  ['none', 'none'],
] as const)('reports the role %s as permission %s', async (role, permission) => {
  const { octokit, place, github } = scene;
  github.setRole('mona', role);
  const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ ...place, username: 'mona' });
  expect(data).toMatchObject({
    permission,
    role_name: role,
    user: { permissions: { push: permission === 'write' || role === 'admin' } },
  });
});

it('gives a stranger read on a public repository, none on a private one, and 404 for nobody', async () => {
  const { octokit, place, github } = scene;
  const ask = (username: string) => octokit.rest.repos.getCollaboratorPermissionLevel({ ...place, username });
  expect((await ask('octocat')).data.permission).toBe('read');
  github.settings.private = true;
  expect((await ask('octocat')).data.permission).toBe('none');
  expect((await refusal(ask('ghost-of-nobody'))).status).toBe(404);
});
