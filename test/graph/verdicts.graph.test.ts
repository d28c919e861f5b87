import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { publishRanking } from '../../src/graph/publish-ranking.ts';
import { type Verdict, writeVerdict } from '../../src/graph/verdicts.ts';
import { makeProject, openGraph, type TestProject } from './project.ts';
import { toRankingRow } from './ranking.ts';

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph.close());

const FINGERPRINT = 'f'.repeat(64);
const HASH = 'e'.repeat(40);

const addFinding = (project: TestProject, scope: string, changes: Record<string, unknown> = {}) =>
  project.run(
    `CREATE (n:CodeFinding {user_id: $userId, project_id: $projectId, repository: 'o/r', fingerprint: $fingerprint,
       scope: $scope, id: $scope + '/' + $fingerprint})
     SET n += $changes`,
    { fingerprint: FINGERPRINT, scope, changes },
  );

const rank = async (project: TestProject, scope: string, base = {}) => {
  const row = toRankingRow(
    `${scope}/${FINGERPRINT}`,
    { label: 'CodeFinding', seenUpdatedAt: null, evidenceHash: HASH },
    {
      source: 'gitleaks',
      cwe_ids: ['CWE-798'],
      severity: 'high',
      ...base,
    },
  );
  const runId = await project.startPublishing();
  await publishRanking(graph, project.tenant, { runId, modelVersion: 'v3.2.0' }, [row]);
  await project.run(`MATCH (r:TriageRun {id: $runId}) SET r.status = 'completed'`, { runId });
  return row.base;
};

const judge = (project: TestProject, verdict: Verdict, reason = '') =>
  writeVerdict(graph, project.tenant, { repository: 'o/r', fingerprint: FINGERPRINT, verdict, by: 'octocat', reason });

test('false positive: on every scope, ranked at once, with who and why', async () => {
  const project = makeProject(graph);
  await addFinding(project, 'default');
  await addFinding(project, 'pr/7');
  const base = await rank(project, 'default');
  expect(await judge(project, 'false-positive', 'a  test\nkey')).toEqual({
    status: 'recorded',
    scopes: [
      { scope: 'default', before: base.tier, tier: 'T4', score: 0, state: 'false_positive' },
      { scope: 'pr/7', before: null, tier: null, score: null, state: null },
    ],
  });
  for (const scope of ['default', 'pr/7']) {
    const found = await project.readFinding(`${scope}/${FINGERPRINT}`);
    expect(found).toMatchObject({
      triage_status: 'likely_noise',
      triage_source: 'human',
      triage_confidence: 1,
      triage_reason: 'a test key',
      triage_verdict_by: 'octocat',
      triage_verdict_at: expect.stringMatching(/^20/),
    });
    expect(found).not.toHaveProperty('_triage_lock');
    expect(found).not.toHaveProperty('updated_at');
  }
  expect(await project.readFinding(`default/${FINGERPRINT}`)).toMatchObject({
    triage_tier: 'T4',
    triage_priority_score: 0,
    triage_state: 'false_positive',
    triage_decided_by: 'person',
    // The model's own word stays beside it.
    triage_base_tier: base.tier,
  });
});

test('real raises the confidence; a reset takes every trace away and ranks by the rules again', async () => {
  const project = makeProject(graph);
  await addFinding(project, 'default');
  const base = await rank(project, 'default');
  const before = await project.readFinding(`default/${FINGERPRINT}`);
  const real = await judge(project, 'real');
  expect(real).toMatchObject({ status: 'recorded', scopes: [{ state: 'open' }] });
  const confirmed = await project.readFinding(`default/${FINGERPRINT}`);
  expect(JSON.parse(String(confirmed['triage_factors']))).toHaveProperty('C.value', 1);
  expect(confirmed).toMatchObject({ triage_status: 'confirmed', triage_decided_by: 'person' });
  expect(await judge(project, 'reset')).toMatchObject({
    scopes: [{ tier: base.tier, score: base.score, state: 'open' }],
  });
  const { triage_rescored_at: _, ...after } = await project.readFinding(`default/${FINGERPRINT}`);
  const { triage_rescored_at: __, ...ranked } = before;
  expect(after).toEqual({ ...ranked, triage_status: 'unreviewed' });
});

test('goes before a stored review; a reset brings the review back', async () => {
  const project = makeProject(graph);
  await addFinding(project, 'default', {
    triage_ai_verdict: 'false_positive',
    triage_ai_evidence_hash: HASH,
    triage_ai_channel: 'builtin',
  });
  await rank(project, 'default');
  expect(await judge(project, 'real')).toMatchObject({ scopes: [{ state: 'open' }] });
  expect(await judge(project, 'reset')).toMatchObject({ scopes: [{ state: 'false_positive' }] });
});

test('a proven finding stays proven when the verdict is taken back', async () => {
  const project = makeProject(graph);
  await addFinding(project, 'default');
  await rank(project, 'default');
  await project.run(
    `MATCH (n:CodeFinding {project_id: $projectId})
     CREATE (:ChainFinding {user_id: $userId, project_id: $projectId, finding_type: 'access_gained'})-[:CONFIRMS]->(n)`,
  );
  expect(await judge(project, 'reset')).toMatchObject({ scopes: [{ tier: 'T1' }] });
});

test('unknown, muted and other tenants’ findings are not there', async () => {
  const project = makeProject(graph);
  expect(await judge(project, 'real')).toEqual({ status: 'unknown' });
  await addFinding(project, 'default');
  expect(await judge(makeProject(graph, { ...project.tenant, userId: 'other' }), 'real')).toEqual({
    status: 'unknown',
  });
  await project.run('MATCH (n:CodeFinding {project_id: $projectId}) SET n:Muted');
  expect(await judge(project, 'real')).toEqual({ status: 'unknown' });
  expect(await project.readFinding(`default/${FINGERPRINT}`)).not.toHaveProperty('triage_status');
});

test('a held finding is busy, whether the lock or the transaction runs out of time, and nothing is written', async () => {
  const project = makeProject(graph);
  await addFinding(project, 'default');
  await rank(project, 'default');
  const request = { repository: 'o/r', fingerprint: FINGERPRINT, verdict: 'real', by: 'octocat', reason: '' } as const;
  await graph.write(
    async holder => {
      await holder.run('CYPHER 5 MATCH (n:CodeFinding {project_id: $projectId}) SET n.held = true', {
        ...project.tenant,
      });
      expect(await writeVerdict(graph, project.tenant, request, { timeoutMs: 1000 })).toEqual({ status: 'busy' });
      expect(await writeVerdict(graph, project.tenant, request, { timeoutMs: 60_000 })).toEqual({ status: 'busy' });
    },
    { timeoutMs: 120_000 },
  );
  expect(await project.readFinding(`default/${FINGERPRINT}`)).not.toHaveProperty('triage_status');
  expect(await writeVerdict(graph, project.tenant, request)).toMatchObject({ status: 'recorded' });
});
