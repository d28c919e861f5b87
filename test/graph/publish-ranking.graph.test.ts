import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { publishRanking } from '../../src/graph/publish-ranking.ts';
import type { OwnReview, RankingRow } from '../../src/graph/ranking-row.ts';
import { authorizeRun } from '../../src/graph/run-record.ts';
import { makeProject, openGraph, seedFindings, type TestProject } from './project.ts';
import { idOf, SEEN, toRankingRow, toRankingRows } from './ranking.ts';

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph.close());

const MODEL = { modelVersion: 'v3.2.0' };
const NOTHING = { updated: 0, skippedChanged: 0, missing: 0, reviewsWritten: 0, rejected: 0, failed: 0, reasons: [] };

async function publish(project: TestProject, rows: readonly RankingRow[]) {
  const runId = await project.startPublishing();
  const counts = await publishRanking(graph, project.tenant, { runId, ...MODEL }, rows);
  await project.run(`MATCH (r:TriageRun {id: $runId}) SET r.status = 'completed'`, { runId });
  return { ...counts, runId };
}

const REVIEW: OwnReview = {
  verdict: 'false_positive',
  impactMultiplier: 1,
  impactQuote: '',
  disputedFacts: [],
  evidenceQuote: 'Finding: RCE',
  why: 'a test page',
  fixLever: '',
  evidenceHash: 'e'.repeat(40),
  model: 'a-model',
  promptVersion: 'review-v2',
  at: '2026-01-02T00:00:00.000Z',
};

/** Properties of a stored external review of the same evidence. */
const EXTERNAL = {
  triage_ai_verdict: 'doubtful',
  triage_ai_channel: 'mcp',
  triage_ai_by: 'token',
  triage_ai_evidence_hash: 'e'.repeat(40),
  triage_ai_corrections: '{"verdict":"doubtful","impact_multiplier":1,"impact_quote":"","disputed_facts":[]}',
};

const setFinding = (project: TestProject, id: string, properties: Record<string, unknown>) =>
  project.run('MATCH (n {project_id: $projectId, id: $id}) SET n += $properties', { id, properties });

describe('what is written', () => {
  test('base and final layer, under the stored names', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 1);
    const row = toRankingRow(idOf(0), { proof: [{ chain_id: 'c1', finding_type: 'access_gained' }] });
    const { runId, ...counts } = await publish(project, [row]);
    expect(counts).toEqual({ ...NOTHING, updated: 1 });
    const { base } = row;
    expect(await project.readFinding(idOf(0))).toEqual({
      user_id: project.tenant.userId,
      project_id: project.tenant.projectId,
      id: idOf(0),
      source: 'nuclei',
      severity: 'critical',
      name: 'RCE',
      updated_at: SEEN,
      triage_math_score: base.score,
      triage_base_factors: JSON.stringify(base.factors),
      triage_base_tier: base.tier,
      triage_base_tier_rule: base.tierRule,
      triage_base_state: 'open',
      triage_tier_inputs: '{"proven":false,"kev":false}',
      triage_evidence_hash: 'e'.repeat(40),
      triage_signals: row.signals,
      triage_host: 'host.example',
      triage_group_key: `finding:${idOf(0)}`,
      triage_detector: 'nuclei',
      triage_run_id: runId,
      triage_model_version: 'v3.2.0',
      triage_intel_date: '2026-01-01',
      triage_proof: '[{"chain_id":"c1","finding_type":"access_gained"}]',
      triaged_at: expect.stringMatching(/^20\d\d-/),
      triage_priority_score: base.score,
      triage_tier: base.tier,
      triage_tier_rule: base.tierRule,
      triage_risk: base.risk,
      triage_factors: JSON.stringify(base.factors),
      triage_state: 'open',
      triage_decided_by: 'rules',
      triage_rescored_at: expect.stringMatching(/^20\d\d-/),
    });
  });

  test('texts are cut to their caps, and the JSON stays whole', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 1);
    const row = toRankingRow(idOf(0));
    const long = { value: 0.5, evidence: '"'.repeat(5000) };
    const base = { ...row.base, factors: { C: long, L: long, I: long, R: long }, tierRule: 'r'.repeat(300) };
    const proof = Array.from({ length: 300 }, (_, n) => ({ chain_id: `chain-${n}`, finding_type: 'access_gained' }));
    await publish(project, [
      {
        ...row,
        base,
        proof,
        signals: Array(40).fill('s'.repeat(200)),
        host: 'h'.repeat(400),
        groupKey: 'g'.repeat(300),
      },
    ]);
    const found = await project.readFinding(idOf(0));
    const lengthOf = (name: string) => String(found[name]).length;
    expect(lengthOf('triage_base_factors')).toBeLessThanOrEqual(8000);
    expect(JSON.parse(String(found['triage_base_factors']))).toHaveProperty('C.value', 0.5);
    expect(lengthOf('triage_proof')).toBeLessThanOrEqual(4000);
    expect(JSON.parse(String(found['triage_proof'])).length).toBeGreaterThan(50);
    expect(found['triage_signals']).toEqual(Array(30).fill('s'.repeat(120)));
    expect([lengthOf('triage_tier_rule'), lengthOf('triage_host'), lengthOf('triage_group_key')]).toEqual([
      200, 300, 200,
    ]);
  });

  test('all labels in batches of 500, with progress', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 1200);
    await project.run(`CREATE (:Secret {user_id: $userId, project_id: $projectId, id: 's1'})`);
    const rows = [...toRankingRows(1200), toRankingRow('s1', { label: 'Secret', seenUpdatedAt: null })];
    const runId = await project.startPublishing();
    const progress: number[] = [];
    const counts = await publishRanking(graph, project.tenant, { runId, ...MODEL }, rows.reverse(), done =>
      progress.push(done),
    );
    expect(counts).toEqual({ ...NOTHING, updated: 1201 });
    expect(progress).toEqual([500, 1000, 1201]);
    expect(await project.readFinding('s1')).toMatchObject({ triage_run_id: runId });
  });
});

