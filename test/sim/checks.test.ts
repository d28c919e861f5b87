import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect, refusal, type Scene, startWithPull } from './start-with-pull.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startWithPull();
});
afterEach(() => scene.github.close());

const annotate = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: 'a.js',
    start_line: index + 1,
    end_line: index + 1,
    annotation_level: 'warning' as const,
    message: `finding ${index}`,
  }));

it('adds annotations in batches of 50 and keeps the details address to itself', async () => {
  const { octokit, place, pull, github } = scene;
  const { data } = await octokit.rest.checks.create({
    ...place,
    name: 'CypherFix',
    head_sha: pull.headSha,
    status: 'in_progress',
    details_url: 'https://example.test/details',
  });
  expect(data).toMatchObject({ status: 'in_progress', conclusion: null, app: { id: 15_368 } });
  expect(data.details_url).toBe(`${github.url}/acme/shop/runs/${data.id}`);
  for (const title of ['first', 'second']) {
    const output = { title, summary: title, annotations: annotate(50) };
    await octokit.rest.checks.update({ ...place, check_run_id: data.id, output });
  }
  const done = await octokit.rest.checks.update({ ...place, check_run_id: data.id, conclusion: 'neutral' });
  expect(done.data).toMatchObject({
    status: 'completed',
    conclusion: 'neutral',
    output: { annotations_count: 100, summary: 'second' },
  });
  const listed = await octokit.paginate(octokit.rest.checks.listAnnotations, { ...place, check_run_id: data.id });
  expect(listed).toHaveLength(100);
  const runs = await octokit.rest.checks.listForRef({ ...place, ref: 'feature', check_name: 'CypherFix' });
  expect(runs.data).toMatchObject({ total_count: 1, check_runs: [{ id: data.id }] });
});

it.each([
  ['51 annotations', { output: { title: 't', summary: 's', annotations: annotate(51) } }],
  ['a summary of 65,536 characters', { output: { title: 't', summary: 'x'.repeat(65_536) } }],
  ['completion without a conclusion', { status: 'completed' }],
  [
    'a level that does not exist',
    { output: { title: 't', summary: 's', annotations: [{ ...annotate(1)[0], annotation_level: 'error' }] } },
  ],
  [
    'columns on several lines',
    { output: { title: 't', summary: 's', annotations: [{ ...annotate(1)[0], end_line: 2, start_column: 1 }] } },
  ],
  ['an output without a summary', { output: { title: 't' } }],
  ['an unknown commit', { head_sha: 'a'.repeat(40) }],
] as [string, Record<string, unknown>][])('refuses %s', async (_, more) => {
  const { octokit, place, pull, github } = scene;
  const data = JSON.stringify({ name: 'CypherFix', head_sha: pull.headSha, ...more });
  const url = `/repos/${place.owner}/${place.repo}/check-runs`;
  expect((await refusal(octokit.request({ method: 'POST', url, data }))).status).toBe(422);
  expect(github.state.checkRuns).toEqual([]);
});

it('lets Apps alone write, each its own', async () => {
  const { octokit, place, pull, github } = scene;
  const person = connect(github, github.addToken({ kind: 'user' }).value);
  const other = connect(github, github.addToken({ appId: 7, login: 'other[bot]' }).value);
  const create = { ...place, name: 'CypherFix', head_sha: pull.headSha };
  expect(await refusal(person.rest.checks.create(create))).toMatchObject({
    status: 403,
    message: 'You must authenticate via a GitHub App.',
  });
  const { data } = await octokit.rest.checks.create(create);
  const details_url = 'https://example.test/details';
  expect((await other.rest.checks.create({ ...create, details_url })).data.details_url).toBe(details_url);
  const update = { ...place, check_run_id: data.id, conclusion: 'success' as const };
  expect((await refusal(other.rest.checks.update(update))).message).toContain('Invalid app_id');
});

it('lists the latest run of a name unless all are asked for', async () => {
  const { octokit, place, pull } = scene;
  for (let index = 0; index < 2; index++) {
    await octokit.rest.checks.create({ ...place, name: 'CypherFix', head_sha: pull.headSha });
  }
  const count = async (filter: 'latest' | 'all') =>
    (await octokit.rest.checks.listForRef({ ...place, ref: pull.headSha, filter })).data.total_count;
  expect(await count('latest')).toBe(1);
  expect(await count('all')).toBe(2);
});
