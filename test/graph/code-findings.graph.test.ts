import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  type CodeFindingUpsert,
  type CodeScope,
  keepOnly,
  listPullRequests,
  markStale,
  readCodeVerdicts,
  readRepositoryHost,
  removePullRequests,
  toCodeFindingId,
  upsertCodeFindings,
} from '../../src/graph/code-findings.ts';
import type { Graph, Row } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { readFindings } from '../../src/graph/read-findings.ts';
import type { Tenant } from '../../src/graph/tenant.ts';
import { toCodeFindingRow } from '../../src/risk/code-finding.ts';
import { NO_FACTS, parseIntel } from '../../src/risk/facts.ts';
import type { FindingRow } from '../../src/risk/row.ts';
import { scoreRow } from '../../src/risk/score.ts';

const REPOSITORY = 'acme/shop';
const DEFAULT: CodeScope = { repository: REPOSITORY, scope: 'default' };
const PULL_7: CodeScope = { repository: REPOSITORY, scope: 'pr/7' };
const PULL_8: CodeScope = { repository: REPOSITORY, scope: 'pr/8' };

let graph: Graph;
beforeAll(async () => {
  graph = await connectGraph({ ...inject('neo4j'), database: '' });
  await initialiseGraph(graph);
});
afterAll(() => graph.close());

/** A project of its own for one test. */
const tenantOf = (projectId: string): Tenant => ({ userId: 'code-test', projectId });

const rowOf = (fingerprint: string, title = 'SQL injection'): FindingRow =>
  toCodeFindingRow(
    {
      fingerprint,
      tool: 'bandit',
      ruleId: 'B608',
      title,
      message: 'A query is put together from text.',
      severity: 'high',
      confidence: 0.9,
      cwe: ['CWE-89'],
      path: 'shop/db.py',
      tools: ['bandit'],
    },
    { repository: REPOSITORY, public: false },
  );

const upsertOf = (scope: CodeScope, fingerprint: string, title?: string): CodeFindingUpsert => ({
  id: toCodeFindingId(scope, fingerprint),
  fingerprint,
  row: rowOf(fingerprint, title),
});

const upsert = (tenant: Tenant, scope: CodeScope, ...fingerprints: string[]): Promise<void> =>
  graph.write(tx =>
    upsertCodeFindings(
      tx,
      tenant,
      scope,
      fingerprints.map(fingerprint => upsertOf(scope, fingerprint)),
    ),
  );

const list = (tenant: Tenant): Promise<Row[]> =>
  graph.read(
    `CYPHER 5 MATCH (f:CodeFinding {project_id: $projectId}) WHERE f.user_id = $userId
     RETURN f.fingerprint AS fingerprint, f.scope AS scope, toStringOrNull(f.stale_since) AS stale, f.triage_status AS status,
            COUNT { (:GithubRepository)-[:HAS_CODE_FINDING]->(f) } AS ties
     ORDER BY scope, fingerprint`,
    { ...tenant },
  );

async function readRanked(tenant: Tenant): Promise<FindingRow[]> {
  const rows: FindingRow[] = [];
  for await (const page of readFindings(graph, tenant, { texts: 'all' })) if ('rows' in page) rows.push(...page.rows);
  return rows;
}

const judge = (tenant: Tenant, { scope }: CodeScope, fingerprint: string, status: string): Promise<unknown> =>
  graph.write(tx =>
    tx.run(
      `CYPHER 5 MATCH (f:CodeFinding {user_id: $userId, project_id: $projectId, scope: $scope, fingerprint: $fingerprint})
       SET f.triage_status = $status, f.triage_source = 'human', f.triage_verdict_by = 'lee',
           f.triage_verdict_at = datetime()`,
      { ...tenant, scope, fingerprint, status },
    ),
  );