test('a finding of a package goes by its own id where it has one', async () => {
  const project = makeProject(graph);
  await project.run(
    `UNWIND [{id: 'node 1', finding_id: 'm1'}, {id: 'm1', finding_id: 'm2'}, {id: 'm3', finding_id: null}] AS row
     CREATE (n:MalPackageFinding {user_id: $userId, project_id: $projectId}) SET n += row`,
  );
  const rows = ['m1', 'm3'].map(id => toRankingRow(id, { label: 'MalPackageFinding', seenUpdatedAt: null }));
  expect(await publish(project, rows)).toMatchObject({ updated: 2, missing: 0 });
  const ranked = await project.run(
    'MATCH (n {project_id: $projectId}) WHERE n.triage_tier IS NOT NULL RETURN n.id AS id',
  );
  expect(ranked.map(row => row['id']).sort()).toEqual(['m3', 'node 1']);
});

describe('what is left alone', () => {
  test('a finding changed since it was read; without a time there is no comparison', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 3);
    await project.run(`MATCH (n {project_id: $projectId}) WHERE n.id <> $id SET n.updated_at = datetime()`, {
      id: idOf(0),
    });
    const rows = [toRankingRow(idOf(0)), toRankingRow(idOf(1)), toRankingRow(idOf(2), { seenUpdatedAt: null })];
    expect(await publish(project, rows)).toMatchObject({ updated: 2, skippedChanged: 1, missing: 0 });
    expect(await project.readFinding(idOf(1))).not.toHaveProperty('triage_tier');
    expect(await project.readFinding(idOf(1))).not.toHaveProperty('_triage_lock');
  });

  test('muted, gone, and other people’s findings', async () => {
    const project = makeProject(graph);
    const other = makeProject(graph, { ...project.tenant, userId: 'other' });
    await seedFindings(project, 2);
    await project.run('MATCH (n:Vulnerability {project_id: $projectId, id: $id}) SET n:Muted', { id: idOf(1) });
    await other.run(`CREATE (:Vulnerability {user_id: $userId, project_id: $projectId, id: 'theirs'})`);
    const rows = [
      ...toRankingRows(2),
      toRankingRow('gone'),
      toRankingRow('theirs', { seenUpdatedAt: null }),
      toRankingRow('odd', { label: 'TriageRun {id: 1}) DETACH DELETE n //' }),
    ];
    expect(await publish(project, rows)).toMatchObject({ updated: 1, missing: 4, failed: 0 });
    expect(await project.readFinding(idOf(1))).not.toHaveProperty('triage_tier');
    expect(await project.readFinding('theirs')).not.toHaveProperty('triage_tier');
  });
});

