import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { downloadArtifact, listArtifacts } from '../../src/github/artifacts.ts';
import { fetchBranchTip } from '../../src/github/branches.ts';
import { createCheckRun, fetchCheckRun, findCheckRun, updateCheckRun } from '../../src/github/check-run.ts';
import { uploadSarif } from '../../src/github/code-scanning.ts';
import {
  createIssueComment,
  createReaction,
  listIssueComments,
  updateIssueComment,
} from '../../src/github/comments.ts';
import { fetchIssue, removeLabel } from '../../src/github/issues.ts';
import { fetchPermission, mayWrite } from '../../src/github/permission.ts';
import { fetchPullRequest, isFork, listPullRequestsOfHead } from '../../src/github/pull-request.ts';
import { fetchRepository } from '../../src/github/repository.ts';
import { fetchWorkflowRun } from '../../src/github/workflow-run.ts';
import { startWorld, type World } from './on-simulator.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.sim.close());

const output = { title: 'Reviewing', summary: 'Under way.' };

describe('reads', () => {
  test('the pull request', async () => {
    const { gh, repository, pull } = world;
    const read = await fetchPullRequest(gh, repository, 7);
    expect(read).toMatchObject({
      number: 7,
      state: 'open',
      headSha: pull.headSha,
      headRef: 'feature',
      author: 'alice',
    });
    expect(read).toMatchObject({ headRepo: 'octo/repo', baseRef: 'main', draft: false, merged: false });
    expect(isFork(read, repository)).toBe(false);
    const head = { owner: 'octo', branch: 'feature', sha: pull.headSha };
    expect(await listPullRequestsOfHead(gh, repository, head)).toEqual([7]);
    expect(await listPullRequestsOfHead(gh, repository, { ...head, sha: 'a'.repeat(40) })).toEqual([]);
  });

  test('the repository, a branch and an issue', async () => {
    const { gh, repository, sim } = world;
    sim.openIssue({ number: 12, title: 'Broken', body: 'It is.', labels: ['bug'], author: 'bob' });
    expect(await fetchRepository(gh, repository)).toMatchObject({ defaultBranch: 'main', private: false });
    expect(await fetchBranchTip(gh, repository, 'main')).toBe(sim.repo.sha('main'));
    expect(await fetchIssue(gh, repository, 12)).toMatchObject({
      title: 'Broken',
      isPullRequest: false,
      labels: ['bug'],
    });
    expect(await fetchIssue(gh, repository, 7)).toMatchObject({ isPullRequest: true });
    await expect(fetchIssue(gh, repository, 99)).rejects.toMatchObject({ kind: 'not-found' });
  });

  test.each([
    ['admin', 'admin', true],
    ['maintain', 'write', true],
    ['write', 'write', true],
    ['triage', 'read', false],
    ['read', 'read', false],
  ] as const)('a person with the role %s', async (role, permission, allowed) => {
    world.sim.setRole('bob', role);
    const read = await fetchPermission(world.gh, world.repository, 'bob');
    expect(read).toBe(permission);
    expect(mayWrite(read)).toBe(allowed);
  });

  test('a permission that GitHub does not tell is none', async () => {
    const respond = { kind: 'respond', body: { message: 'Resource not accessible by integration' } } as const;
    for (const status of [403, 404]) {
      world.sim.faults.add({ match: 'repos/get-collaborator-permission-level', ...respond, status });
      await expect(fetchPermission(world.gh, world.repository, 'alice')).rejects.toMatchObject({ code: 'permission' });
    }
  });
});

describe('check runs', () => {
  test('are found by head and run', async () => {
    const { gh, repository, pull } = world;
    const check = await createCheckRun(gh, repository, { headSha: pull.headSha, externalId: '1-1', output });
    expect(check).toMatchObject({ status: 'in_progress', externalId: '1-1' });
    expect((await findCheckRun(gh, repository, pull.headSha, '1-1'))?.id).toBe(check.id);
    expect(await findCheckRun(gh, repository, pull.headSha, '1-2')).toBeNull();
    const done = await updateCheckRun(gh, repository, { id: check.id, output, conclusion: 'neutral' });
    expect(done).toMatchObject({ status: 'completed', conclusion: 'neutral' });
  });

  test.each(['commit-then-502', 'commit-then-drop'] as const)('are made once in spite of %s', async kind => {
    const { gh, repository, pull, sim } = world;
    sim.faults.add({ match: 'checks/create', kind });
    await createCheckRun(gh, repository, { headSha: pull.headSha, externalId: '1-1', output });
    expect(sim.state.checkRuns).toHaveLength(1);
  });

  test.each(['commit-then-502', 'commit-then-drop'] as const)('take annotations once in spite of %s', async kind => {
    const { gh, repository, pull, sim } = world;
    const check = await createCheckRun(gh, repository, { headSha: pull.headSha, externalId: '1-1', output });
    const place = { path: 'src/a.js', startLine: 2, endLine: 2 } as const;
    const annotations = [{ ...place, level: 'warning', title: 't', message: 'm' } as const];
    sim.faults.add({ match: 'checks/update', kind });
    await updateCheckRun(gh, repository, { id: check.id, output: { ...output, annotations }, annotationsBefore: 0 });
    expect((await fetchCheckRun(gh, repository, check.id)).annotationCount).toBe(1);
  });

  test('are sent again when the lost write had no effect', async () => {
    const { gh, repository, pull, sim } = world;
    sim.faults.add({ match: 'checks/create', kind: 'drop' });
    await createCheckRun(gh, repository, { headSha: pull.headSha, externalId: '1-1', output });
    expect(sim.state.checkRuns).toHaveLength(1);
    expect(sim.journal.of('checks/create')).toHaveLength(2);
  });
});

