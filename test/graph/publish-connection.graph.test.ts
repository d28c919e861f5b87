import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { expectOf, expectWhole, readPublished } from './consistency.ts';
import { letTimePass, makeProject, openGraph, seedFindings } from './project.ts';
import { withSteps } from './steps.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { runWhole, SIZE } from './whole-run.ts';

let direct: Graph;
let proxy: TcpProxy;
let graph: Graph;
beforeAll(async () => {
  direct = await openGraph();
  await initialiseGraph(direct);
  const server = inject('neo4j');
  proxy = await startTcpProxy(Number(new URL(server.uri).port));
  graph = await openGraph({ ...server, uri: proxy.uri });
});
afterAll(async () => {
  await graph.close();
  await proxy.stop();
  await direct.close();
});

async function startProject() {
  const project = makeProject(direct);
  await seedFindings(project, SIZE);
  return { project, previous: (await runWhole(direct, project.tenant)).runId };
}

/** Runs once for every step until a run has fewer of them. */
async function atEveryStep(run: (step: number, onStep: (step: number) => void) => Promise<void>): Promise<number> {
  for (let step = 1; ; step++) {
    let last = 0;
    await run(step, now => {
      last = now;
    });
    if (last < step) return step - 1;
  }
}

test('a connection that is lost once, at any step: the run goes on and completes', { timeout: 300_000 }, async () => {
  const { project } = await startProject();
  const steps = await atEveryStep(async (step, onStep) => {
    const flaky = withSteps(graph, now => {
      onStep(now);
      if (now === step) proxy.drop();
    });
    const result = await runWhole(flaky, project.tenant);
    expect(result).toMatchObject({ status: 'completed', counts: { updated: SIZE, failed: 0, skippedChanged: 0 } });
    expectOf(await readPublished(project), result.runId);
  });
  expect(steps).toBeGreaterThan(20);
});

test('a commit whose answer is lost: it is done once, and told as done', { timeout: 300_000 }, async () => {
  const { project } = await startProject();
  const steps = await atEveryStep(async (step, onStep) => {
    const flaky = withSteps(graph, now => {
      onStep(now);
      if (now === step) proxy.loseAnswers(300);
    });
    const result = await runWhole(flaky, project.tenant);
    expect(result).toMatchObject({ status: 'completed', counts: { updated: SIZE, failed: 0 } });
    expectOf(await readPublished(project), result.runId);
    const runs = await project.run(
      'MATCH (r:TriageRun {project_id: $projectId}) WHERE NOT r.status = $done OR r.finished_late_at IS NOT NULL RETURN r',
      { done: 'completed' },
    );
    expect(runs).toEqual([]);
  });
  expect(steps).toBeGreaterThan(20);
});

test('a connection that stays away, at any step: nothing half-written, and a second run completes', {
  timeout: 600_000,
}, async () => {
  const started = await startProject();
  const { project } = started;
  let { previous } = started;
  // The waits between attempts are another test's.
  const hasty: Graph = { ...graph, write: (work, options) => graph.write(work, { ...options, attempts: 2 }) };
  let refused = 0;
  await atEveryStep(async (step, onStep) => {
    const flaky = withSteps(hasty, now => {
      onStep(now);
      if (now === step) proxy.close();
    });
    const outcome = await runWhole(flaky, project.tenant).catch((error: unknown) => ({ error }));
    proxy.open();
    const published = await readPublished(project);
    expectWhole(published);
    const [claimed] = await project.run(
      'MATCH (r:TriageRun {project_id: $projectId}) RETURN r.claimed_at IS NOT NULL AND r.id <> $previous AS claimed ORDER BY r.started_at DESC LIMIT 1',
      { previous },
    );
    if (claimed?.['claimed'] !== true) {
      refused += 1;
      expectOf(published, previous);
      expect(outcome).toHaveProperty('error');
    }
    await letTimePass(project);
    const second = await runWhole(direct, project.tenant);
    expect(second).toMatchObject({ status: 'completed', counts: { updated: SIZE } });
    expectOf(await readPublished(project), second.runId);
    previous = second.runId;
  });
  expect(refused).toBeGreaterThan(6);
});
