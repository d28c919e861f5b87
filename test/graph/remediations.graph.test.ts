import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TriageRemediation } from '../../src/core/triage.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { listRemediations, saveRemediations } from '../../src/graph/remediations.ts';
import { makeProject, openGraph, type TestProject } from './project.ts';
import { toRemediation } from './remediation.ts';

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph.close());

async function save(project: TestProject, items: readonly TriageRemediation[], complete = true) {
  const runId = await project.startPublishing();
  const counts = await saveRemediations(graph, project.tenant, runId, items, { complete });
  await project.run(`MATCH (r:TriageRun {id: $runId}) SET r.status = 'completed'`, { runId });
  return counts;
}

const readKeys = async (project: TestProject) =>
  (await listRemediations(graph, project.tenant)).map(({ group_key }) => group_key);

test('a list is stored, rewritten by key, and shrinks', async () => {
  const project = makeProject(graph);
  expect(await save(project, [toRemediation('cve:a'), toRemediation('pkg:b', { priority: 2 })])).toEqual({
    written: 2,
    kept: 0,
    removed: 0,
  });
  expect(await save(project, [toRemediation('cve:a', { title: 'Another title', cvssScore: 99 })])).toEqual({
    written: 1,
    kept: 0,
    removed: 1,
  });
  const [stored, ...others] = await listRemediations(graph, project.tenant);
  expect(others).toEqual([]);
  expect(stored).toMatchObject({
    user_id: project.tenant.userId,
    project_id: project.tenant.projectId,
    group_key: 'cve:a',
    title: 'Another title',
    remediation_type: 'dependency_upgrade',
    cvss_score: 10,
    finding_ids: ['v1', 'v2'],
    live_member_count: 2,
    status: 'pending',
    still_detected: false,
  });
  expect(stored).not.toHaveProperty('_triage_lock');
});

test('an empty list removes what nobody works on', async () => {
  const project = makeProject(graph);
  await save(project, [toRemediation('a'), toRemediation('b'), toRemediation('c')]);
  await project.run(`MATCH (m:Remediation {project_id: $projectId, group_key: 'b'}) SET m.status = 'in_progress'`);
  await project.run(
    `MATCH (m:Remediation {project_id: $projectId, group_key: 'c'}) SET m.pr_url = 'https://x.example/1'`,
  );
  expect(await save(project, [])).toEqual({ written: 0, kept: 2, removed: 1 });
  const stored = await listRemediations(graph, project.tenant);
  expect(stored.map(({ group_key, live_member_count }) => [group_key, live_member_count])).toEqual([
    ['b', 0],
    ['c', 0],
  ]);
});

test('what somebody works on keeps its words; rank and members follow', async () => {
  const project = makeProject(graph);
  await save(project, [toRemediation('a', { title: 'Old words' })]);
  await project.run(`MATCH (m:Remediation {project_id: $projectId}) SET m.status = 'resolved', m.fix_branch = 'fix/a'`);
  const next = toRemediation('a', {
    title: 'New words',
    priority: 7,
    priorityScore: 60,
    findingIds: ['v9'],
    liveMemberCount: 1,
  });
  expect(await save(project, [next])).toEqual({ written: 0, kept: 1, removed: 0 });
  expect(await listRemediations(graph, project.tenant)).toEqual([
    expect.objectContaining({
      title: 'Old words',
      priority: 7,
      priority_score: 60,
      finding_ids: ['v9'],
      live_member_count: 1,
      still_detected: true,
      status: 'resolved',
    }),
  ]);
});

test('an incomplete list leaves alone what it does not name', async () => {
  const project = makeProject(graph);
  await save(project, [toRemediation('a'), toRemediation('b')]);
  expect(await save(project, [toRemediation('a')], false)).toEqual({ written: 1, kept: 0, removed: 0 });
  expect(await readKeys(project)).toEqual(['a', 'b']);
});

test('more than one statement can hold goes in one transaction', async () => {
  const project = makeProject(graph);
  const many = Array.from({ length: 1100 }, (_, index) => toRemediation(`finding:${index}`, { priority: index + 1 }));
  expect(await save(project, many)).toEqual({ written: 1100, kept: 0, removed: 0 });
  expect((await readKeys(project)).length).toBe(1100);
});

test('is refused to a run that does not publish, and touches no other tenant', async () => {
  const project = makeProject(graph);
  const other = makeProject(graph, { ...project.tenant, userId: 'other' });
  await save(other, [toRemediation('a')]);
  await save(project, []);
  expect(await readKeys(other)).toEqual(['a']);
  const saving = saveRemediations(graph, project.tenant, 'no such run', [toRemediation('x')], { complete: true });
  await expect(saving).rejects.toMatchObject({ name: 'RunLost' });
  expect(await readKeys(project)).toEqual([]);
});
