import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createLiveGraph, GRAPH_TIMES, type LiveGraph } from '../../src/analysis/live-graph.ts';
import { rankAlone } from '../../src/analysis/rank-findings.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import { type CodeScope, toCodeFindingId, upsertCodeFindings } from '../../src/graph/code-findings.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { readFindings, readStoredLayers } from '../../src/graph/read-findings.ts';
import { type Verdict, writeVerdict } from '../../src/graph/verdicts.ts';
import { toCodeFindingRow } from '../../src/risk/code-finding.ts';
import { makeProject, openGraph, type TestProject } from '../graph/project.ts';
import { buildFinding } from '../publish/build-report.ts';

const REPOSITORY = 'acme/shop';
const DEFAULT: CodeScope = { repository: REPOSITORY, scope: 'default' };
const PULL_7: CodeScope = { repository: REPOSITORY, scope: 'pr/7' };
const bandit = { tool: 'bandit', ruleId: 'B602', cwe: ['CWE-78'], path: 'app.py', tools: ['bandit'], confidence: 0.8 };
const SHELL = buildFinding('shell', bandit);
const EVAL = buildFinding('eval', bandit);
/** More than any review gets: the machine of the tests is slow. */
const PATIENT = { ...GRAPH_TIMES, total: 60_000, facts: 50_000 };

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph.close());

const newProject = (): TestProject =>
  makeProject(graph, { userId: `facts-${Math.random()}`, projectId: `p-${Math.random()}` });

function review({ tenant }: TestProject, rest: Partial<LiveGraph> = {}) {
  return createLiveGraph({
    connect: signal => connectGraph({ ...inject('neo4j'), database: '', signal }),
    tenant,
    repository: REPOSITORY,
    isPublic: false,
    pullRequest: 7,
    limitsTiers: false,
    times: PATIENT,
    log: SILENT_LOG,
    signal: new AbortController().signal,
    ...rest,
  });
}

/** A whole review of these findings: what it shows of the first, and what it has to say. */
async function run(project: TestProject, findings = [SHELL, EVAL], rest: Partial<LiveGraph> = {}) {
  const shop = review(project, rest);
  const { changed, notices } = await shop.rank(findings);
  const kept = await shop.keep(findings, true);
  await shop.close();
  const [first = SHELL] = findings;
  return {
    risk: changed.get(first.fingerprint) ?? rankAlone(first, { public: rest.isPublic ?? false }),
    notices,
    kept,
  };
}

const judge = ({ tenant }: TestProject, verdict: Verdict) =>
  writeVerdict(graph, tenant, {
    repository: REPOSITORY,
    fingerprint: SHELL.fingerprint,
    verdict,
    by: 'lee',
    reason: '',
  });
const nodeOf = (project: TestProject, scope: CodeScope, finding = SHELL) =>
  project.readFinding(toCodeFindingId(scope, finding.fingerprint));
const putOnDefault = (project: TestProject) => {
  const { fingerprint } = SHELL;
  const row = toCodeFindingRow(SHELL, { repository: REPOSITORY, public: false });
  return graph.write(tx =>
    upsertCodeFindings(tx, project.tenant, DEFAULT, [{ id: toCodeFindingId(DEFAULT, fingerprint), fingerprint, row }]),
  );
};

test('a project of which the graph knows nothing is told, until a triage run was there', async () => {
  const project = newProject();
  const { risk, notices, kept } = await run(project);
  expect(risk).toEqual(rankAlone(SHELL, { public: false }));
  expect([notices.join(), kept]).toEqual([expect.stringContaining('knows nothing of the project'), []]);
  await project.startPublishing();
  expect((await run(project)).notices).toEqual([]);
});

test('proof and people’s verdicts on other findings of the rule change a tier', async () => {
  const project = newProject();
  await run(project);
  const alone = rankAlone(SHELL, { public: false });
  expect(alone.tier).toBe('T2');
  await project.run(
    `MATCH (f:CodeFinding {project_id: $projectId, id: $id})
     CREATE (:ChainFinding {user_id: $userId, project_id: $projectId, chain_id: 'c', finding_type: 'exploit_success'})-[:CONFIRMS]->(f)`,
    { id: toCodeFindingId(PULL_7, SHELL.fingerprint) },
  );
  expect((await run(project)).risk).toMatchObject({ tier: 'T1', rule: 'proven' });

  const learning = newProject();
  await learning.run(
    `UNWIND range(1, 12) AS i
     CREATE (:CodeFinding {user_id: $userId, project_id: $projectId, repository: 'acme/other', scope: 'default',
       fingerprint: toString(i), id: toString(i), triage_detector: 'code:bandit:b602', triage_source: 'human',
       triage_status: 'likely_noise'})`,
  );
  const { risk } = await run(learning);
  expect(risk.tier).toBe('T4');
  expect(risk.C.evidence).toContain('you judged 0 of 12 of these real');
});