describe('upsert', () => {
  test('a finding comes back as the row that was given, and scores the same', async () => {
    const tenant = tenantOf('same');
    await upsert(tenant, DEFAULT, 'f1');
    const [row] = await readRanked(tenant);
    const given = { ...rowOf('f1'), id: toCodeFindingId(DEFAULT, 'f1') };
    expect(row).toMatchObject(Object.fromEntries(Object.entries(given).filter(([column]) => column !== 'triage_host')));
    const intel = parseIntel({});
    expect(scoreRow(row ?? {}, NO_FACTS, intel)).toEqual(scoreRow(given, NO_FACTS, intel));
  });

  test('the same finding is one node however often it is written, tied to one repository', async () => {
    const tenant = tenantOf('once');
    await Promise.all([1, 2, 3, 4].map(() => upsert(tenant, DEFAULT, 'f1', 'f2')));
    await upsert(tenant, DEFAULT, 'f2', 'f1');
    expect(await list(tenant)).toEqual([
      { fingerprint: 'f1', scope: 'default', stale: null, status: null, ties: 1 },
      { fingerprint: 'f2', scope: 'default', stale: null, status: null, ties: 1 },
    ]);
    const [repositories] = await graph.read(
      `CYPHER 5 RETURN COUNT {
         MATCH (r:GithubRepository {project_id: $projectId}) WHERE r.user_id = $userId
       } AS found`,
      { ...tenant },
    );
    expect(repositories).toEqual({ found: 1 });
  });

  test('a repository that others wrote is taken, and says where its code runs', async () => {
    const tenant = tenantOf('theirs');
    await graph.write(tx =>
      tx.run(
        `CYPHER 5 CREATE (:GithubRepository {user_id: $userId, project_id: $projectId, full_name: 'Acme/Shop'})
           -[:DEPLOYED_TO]->(:BaseURL {user_id: $userId, project_id: $projectId, url: 'https://shop.example'})`,
        { ...tenant },
      ),
    );
    await upsert(tenant, DEFAULT, 'f1');
    expect((await readRanked(tenant))[0]?.triage_host).toBe('https://shop.example');
    expect(await readRepositoryHost(graph, tenant, REPOSITORY)).toBe('https://shop.example');
    expect(await readRepositoryHost(graph, tenantOf('nowhere'), REPOSITORY)).toBeNull();
  });

  test('a refresh writes what changed and takes away what is gone', async () => {
    const tenant = tenantOf('refresh');
    await upsert(tenant, DEFAULT, 'f1');
    const changed = upsertOf(DEFAULT, 'f1', 'Another title');
    await graph.write(tx =>
      upsertCodeFindings(tx, tenant, DEFAULT, [{ ...changed, row: { ...changed.row, cwe_ids: undefined } }]),
    );
    const [row] = await readRanked(tenant);
    expect(row?.name).toBe('Another title');
    expect(row).not.toHaveProperty('cwe_ids');
  });

  test('layers that come along are written with it', async () => {
    const tenant = tenantOf('layers');
    const layers = { triage_tier: 'T2', triage_priority_score: 51.5 };
    await graph.write(tx => upsertCodeFindings(tx, tenant, PULL_7, [{ ...upsertOf(PULL_7, 'f1'), layers }]));
    const [row] = await graph.read(
      `CYPHER 5 MATCH (f:CodeFinding {project_id: $projectId}) WHERE f.user_id = $userId
       RETURN f.triage_tier AS tier, f.triage_priority_score AS score`,
      { ...tenant },
    );
    expect(row).toEqual({ tier: 'T2', score: 51.5 });
  });

  test('a text of any length is cut, never refused', async () => {
    const tenant = tenantOf('long');
    const long = upsertOf(DEFAULT, 'f1', 'x'.repeat(100_000));
    await graph.write(tx => upsertCodeFindings(tx, tenant, DEFAULT, [long]));
    expect(String((await readRanked(tenant))[0]?.name)).toHaveLength(4000);
  });
});

