import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { toCodeFindingId } from '../../src/graph/code-findings.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { finishRun } from '../../src/graph/run-end.ts';
import { authorizeRun } from '../../src/graph/run-record.ts';
import { openGraph, seedFindings, type TestProject } from '../graph/project.ts';
import { pushEvent, scheduleEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import { graphInputs, reportOf, startRanked, toPolicy, triage } from './ranked.ts';
import { outcomes, runJob } from './run-job.ts';
import { checkOf, FAULTY, openChange, startShop } from './shop.ts';

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph?.close());

const nodes = (project: TestProject) =>
  project.run(
    `MATCH (f:CodeFinding {project_id: $projectId}) RETURN f.path AS path, f.scope AS scope, f.triage_tier AS tier,
       f.stale_since IS NOT NULL AS stale ORDER BY path, scope, f.fingerprint`,
  );

describe('mode triage on a private repository', () => {
  let github: GitHub;
  let project: TestProject;
  beforeAll(async () => {
    ({ github, project } = await startRanked(graph));
    await seedFindings(project, 3);
    const scope = { repository: github.fullName, scope: 'pr/1' } as const;
    await project.run(
      `CREATE (:CodeFinding {user_id: $userId, project_id: $projectId, repository: $repository, scope: 'pr/1', id: $id,
         fingerprint: 'f', path: 'pull.py'})`,
      { repository: github.fullName, id: toCodeFindingId(scope, 'f') },
    );
    const pull = openChange(github, 'closed', { 'app.py': FAULTY });
    expect(pull.number).toBe(1);
    github.closePullRequest(pull.number);
  });
  afterAll(() => github?.close());

  test('ranks the project with the findings of the tree, writes the graph and the summary', async () => {
    const job = await triage(github);
    expect(outcomes(job)).toMatchObject({ analyze: 'success', publish: 'success' });
    const report = reportOf(job);
    expect(report).toMatchObject({ request: { kind: 'triage' }, triage: { status: 'completed', complete: true } });
    expect(report.triage?.counts.changes).toBe(report.triage?.counts.findings);
    expect(report.triage?.groups.flatMap(({ members }) => members.map(({ path }) => path))).toContain('old.py');
    const written = await nodes(project);
    expect(written.length).toBe(report.findings.length);
    expect(written).toEqual(
      written.map(() => ({ path: 'old.py', scope: 'default', stale: false, tier: expect.any(String) })),
    );
    expect(job.summary).toContain('## ✅ CypherFix: Triage:');
    expect(job.summary).toContain('| T1 Act now |');
    expect(job.summary).toContain('What to fix, best first');
    expect(job.summary).toContain('Since the last run');
    expect(job.summary).toContain('No evidence was reviewed');
    expect(job.summary).toContain('How it was examined');
    expect(checkOf(github, github.repo.sha('main') ?? '').conclusion).toBe('failure');
    expect(job.log + job.summary).not.toContain(inject('neo4j').password);
  });

  test('a second run changes nothing', async () => {
    const before = await nodes(project);
    const report = reportOf(await triage(github));
    expect(report.triage?.counts).toMatchObject({ changes: 0 });
    expect(await nodes(project)).toEqual(before);
  });

  test('what is mended becomes stale', async () => {
    github.repo.commit({ branch: 'main', files: { 'old.py': null } });
    const report = reportOf(await triage(github));
    expect(report.conclusion).toBe('success');
    const written = await nodes(project);
    expect(written.length).toBeGreaterThan(0);
    expect(written.every(({ stale }) => stale === true)).toBe(true);
  });

  test('while another run is at work it is refused, neutral, with the id', async () => {
    const live = await authorizeRun(graph, project.tenant, { trigger: 'local', automatic: false, modelVersion: 'v' });
    if (live.status === 'refused') throw new Error(live.reason);
    const job = await triage(github);
    await finishRun(graph, project.tenant, live.runId, { status: 'stopped', fault: 'stopped', summary: {} });
    expect(outcomes(job)).toMatchObject({ analyze: 'success', publish: 'success' });
    expect(job.outputs['conclusion']).toBe('neutral');
    expect(job.summary).toContain(`\`${live.runId}\` of this project is still at work`);
    expect(reportOf(job).triage).toBeUndefined();
  });

  test('of two runs of one project never two are at work at once', async () => {
    const other = await startShop({
      settings: { private: true },
      files: { '.cypherfix.yml': toPolicy(project), 'old.py': FAULTY },
    });
    other.setRole('writer', 'write');
    try {
      const jobs = await Promise.all([triage(github), triage(other)]);
      for (const job of jobs) {
        const { triage: made, gate } = reportOf(job);
        if (made === undefined) expect(gate.reasons.at(-1)).toContain('is still at work');
        else expect(made.status).toBe('completed');
      }
      expect(jobs.some(job => reportOf(job).triage !== undefined)).toBe(true);
      const runs = await project.run(
        `MATCH (a:TriageRun {project_id: $projectId}), (b:TriageRun {project_id: $projectId})
         WHERE a.id < b.id AND a.started_at < b.finished_at AND b.started_at < a.finished_at RETURN a.id, b.id`,
      );
      expect(runs).toEqual([]);
    } finally {
      await other.close();
    }
  });
});

