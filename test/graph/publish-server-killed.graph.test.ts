import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { readGraphFailure } from '../../src/graph/graph-failure.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { expectOf, expectWhole, readPublished } from './consistency.ts';
import { letTimePass, makeProject, openGraph, seedFindings, type TestProject } from './project.ts';
import { type Neo4jServer, startNeo4j } from './server/start-neo4j.ts';
import { withSteps } from './steps.ts';
import { type RunResult, runWhole, SIZE } from './whole-run.ts';

/** A server of this file alone, since it is killed. */
let server: Neo4jServer;
let graph: Graph;
beforeAll(async () => {
  server = await startNeo4j();
  graph = await openGraph(server);
  await initialiseGraph(graph);
});
afterAll(async () => {
  await graph.close();
  await server.stop();
  await rm(server.home, { recursive: true, force: true });
});

/** A run that has come to the step at which the server dies. */
interface Halted {
  readonly project: TestProject;
  readonly previous: string;
  /** Whether it stands before a commit. */
  readonly isCommit: boolean;
  readonly ending: Promise<RunResult | Error>;
  /** Lets the run go on. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

async function startProject(): Promise<{ project: TestProject; previous: string }> {
  const project = makeProject(graph);
  await seedFindings(project, SIZE);
  return { project, previous: (await runWhole(graph, project.tenant)).runId };
}

/** Starts a run, which stops before its step of that number. */
async function haltAt(step: number): Promise<Halted> {
  const { project, previous } = await startProject();
  // Each holds a transaction open, so each has connections of its own.
  const own = await openGraph(server);
  let release = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  return new Promise(resolve => {
    const stepped = withSteps(own, async (now, query) => {
      if (now !== step) return;
      resolve({ project, previous, isCommit: query === null, ending, release, close: () => own.close() });
      await released;
    });
    const ending = runWhole(stepped, project.tenant).catch((error: unknown) => error as Error);
  });
}

async function countSteps(): Promise<number> {
  const { project } = await startProject();
  let steps = 0;
  const counting = withSteps(graph, step => {
    steps = step;
  });
  await runWhole(counting, project.tenant);
  return steps;
}

test('a server killed before any statement and at any commit of a run', { timeout: 600_000 }, async () => {
  const steps = await countSteps();
  const halted: Halted[] = [];
  for (let step = 1; step <= steps; step++) halted.push(await haltAt(step));

  // A commit races with the death of the server; a statement comes after it.
  const killing = server.kill();
  for (const run of halted) if (run.isCommit) run.release();
  await killing;
  for (const run of halted) run.release();
  const endings = await Promise.all(halted.map(run => run.ending));
  await Promise.all(halted.map(run => run.close()));
  server = await startNeo4j({ home: server.home, port: server.port });

  const seen = { intact: 0, partial: 0, whole: 0 };
  for (const [index, { project, previous }] of halted.entries()) {
    const published = await readPublished(project);
    expectWhole(published);
    const runs = published.batches.flat();
    const [run] = await project.run(
      'MATCH (r:TriageRun {project_id: $projectId}) WHERE r.id <> $previous RETURN r.claimed_at IS NOT NULL AS claimed',
      { previous },
    );
    if (run?.['claimed'] !== true) expectOf(published, previous);
    const kind = runs.every(id => id === previous) ? 'intact' : runs.includes(previous) ? 'partial' : 'whole';
    seen[kind] += 1;
    const ending = endings[index];
    if (ending instanceof Error) expect(readGraphFailure(ending)).toBe('unreachable');
    else expect(ending?.status).toMatch(/^(completed|completed_partial)$/);

    await letTimePass(project);
    const second = await runWhole(graph, project.tenant);
    expect(second).toMatchObject({ status: 'completed', counts: { updated: SIZE, failed: 0 } });
    expectOf(await readPublished(project), second.runId);
  }
  expect(halted.length).toBeGreaterThan(20);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(2);
});