describe('scopes', () => {
  test('what a pull request brings is not ranked, and goes with it', async () => {
    const tenant = tenantOf('scopes');
    await upsert(tenant, DEFAULT, 'f1');
    await upsert(tenant, PULL_7, 'f1', 'f2');
    await upsert(tenant, PULL_8, 'f3');
    expect((await readRanked(tenant)).map(row => row.id)).toEqual([toCodeFindingId(DEFAULT, 'f1')]);
    expect(await listPullRequests(graph, tenant, REPOSITORY)).toEqual([7, 8]);
    await graph.write(tx => removePullRequests(tx, tenant, REPOSITORY, [7, 99]));
    await graph.write(tx => removePullRequests(tx, tenant, REPOSITORY, []));
    expect(await listPullRequests(graph, tenant, REPOSITORY)).toEqual([8]);
    expect((await list(tenant)).map(row => row['scope'])).toEqual(['default', 'pr/8']);
  });

  test('what the last push mended leaves the pull request; the default branch is never cut so', async () => {
    const tenant = tenantOf('mended');
    await upsert(tenant, PULL_7, 'f1', 'f2');
    await upsert(tenant, PULL_8, 'f1');
    await graph.write(tx => keepOnly(tx, tenant, PULL_7, ['f2']));
    expect((await list(tenant)).map(row => [row['scope'], row['fingerprint']])).toEqual([
      ['pr/7', 'f2'],
      ['pr/8', 'f1'],
    ]);
    await expect(graph.write(tx => keepOnly(tx, tenant, DEFAULT, []))).rejects.toThrow('stale');
  });

  test('another project and another repository are left alone', async () => {
    const [tenant, neighbour] = [tenantOf('left'), tenantOf('right')];
    const elsewhere: CodeScope = { repository: 'acme/other', scope: 'pr/7' };
    await upsert(tenant, PULL_7, 'f1');
    await upsert(tenant, elsewhere, 'f1');
    await upsert(neighbour, PULL_7, 'f1');
    await graph.write(tx => removePullRequests(tx, tenant, REPOSITORY, [7]));
    expect(await listPullRequests(graph, tenant, 'acme/other')).toEqual([7]);
    expect(await listPullRequests(graph, neighbour, REPOSITORY)).toEqual([7]);
  });
});

describe('stale', () => {
  test('a finding that is gone keeps the time since when, and is open again when it is back', async () => {
    const tenant = tenantOf('stale');
    await upsert(tenant, DEFAULT, 'f1', 'f2');
    await upsert(tenant, PULL_7, 'f1');
    const ids = [DEFAULT, PULL_7].map(scope => toCodeFindingId(scope, 'f1'));
    await graph.write(tx => markStale(tx, tenant, ids));
    const since = (await readRanked(tenant)).find(row => row.id === ids[0])?.stale_since;
    expect(since).toMatch(/^\d{4}-\d{2}-\d{2}T/);
    await graph.write(tx => markStale(tx, tenant, ids));
    const later = await list(tenant);
    expect(later.map(row => [row['scope'], row['fingerprint'], row['stale'] === since])).toEqual([
      ['default', 'f1', true],
      ['default', 'f2', false],
      ['pr/7', 'f1', false],
    ]);
    await upsert(tenant, DEFAULT, 'f1');
    expect((await list(tenant)).every(row => row['stale'] === null)).toBe(true);
  });
});

describe('verdicts', () => {
  test('a finding judged in one scope is judged in the next, the last word of several', async () => {
    const tenant = tenantOf('verdicts');
    await upsert(tenant, PULL_7, 'f1', 'f2');
    await judge(tenant, PULL_7, 'f1', 'likely_noise');
    await upsert(tenant, DEFAULT, 'f1', 'f2');
    await judge(tenant, DEFAULT, 'f1', 'confirmed');
    await upsert(tenant, PULL_8, 'f1', 'f2');
    expect((await list(tenant)).map(row => [row['scope'], row['fingerprint'], row['status']])).toEqual([
      ['default', 'f1', 'confirmed'],
      ['default', 'f2', null],
      ['pr/7', 'f1', 'likely_noise'],
      ['pr/7', 'f2', null],
      ['pr/8', 'f1', 'confirmed'],
      ['pr/8', 'f2', null],
    ]);
    const verdicts = await readCodeVerdicts(graph, tenant, REPOSITORY, ['f1', 'f2']);
    expect([...verdicts.values()]).toEqual([{ fingerprint: 'f1', status: 'confirmed', by: 'lee' }]);
  });

  test('one that was taken back is not brought back by another scope', async () => {
    const tenant = tenantOf('reset');
    await upsert(tenant, PULL_7, 'f1');
    await upsert(tenant, DEFAULT, 'f1');
    await judge(tenant, PULL_7, 'f1', 'confirmed');
    await judge(tenant, DEFAULT, 'f1', 'unreviewed');
    await upsert(tenant, DEFAULT, 'f1');
    expect((await list(tenant))[0]).toMatchObject({ scope: 'default', status: 'unreviewed' });
  });
});

test('ids differ by repository, scope and fingerprint, not by the case of the repository', () => {
  const ids = [DEFAULT, PULL_7, { ...DEFAULT, repository: 'acme/other' }].flatMap(scope =>
    ['f1', 'f2'].map(fingerprint => toCodeFindingId(scope, fingerprint)),
  );
  expect(new Set(ids).size).toBe(6);
  expect(toCodeFindingId({ ...DEFAULT, repository: 'Acme/Shop' }, 'f1')).toBe(ids[0]);
});
