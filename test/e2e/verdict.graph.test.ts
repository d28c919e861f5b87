import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { makeProject, openGraph, type TestProject } from '../graph/project.ts';
import { issueCommentEvent, pullRequestEvent, reviewCommentEvent, type WorkflowEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import type { PullRequest } from '../sim/state.ts';
import { outcomes, runJob } from './run-job.ts';
import { commentsOn, FAULTY, openChange, reactionsTo, startShop } from './shop.ts';

let github: GitHub;
let graph: Graph;
let project: TestProject;
let pull: PullRequest;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
  project = makeProject(graph);
  const { projectId, userId } = project.tenant;
  github = await startShop({
    files: { '.cypherfix.yml': `version: 1\ntriage: { project: ${projectId}, user: ${userId} }\n` },
  });
  github.setRole('writer', 'write');
  github.setRole('reader', 'read');
  pull = openChange(github, 'judged', { 'app.py': FAULTY });
});
afterAll(async () => {
  await github?.close();
  await graph?.close();
});

const FINGERPRINT = `12ab34cd${'0'.repeat(56)}`;
const access = () => {
  const { uri, user, password } = inject('neo4j');
  return { 'neo4j-uri': uri, 'neo4j-user': user, 'neo4j-password': password };
};
const judge = (event: WorkflowEvent, inputs: Record<string, string> = access()) => runJob(github, event, { inputs });
const answers = (number: number) =>
  github.state.issueComments.filter(c => c.number === number && c.author.type === 'Bot').map(c => c.body);

const addFinding = (fingerprint: string, scope: string) =>
  project.run(
    `CREATE (:CodeFinding {user_id: $userId, project_id: $projectId, repository: $repository, fingerprint: $fingerprint,
       scope: $scope, id: $scope + '/' + $fingerprint})`,
    { repository: github.fullName, fingerprint, scope },
  );

test('a verdict on a finding reaches the graph without a sandbox, and is answered with the tiers', async () => {
  await addFinding(FINGERPRINT, 'default');
  const comment = github.comment(pull.number, '/cypherfix verdict 12AB34CD false-positive a @constant', 'writer');
  const job = await judge(issueCommentEvent(github, comment));
  expect(outcomes(job)).toMatchObject({
    prepare: 'skipped',
    analyze: 'success',
    upload: 'skipped',
    publish: 'success',
  });
  expect(reactionsTo(github, 'issue-comment', comment.id)).toEqual(['eyes', 'rocket']);
  expect(answers(pull.number).at(-1)).toContain('Recorded: finding `12ab34cd` is a false positive.');
  expect(job.summary).toContain('is a false positive');
  expect(await project.readFinding(`default/${FINGERPRINT}`)).toMatchObject({
    triage_status: 'likely_noise',
    triage_verdict_by: 'writer',
    triage_reason: 'a @constant',
  });
  expect(job.log).not.toContain(inject('neo4j').password);
});

test('in the thread of a finding the id may be left out', async () => {
  await runJob(github, pullRequestEvent(github, pull.number, 'opened'));
  const [first] = commentsOn(github, pull);
  if (first === undefined) throw new Error('there is no thread');
  const fingerprint = /finding ([0-9a-f]{64})/.exec(first.body)?.[1] ?? '';
  await addFinding(fingerprint, `pr/${pull.number}`);
  const reply = github.reply(first, '/cypherfix verdict real', 'writer');
  await judge(reviewCommentEvent(github, reply));
  expect(await project.readFinding(`pr/${pull.number}/${fingerprint}`)).toMatchObject({ triage_status: 'confirmed' });
  expect(reactionsTo(github, 'review-comment', reply.id)).toEqual(['eyes', 'rocket']);
});

test.each([
  ['somebody who may only read', 'reader', '12ab34cd real', undefined, 'write permission'],
  ['an unknown id', 'writer', '99999999 real', undefined, 'the graph holds no finding with this id'],
  ['an id that fits two', 'writer', '12ab34cd real', 'twin', 'more than one finding'],
  ['no id and no thread', 'writer', 'real', undefined, 'needs the id'],
  ['no graph', 'writer', '12ab34cd real', 'no graph', 'no neo4j-uri'],
  ['a graph that is not there', 'writer', '12ab34cd real', 'dead', 'the graph cannot be reached'],
])('%s: the answer says why nothing was recorded', async (_, login, words, state, reason) => {
  if (state === 'twin') await addFinding(`12ab34cd${'1'.repeat(56)}`, 'default');
  const inputs = state === 'no graph' ? {} : state === 'dead' ? { 'neo4j-uri': 'bolt://127.0.0.1:1' } : access();
  const comment = github.comment(pull.number, `/cypherfix verdict ${words}`, login);
  await judge(issueCommentEvent(github, comment), inputs);
  expect(answers(pull.number).at(-1)).toContain(reason);
  expect(answers(pull.number).at(-1)).not.toContain('127.0.0.1');
  expect(reactionsTo(github, 'issue-comment', comment.id).at(-1)).not.toBe('rocket');
});

test('without a project in the policy it is refused at once', async () => {
  const other = await startShop();
  try {
    other.setRole('writer', 'write');
    const change = openChange(other, 'judged', { 'app.py': FAULTY });
    const comment = other.comment(change.number, '/cypherfix verdict 12ab34cd real', 'writer');
    const job = await runJob(other, issueCommentEvent(other, comment), { inputs: access() });
    expect(outcomes(job)).toMatchObject({ analyze: 'skipped' });
    expect(other.state.issueComments.at(-1)?.body).toContain('triage.project');
  } finally {
    await other.close();
  }
});