describe('the layers meet', () => {
  test('a person’s decision of meanwhile wins over the run’s review, which is not written', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 2);
    await setFinding(project, idOf(0), { triage_status: 'likely_noise', triage_source: 'human' });
    await setFinding(project, idOf(1), { triage_status: 'confirmed', triage_source: 'human' });
    const review = { kind: 'review', review: REVIEW } as const;
    const counts = await publish(project, toRankingRows(2, { review }));
    expect(counts).toMatchObject({ updated: 2, reviewsWritten: 0, rejected: 2 });
    const noise = await project.readFinding(idOf(0));
    expect(noise).toMatchObject({
      triage_tier: 'T4',
      triage_priority_score: 0,
      triage_state: 'false_positive',
      triage_decided_by: 'person',
      triage_status: 'likely_noise',
    });
    expect(noise).not.toHaveProperty('triage_ai_verdict');
    const confirmed = await project.readFinding(idOf(1));
    expect(confirmed).toMatchObject({ triage_state: 'open', triage_decided_by: 'person' });
    expect(JSON.parse(String(confirmed['triage_factors']))).toHaveProperty('C.value', 1);
  });

  test('what an earlier model marked is no decision', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 1);
    await setFinding(project, idOf(0), { triage_status: 'likely_noise', triage_source: 'ai' });
    await publish(project, toRankingRows(1));
    expect(await project.readFinding(idOf(0))).toMatchObject({ triage_state: 'open', triage_decided_by: 'rules' });
  });

  test('the run’s own review is written and counts', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 1);
    const counts = await publish(project, toRankingRows(1, { review: { kind: 'review', review: REVIEW } }));
    expect(counts).toMatchObject({ updated: 1, reviewsWritten: 1, rejected: 0 });
    expect(await project.readFinding(idOf(0))).toMatchObject({
      triage_state: 'false_positive',
      triage_decided_by: 'review',
      triage_ai_verdict: 'false_positive',
      triage_ai_corrections: '{"verdict":"false_positive","impact_multiplier":1,"impact_quote":"","disputed_facts":[]}',
      triage_ai_quote: 'Finding: RCE',
      triage_ai_model: 'a-model',
      triage_ai_why: 'a test page',
      triage_ai_channel: 'builtin',
      triage_ai_evidence_hash: 'e'.repeat(40),
      triage_ai_prompt_version: 'review-v2',
      triage_ai_at: '2026-01-02T00:00:00Z',
    });
    // The next run made none of its own: the stored one holds on.
    await publish(project, toRankingRows(1));
    expect(await project.readFinding(idOf(0))).toMatchObject({
      triage_decided_by: 'review',
      triage_ai_verdict: 'false_positive',
    });
    // Other evidence, so it says nothing any more; it stays for the record.
    await publish(project, toRankingRows(1, { evidenceHash: 'f'.repeat(40), review: { kind: 'not_reviewed' } }));
    expect(await project.readFinding(idOf(0))).toMatchObject({
      triage_state: 'open',
      triage_ai_verdict: 'false_positive',
    });
  });

  test('an external review of the same evidence is honoured and never written over', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 2);
    await setFinding(project, idOf(0), EXTERNAL);
    await setFinding(project, idOf(1), { ...EXTERNAL, triage_ai_evidence_hash: 'of other evidence' });
    const counts = await publish(project, toRankingRows(2, { review: { kind: 'review', review: REVIEW } }));
    expect(counts).toMatchObject({ updated: 2, reviewsWritten: 1, rejected: 1 });
    const kept = await project.readFinding(idOf(0));
    expect(kept).toMatchObject({ ...EXTERNAL, triage_state: 'open' });
    expect(JSON.parse(String(kept['triage_factors']))).toHaveProperty('C.value', 0.25);
    const replaced = await project.readFinding(idOf(1));
    expect(replaced).toMatchObject({ triage_ai_channel: 'builtin', triage_state: 'false_positive' });
    expect(replaced).not.toHaveProperty('triage_ai_by');
  });

  test('a finding beyond the budget is marked once', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 1);
    await publish(project, toRankingRows(1, { review: { kind: 'not_reviewed' } }));
    expect(await project.readFinding(idOf(0))).toMatchObject({
      triage_ai_verdict: 'not_reviewed',
      triage_state: 'open',
    });
  });
});

