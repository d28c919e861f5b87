import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { finishRun } from '../../src/graph/run-end.ts';
import { RUN_LIMITS } from '../../src/graph/run-limits.ts';
import { authorizeRun, claimRun, heartbeatRun } from '../../src/graph/run-record.ts';
import { makeProject, openGraph, type TestProject } from './project.ts';

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph.close());

const BY_HAND = { trigger: 'local', automatic: false, modelVersion: 'v3.2.0' };
const BY_SCHEDULE = { trigger: 'schedule', automatic: true, modelVersion: 'v3.2.0' };
const DONE = { status: 'completed', fault: null, summary: { findings: 3 } };

const start = async ({ tenant }: TestProject, how = BY_HAND, limits = RUN_LIMITS): Promise<string> => {
  const started = await authorizeRun(graph, tenant, how, limits);
  if (started.status === 'refused') throw new Error(started.reason);
  return started.runId;
};

const readRun = async (project: TestProject, runId: string) => {
  const [row] = await project.run(
    `MATCH (:TriageProject {user_id: $userId, project_id: $projectId})-[:HAS_TRIAGE_RUN]->(r:TriageRun {id: $runId})
     RETURN r, valueType(r.started_at) AS startedType, r.heartbeat_at >= r.started_at AS inOrder`,
    { runId },
  );
  return row as { r: Record<string, unknown>; startedType: string; inOrder: boolean };
};

describe('authorizing', () => {
  test('a run is recorded under its project, with the server’s time', async () => {
    const project = makeProject(graph);
    const { r, startedType, inOrder } = await readRun(project, await start(project));
    expect(r).toMatchObject({
      user_id: project.tenant.userId,
      project_id: project.tenant.projectId,
      status: 'running',
      phase: 'authorizing',
      progress: 2,
      trigger: 'local',
      automatic: false,
      model_version: 'v3.2.0',
    });
    expect(startedType).toMatch(/^ZONED DATETIME/);
    expect(inOrder).toBe(true);
  });

  test('a second start is refused and names the run that is at work', async () => {
    const project = makeProject(graph);
    const runId = await start(project);
    const second = await authorizeRun(graph, project.tenant, BY_HAND);
    expect(second).toMatchObject({ status: 'refused', why: 'live', runId });
    expect(second).toHaveProperty('reason', expect.stringContaining(runId));
    expect((await project.run('MATCH (r:TriageRun {project_id: $projectId}) RETURN r')).length).toBe(1);
  });

  test('of many starts at once one is granted', async () => {
    const project = makeProject(graph);
    const starts = await Promise.all(
      Array.from({ length: 8 }, () =>
        authorizeRun(graph, project.tenant, BY_HAND, { ...RUN_LIMITS, authorizeMs: 60_000 }),
      ),
    );
    expect(starts.filter(({ status }) => status === 'granted').length).toBe(1);
    const projects = await project.run('MATCH (p:TriageProject {project_id: $projectId}) RETURN p');
    expect(projects.length).toBe(1);
  });

  test('another project and another user are not in the way', async () => {
    const project = makeProject(graph);
    await start(project);
    await start(makeProject(graph));
    await start(makeProject(graph, { ...project.tenant, userId: 'other' }));
  });

  test('a run that fell silent is marked and blocks no more; its process is told so', async () => {
    const project = makeProject(graph);
    const silent = await start(project);
    await project.run(`MATCH (r:TriageRun {id: $silent}) SET r.heartbeat_at = datetime() - duration('PT11M')`, {
      silent,
    });
    const next = await authorizeRun(graph, project.tenant, BY_HAND);
    expect(next).toMatchObject({ status: 'granted', lost: [silent] });
    expect((await readRun(project, silent)).r).toMatchObject({ status: 'failed', error_class: 'agent_lost' });
    expect(await heartbeatRun(graph, project.tenant, silent, { phase: 'scoring', progress: 20 })).toBe('abort');
    expect(await claimRun(graph, project.tenant, silent)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('agent_lost'),
    });
  });

  test('the time to live is a parameter', async () => {
    const project = makeProject(graph);
    await start(project);
    await project.run(
      `MATCH (r:TriageRun {project_id: $projectId}) SET r.heartbeat_at = datetime() - duration('PT5S')`,
    );
    expect(await authorizeRun(graph, project.tenant, BY_HAND)).toMatchObject({ status: 'refused' });
    const impatient = { ...RUN_LIMITS, ttlMs: 4000 };
    expect(await authorizeRun(graph, project.tenant, BY_HAND, impatient)).toMatchObject({ status: 'granted' });
  });
});

