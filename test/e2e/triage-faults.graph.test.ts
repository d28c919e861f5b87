import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { openGraph, seedFindings, type TestProject } from '../graph/project.ts';
import { startTcpProxy, type TcpProxy } from '../graph/tcp-proxy.ts';
import type { GitHub } from '../sim/github.ts';
import { startAnthropic } from '../sim-model/anthropic.ts';
import type { Simulator } from '../sim-model/site.ts';
import { until } from './local-review.ts';
import { reportOf, startRanked, triage } from './ranked.ts';
import { checkOf } from './shop.ts';

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph?.close());

let github: GitHub;
let project: TestProject;
let api: Simulator;
/** A triage that waits in the review of the evidence. */
beforeEach(async () => {
  ({ github, project } = await startRanked(graph));
  await seedFindings(project, 3);
  api = await startAnthropic({ roles: { evidence: 'You review the evidence', remediation: 'You word a list' } });
  api.faults.add({ kind: 'stall', at: 'headers', times: Number.POSITIVE_INFINITY });
});
afterEach(async () => {
  await api.close();
  await github.close();
});
const models = () => ({ 'anthropic-api-key': 'sk-ant-test', 'model-base-url': api.url });
const isReviewing = () => api.journal.prompts('evidence').length > 0;
const runs = () =>
  project.run('MATCH (r:TriageRun {project_id: $projectId}) RETURN r.status AS status, r.error_class AS fault');
const ranked = async () =>
  (await project.run('MATCH (f {project_id: $projectId}) WHERE f.triage_tier IS NOT NULL RETURN f.id')).length;

describe('a job that is cancelled', () => {
  test('before the ranking is claimed: stopped with 130, nothing was written, the run has ended', async () => {
    const cancel = new AbortController();
    const waiting = until(isReviewing).then(() => cancel.abort());
    const job = await triage(github, { inputs: models(), cancel: cancel.signal });
    await waiting;
    expect(job.steps['analyze']).toMatchObject({ outcome: 'cancelled', result: { status: 130, signal: null } });
    expect(await runs()).toEqual([{ status: 'stopped', fault: 'stopped' }]);
    expect(await ranked()).toBe(0);
    expect(checkOf(github, github.repo.sha('main') ?? '')).toMatchObject({ conclusion: 'cancelled' });
  });

  test('afterwards: the ranking is written to its end', async () => {
    // Somebody holds a finding, so that the run waits in its publication.
    let release = () => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    const lock = graph.write(
      async tx => {
        await tx.run('CYPHER 5 MATCH (n {project_id: $projectId, id: "v00000"}) SET n.held = true', {
          projectId: project.tenant.projectId,
        });
        await held;
      },
      { attempts: 1 },
    );
    const cancel = new AbortController();
    const isPublishing = async () => (await runs()).some(({ status }) => status === 'publishing');
    const waiting = until(isPublishing).then(() => {
      cancel.abort();
      setTimeout(release, 500);
    });
    const job = await triage(github, { cancel: cancel.signal });
    await Promise.all([waiting, lock]);
    expect(job.steps['analyze']?.result, job.log).toMatchObject({ signal: null });
    expect(await runs()).toEqual([{ status: expect.stringMatching(/^completed/), fault: null }]);
    expect(await ranked()).toBeGreaterThan(3);
  });
});

describe('the server is lost in the middle', () => {
  let proxy: TcpProxy;
  beforeEach(async () => {
    proxy = await startTcpProxy(Number(new URL(inject('neo4j').uri).port));
  });
  afterEach(() => proxy.stop());

  test('exit 69; what the scanners found is published all the same, and the summary says what is missing', async () => {
    const waiting = until(isReviewing).then(async () => {
      proxy.close();
      await api.close();
    });
    const job = await triage(github, { inputs: { ...models(), 'neo4j-uri': proxy.uri } });
    await waiting;
    expect(job.steps['analyze']?.result?.status, job.log).toBe(69);
    expect(job.conclusion).toBe('failure');
    const report = reportOf(job);
    expect(report.triage).toBeUndefined();
    expect(report.findings.length).toBeGreaterThan(0);
    expect(job.summary).toContain('The triage failed:');
    expect(job.summary).toContain('old.py');
    expect(await ranked()).toBe(0);
  });
});