describe('comments', () => {
  test('all pages are read', async () => {
    for (let i = 1; i <= 101; i++) world.sim.comment(7, `comment ${i}`);
    const comments = await listIssueComments(world.gh, world.repository, 7);
    expect(comments).toHaveLength(101);
    expect(comments.at(-1)?.body).toBe('comment 101');
  });

  test('one is written once in spite of a lost answer, and changed', async () => {
    const { gh, repository, sim } = world;
    sim.faults.add({ match: 'issues/create-comment', kind: 'commit-then-502' });
    const comment = await createIssueComment(gh, repository, 7, 'refused <!-- m -->', '<!-- m -->');
    expect(sim.state.issueComments).toHaveLength(1);
    await updateIssueComment(gh, repository, comment.id, 'changed');
    expect(sim.state.issueComments[0]?.body).toBe('changed');
  });

  test('reactions go to either kind of comment, once', async () => {
    const { gh, repository, sim } = world;
    const said = sim.comment(7, '/cypherfix review', 'alice');
    const inline = sim.commentOnLine(7, { path: 'src/a.js', line: 2 }, '/cypherfix review', 'alice');
    await createReaction(gh, repository, { kind: 'issue', id: said.id }, 'eyes');
    await createReaction(gh, repository, { kind: 'issue', id: said.id }, 'eyes');
    await createReaction(gh, repository, { kind: 'review', id: inline.id }, '-1');
    expect(sim.state.reactions.map(r => [r.subject, r.content])).toEqual([
      [`issue-comment/${said.id}`, 'eyes'],
      [`review-comment/${inline.id}`, '-1'],
    ]);
  });

  test('a label goes, and one that is gone is fine', async () => {
    const { gh, repository, pull, sim } = world;
    pull.labels.push('cypherfix:review', 'bug');
    await removeLabel(gh, repository, 7, 'cypherfix:review');
    await removeLabel(gh, repository, 7, 'cypherfix:review');
    expect(sim.findPullRequest(7).labels).toEqual(['bug']);
    sim.workflowToken.permissions = { metadata: 'read' };
    await expect(removeLabel(gh, repository, 7, 'bug')).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

describe('artefacts', () => {
  test('are read from the store without the token', async () => {
    const { gh, repository, pull, sim } = world;
    const run = sim.addWorkflowRun(pull);
    sim.addArtifact(run, 'cypherfix-x', { 'report.json': '{"a":1}', 'evil.sh': 'boom' });
    expect(await fetchWorkflowRun(gh, repository, run.id)).toMatchObject({
      event: 'pull_request',
      headSha: pull.headSha,
    });
    const [artifact] = await listArtifacts(gh, repository, run.id);
    if (artifact === undefined) throw new Error('no artefact');
    const members = await downloadArtifact(gh, repository, artifact, ['report.json']);
    expect([...members.keys()]).toEqual(['report.json']);
    expect(sim.journal.of('artifact/zip')[0]?.headers['authorization']).toBeUndefined();
  });

  test('above the cap are not read to the end', async () => {
    const { gh, repository, pull, sim } = world;
    const run = sim.addWorkflowRun(pull);
    sim.addArtifact(run, 'big', { 'report.json': randomBytes(300_000) });
    const [artifact] = await listArtifacts(gh, repository, run.id);
    if (artifact === undefined) throw new Error('no artefact');
    const limits = { maxZipBytes: 100_000, maxMemberBytes: 1_000_000 };
    await expect(downloadArtifact(gh, repository, artifact, ['report.json'], limits)).rejects.toMatchObject({
      kind: 'validation',
    });
  });
});

describe('code scanning', () => {
  const sarif = JSON.stringify({
    version: '2.1.0',
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    runs: [{ tool: { driver: { name: 'CypherFix' } }, results: [] }],
  });

  test('takes a file and says when it is done', async () => {
    const { gh, repository, pull } = world;
    const upload = { commitSha: pull.headSha, ref: 'refs/pull/7/head', sarif, sleep: async () => {} };
    expect(await uploadSarif(gh, repository, upload)).toBe('complete');
  });

  test('is refused without the permission', async () => {
    const { gh, repository, pull, sim } = world;
    sim.workflowToken.permissions = { contents: 'read', metadata: 'read' };
    const upload = { commitSha: pull.headSha, ref: 'refs/pull/7/head', sarif, sleep: async () => {} };
    await expect(uploadSarif(gh, repository, upload)).rejects.toMatchObject({ kind: 'forbidden' });
  });
});