describe('automatic starts', () => {
  test('wait for the end of the last automatic run and the cooldown; a person does not', async () => {
    const project = makeProject(graph);
    await finishRun(graph, project.tenant, await start(project, BY_SCHEDULE), DONE);
    expect(await authorizeRun(graph, project.tenant, BY_SCHEDULE)).toMatchObject({
      status: 'refused',
      why: 'cooldown',
      reason: 'the last automatic run ended less than 30 minutes ago; the next may start in 30 minutes',
    });
    await finishRun(graph, project.tenant, await start(project, BY_HAND), DONE);
    await project.run(
      `MATCH (r:TriageRun {project_id: $projectId, automatic: true}) SET r.finished_at = datetime() - duration('PT31M')`,
    );
    // The run by hand ended just now, which does not count.
    await start(project, BY_SCHEDULE);
  });

  test('are limited in number a day', async () => {
    const project = makeProject(graph);
    const limits = { ...RUN_LIMITS, cooldownMs: 0, dailyCap: 2 };
    for (let run = 0; run < 2; run++) {
      await finishRun(graph, project.tenant, await start(project, BY_SCHEDULE, limits), DONE);
    }
    expect(await authorizeRun(graph, project.tenant, BY_SCHEDULE, limits)).toMatchObject({
      status: 'refused',
      why: 'daily_cap',
      reason: '2 automatic runs started within 24 hours, the most allowed; the next may start in 24 hours',
    });
    await project.run(
      `MATCH (r:TriageRun {project_id: $projectId}) WITH r LIMIT 1
       SET r.started_at = datetime() - duration('P1DT1M'), r.finished_at = r.started_at`,
    );
    await start(project, BY_SCHEDULE, limits);
  });
});

describe('a run on its way', () => {
  test('tells phase and progress, within bounds', async () => {
    const project = makeProject(graph);
    const runId = await start(project);
    const beat = await heartbeatRun(graph, project.tenant, runId, { phase: 'p'.repeat(60), progress: 130.2 });
    expect(beat).toBe('go-on');
    expect((await readRun(project, runId)).r).toMatchObject({ phase: 'p'.repeat(40), progress: 100 });
  });

  test('of another tenant cannot be touched', async () => {
    const project = makeProject(graph);
    const stranger = { userId: project.tenant.userId, projectId: 'stranger' };
    const runId = await start(project);
    expect(await heartbeatRun(graph, stranger, runId, { phase: 'x', progress: 1 })).toBe('abort');
    expect(await claimRun(graph, stranger, runId)).toMatchObject({ status: 'refused' });
    await expect(finishRun(graph, stranger, runId, DONE)).rejects.toThrow('not in the graph');
    expect((await readRun(project, runId)).r).toMatchObject({ status: 'running' });
  });

  test('claims once, which may be repeated', async () => {
    const project = makeProject(graph);
    const runId = await start(project);
    expect(await claimRun(graph, project.tenant, runId)).toEqual({ status: 'claimed' });
    expect(await claimRun(graph, project.tenant, runId)).toEqual({ status: 'claimed' });
    expect((await readRun(project, runId)).r).toMatchObject({ status: 'publishing' });
  });

  test('that nobody heard of for too long may not publish, even when nobody marked it', async () => {
    const project = makeProject(graph);
    const runId = await start(project);
    await project.run(`MATCH (r:TriageRun {id: $runId}) SET r.heartbeat_at = datetime() - duration('PT11M')`, {
      runId,
    });
    expect(await claimRun(graph, project.tenant, runId)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('silent'),
    });
  });
});

describe('the end', () => {
  test('is recorded with the numbers, and lets the next run start', async () => {
    const project = makeProject(graph);
    const runId = await start(project);
    const end = { ...DONE, summary: { findings: 3, odd: Number.NaN } };
    expect(await finishRun(graph, project.tenant, runId, end)).toEqual({ status: 'completed', late: false });
    const { r } = await readRun(project, runId);
    expect(r).toMatchObject({ status: 'completed', progress: 100, summary: '{"findings":3}' });
    expect(r).toHaveProperty('finished_at');
    await start(project);
  });

  test('an unknown status is a failure', async () => {
    const project = makeProject(graph);
    const runId = await start(project);
    const end = { status: 'fine', fault: 'internal_error', summary: {} };
    expect(await finishRun(graph, project.tenant, runId, end)).toEqual({ status: 'failed', late: false });
    expect((await readRun(project, runId)).r).toMatchObject({ status: 'failed', error_class: 'internal_error' });
  });

  test('after another ended the run changes no status', async () => {
    const project = makeProject(graph);
    const runId = await start(project);
    await project.run(`MATCH (r:TriageRun {id: $runId}) SET r.status = 'failed', r.error_class = 'agent_lost'`, {
      runId,
    });
    expect(await finishRun(graph, project.tenant, runId, DONE)).toEqual({ status: 'failed', late: true });
    expect((await readRun(project, runId)).r).toMatchObject({
      status: 'failed',
      error_class: 'agent_lost',
      summary: '{"findings":3,"late":1}',
    });
  });

  test('lets old records go, but for the newest, the young and the last that completed', async () => {
    const project = makeProject(graph);
    const runId = await start(project);
    await project.run(
      `MATCH (p:TriageProject {user_id: $userId, project_id: $projectId})
       UNWIND range(1, 60) AS n
       CREATE (p)-[:HAS_TRIAGE_RUN]->(:TriageRun {user_id: $userId, project_id: $projectId,
         id: $projectId + '-' + n, status: CASE n WHEN 58 THEN 'completed' ELSE 'failed' END,
         started_at: datetime() - duration({days: n}), finished_at: datetime() - duration({days: n})})`,
    );
    await finishRun(graph, project.tenant, runId, { ...DONE, status: 'stopped' });
    const rows = await project.run('MATCH (r:TriageRun {project_id: $projectId}) RETURN r.id AS id');
    const ids = new Set(rows.map(row => row['id']));
    expect(ids.size).toBe(51);
    expect(ids).toContain(runId);
    expect(ids).toContain(`${project.tenant.projectId}-49`);
    expect(ids).not.toContain(`${project.tenant.projectId}-50`);
    expect(ids).toContain(`${project.tenant.projectId}-58`);
  });
});