test('a verdict can be given at once, ranks at once, and the next review honours it', async () => {
  const project = newProject();
  await run(project);
  expect(await nodeOf(project, PULL_7)).toMatchObject({
    triage_tier: 'T2',
    triage_base_tier: 'T2',
    triage_detector: 'code:bandit:b602',
    triage_model_version: '3.2.0',
  });
  expect(await nodeOf(project, PULL_7)).not.toHaveProperty('triage_run_id');
  expect(await judge(project, 'false-positive')).toMatchObject({
    status: 'recorded',
    scopes: [{ scope: 'pr/7', before: 'T2', tier: 'T4', state: 'false_positive' }],
  });
  expect((await run(project)).risk).toMatchObject({ tier: 'T4', score: 0, state: 'false_positive' });
  expect(await nodeOf(project, PULL_7)).toMatchObject({ triage_tier: 'T4', triage_base_state: 'open' });
  await judge(project, 'real');
  expect((await run(project)).risk).toMatchObject({ tier: 'T2', C: { value: 1 } });
  await judge(project, 'reset');
  expect((await run(project)).risk.C.value).toBeLessThan(1);
});

test('a verdict on the default branch counts in a pull request, where it is copied and ranked by', async () => {
  const project = newProject();
  await putOnDefault(project);
  await judge(project, 'false-positive');
  expect((await run(project)).risk).toMatchObject({ tier: 'T4', state: 'false_positive' });
  expect(await nodeOf(project, PULL_7)).toMatchObject({
    triage_status: 'likely_noise',
    triage_verdict_by: 'lee',
    triage_tier: 'T4',
    triage_decided_by: 'person',
  });
});

test('what the last push mended leaves the graph, unless somebody judged it', async () => {
  const project = newProject();
  await run(project);
  await judge(project, 'real');
  await run(project, []);
  expect(await nodeOf(project, PULL_7)).toMatchObject({ triage_status: 'confirmed' });
  expect(await nodeOf(project, PULL_7, EVAL)).toEqual({});
});

test('what a pull request brings is no part of the project’s ranking', async () => {
  const project = newProject();
  await run(project);
  await judge(project, 'real');
  const ranked: unknown[] = [];
  for await (const page of readFindings(graph, project.tenant, { texts: 'all' }))
    if ('rows' in page) ranked.push(...page.rows);
  for await (const page of readStoredLayers(graph, project.tenant)) ranked.push(...page);
  expect(ranked).toEqual([]);
});

test('without a pull request nothing is written', async () => {
  const project = newProject();
  await run(project, [SHELL], { pullRequest: null });
  const [left] = await project.run('MATCH (n {project_id: $projectId}) RETURN count(n) AS nodes');
  expect(left).toEqual({ nodes: 0 });
});

test('of a public repository nothing but tier and score is shown', async () => {
  const project = newProject();
  await project.run(
    `CREATE (:GithubRepository {user_id: $userId, project_id: $projectId, name: $repository})-[:DEPLOYED_TO]->
       (b:BaseURL {user_id: $userId, project_id: $projectId, url: 'https://hidden.example'})-[:HAS_ENDPOINT]->
       (:Endpoint {user_id: $userId, project_id: $projectId, is_live: true})`,
    { repository: REPOSITORY },
  );
  const shown = await run(project, [SHELL], { isPublic: true });
  const { tier, score, ...rest } = shown.risk;
  const { tier: _, score: scoreAlone, ...alone } = rankAlone(SHELL, { public: true });
  expect(rest).toEqual(alone);
  expect([tier, score > scoreAlone]).toEqual(['T2', true]);
  expect(shown.notices.join()).not.toMatch(/hidden|example/);
  expect((await run(project)).risk.R.evidence).toBe('a live endpoint on this host');
});

test('a live triage run and what it holds locked keep no review from reading', async () => {
  const project = newProject();
  await putOnDefault(project);
  await judge(project, 'false-positive');
  await project.startPublishing();
  let release = () => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  const locking = graph.write(async tx => {
    await tx.run('CYPHER 5 MATCH (n {project_id: $projectId}) SET n.locked = true', { ...project.tenant });
    await held;
  });
  await new Promise(resolve => setTimeout(resolve, 500));
  // No time is left to wait for the lock.
  const times = { ...PATIENT, total: 15_000, facts: 14_000 };
  const { risk, kept } = await run(project, [SHELL], { times }).finally(release);
  await locking;
  expect(risk).toMatchObject({ tier: 'T4', state: 'false_positive' });
  expect(kept).toEqual([expect.stringContaining('The findings were not kept')]);
  expect((await run(project)).kept).toEqual([]);
});