describe('proof of meanwhile', () => {
  const PROVEN = { triage_tier: 'T1', triage_tier_rule: 'proven' };

  test('a chain finding of the same tenant that confirms it', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 4);
    const confirm = (id: string, properties: Record<string, unknown>) =>
      project.run(
        `MATCH (n:Vulnerability {project_id: $projectId, id: $id})
         CREATE (c:ChainFinding)-[:CONFIRMS]->(n) SET c = $properties`,
        { id, properties },
      );
    const tenant = { user_id: project.tenant.userId, project_id: project.tenant.projectId };
    await confirm(idOf(0), { ...tenant, finding_type: 'access_gained' });
    await confirm(idOf(1), { ...tenant, finding_type: 'a guess' });
    await confirm(idOf(2), { ...tenant, user_id: 'stranger', finding_type: 'access_gained' });
    await publish(project, toRankingRows(4));
    expect(await project.readFinding(idOf(0))).toMatchObject(PROVEN);
    for (const index of [1, 2, 3]) expect(await project.readFinding(idOf(index))).not.toMatchObject(PROVEN);
    // Proof is stored in the final layer only; the base is what the run's own facts gave.
    expect(await project.readFinding(idOf(0))).toMatchObject({ triage_tier_inputs: '{"proven":false,"kev":false}' });
  });

  test('an exploited CVE, a working credential, a malicious package, an exploit', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 3);
    await setFinding(project, idOf(0), { cve_ids: ['CVE-2026-0001', 'CVE-2026-0002'] });
    await setFinding(project, idOf(1), { cve_ids: ['CVE-2026-0003'] });
    await setFinding(project, idOf(2), { validation_status: 'validated' });
    await project.run(
      `CREATE (:ExploitGvm {user_id: $userId, project_id: $projectId, id: 'x1'})-[:EXPLOITED_CVE]->(:CVE {id: 'CVE-2026-0002'})
       CREATE (:MalPackageFinding {user_id: $userId, project_id: $projectId, id: 'm1', verdict: 'malicious'})
       CREATE (:MalPackageFinding {user_id: $userId, project_id: $projectId, id: 'MAL-2026-1'})`,
    );
    const unseen = { seenUpdatedAt: null };
    await publish(project, [
      ...toRankingRows(3),
      toRankingRow('x1', { ...unseen, label: 'ExploitGvm' }),
      toRankingRow('m1', { ...unseen, label: 'MalPackageFinding' }),
      toRankingRow('MAL-2026-1', { ...unseen, label: 'MalPackageFinding' }),
    ]);
    for (const id of [idOf(0), idOf(2), 'x1', 'm1', 'MAL-2026-1']) {
      expect(await project.readFinding(id), id).toMatchObject(PROVEN);
    }
    expect(await project.readFinding(idOf(1))).not.toMatchObject(PROVEN);
  });

  test('a review cannot talk it away', async () => {
    const project = makeProject(graph);
    await seedFindings(project, 1);
    await setFinding(project, idOf(0), { validation_status: 'validated' });
    await publish(project, toRankingRows(1, { review: { kind: 'review', review: REVIEW } }));
    expect(await project.readFinding(idOf(0))).toMatchObject({ ...PROVEN, triage_state: 'open' });
  });
});

test('a run that has not claimed writes nothing', async () => {
  const project = makeProject(graph);
  await seedFindings(project, 600);
  const start = await authorizeRun(graph, project.tenant, {
    trigger: 'local',
    automatic: false,
    modelVersion: 'v3.2.0',
  });
  if (start.status === 'refused') throw new Error(start.reason);
  const counts = await publishRanking(graph, project.tenant, { runId: start.runId, ...MODEL }, toRankingRows(600));
  expect(counts).toMatchObject({ updated: 0, failed: 600 });
  expect(counts.reasons).toEqual([expect.stringContaining(start.runId)]);
  expect(await project.run('MATCH (n {project_id: $projectId}) WHERE n.triage_tier IS NOT NULL RETURN n')).toEqual([]);
});