describe('mode auto', () => {
  test('a push makes one; the next comes too soon, which is a notice and decides nothing', async () => {
    const { github, project } = await startRanked(graph);
    try {
      const job = await runJob(github, pushEvent(github, 'main'), { inputs: graphInputs() });
      expect(reportOf(job)).toMatchObject({
        request: { kind: 'review' },
        conclusion: 'failure',
        triage: { status: 'completed' },
      });
      expect(await nodes(project)).not.toEqual([]);
      github.repo.commit({ branch: 'main', files: { 'old.py': null } });
      const soon = reportOf(await runJob(github, scheduleEvent(github), { inputs: graphInputs() }));
      expect(soon).toMatchObject({ conclusion: 'success', gate: { reasons: [] } });
      expect(soon.notices).toContainEqual(expect.stringContaining('the last automatic run ended less than 30 minutes'));
      expect(soon.triage).toBeUndefined();
    } finally {
      await github.close();
    }
  });

  test('a graph that cannot be used is a notice', async () => {
    const { github } = await startRanked(graph);
    try {
      github.repo.commit({ branch: 'main', files: { 'old.py': null } });
      const inputs = { ...graphInputs(), 'neo4j-uri': 'bolt://127.0.0.1:1' };
      const job = await runJob(github, scheduleEvent(github), { inputs });
      expect(outcomes(job)).toMatchObject({ analyze: 'success' });
      expect(reportOf(job)).toMatchObject({ conclusion: 'success' });
      expect(job.summary).toContain('The triage failed');
    } finally {
      await github.close();
    }
  });
});

describe('mode triage without what it needs ends with 69, before anything is scanned', () => {
  let github: GitHub;
  beforeAll(async () => {
    ({ github } = await startRanked(graph));
  });
  afterAll(() => github?.close());

  test.each<[string, Record<string, string>, RegExp]>([
    ['no address', { 'neo4j-uri': '' }, /gives no neo4j-uri/],
    ['nobody there', { 'neo4j-uri': 'bolt://127.0.0.1:1' }, /cannot be reached/],
    ['a wrong password', { 'neo4j-password': 'wrong-password' }, /refused the user name or the password/],
    ['another scheme', { 'neo4j-uri': 'bolt+ssc://127.0.0.1:1' }, /ssc/],
  ])('%s', async (_, inputs, message) => {
    const job = await triage(github, { inputs });
    expect(job.steps['analyze']?.result?.status, job.log).toBe(69);
    expect(job.conclusion).toBe('failure');
    expect(job.summary).toMatch(message);
    expect(job.files['report.json']).toBeUndefined();
    expect(job.outputs).toMatchObject({ gate: 'error', conclusion: 'failure' });
  });

  test('no project in the policy', async () => {
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': null } });
    const job = await triage(github);
    expect(job.steps['analyze']?.result?.status, job.log).toBe(69);
    expect(job.summary).toContain('triage.project and triage.user');
  });
});
