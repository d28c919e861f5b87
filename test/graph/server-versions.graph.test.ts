import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { listPullRequests, toCodeFindingId, upsertCodeFindings } from '../../src/graph/code-findings.ts';
import { readCveCache, writeCveCache } from '../../src/graph/cve-cache.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { readGraphFailure } from '../../src/graph/graph-failure.ts';
import { initialiseGraph, listMissingSchema } from '../../src/graph/initialise-graph.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { readFacts } from '../../src/graph/read-facts.ts';
import { readFindings } from '../../src/graph/read-findings.ts';
import { seedShop } from './seed/seed-shop.ts';
import { HOSTS_OF_FINDINGS } from './seed/shop-findings.ts';
import { SURFACE_FACTS } from './seed/shop-surface.ts';
import { type Neo4jServer, OLDEST_VERSION, startNeo4j } from './server/start-neo4j.ts';

const TENANT = { userId: 'versions-test', projectId: 'shop' };
const PULL = { repository: 'acme/shop', scope: 'pr/9' } as const;

// The oldest version and, where this machine has a JDK for it, the newest.
describe.each(inject('neo4jVersions'))('Neo4j %s', version => {
  let own: Neo4jServer | undefined;
  let graph: Graph;
  beforeAll(async () => {
    if (version !== OLDEST_VERSION) own = await startNeo4j({ version });
    graph = await connectGraph({ ...(own ?? inject('neo4j')), database: '' });
  });
  afterAll(async () => {
    await graph.close();
    await own?.stop();
  });

  test('is the version that was asked for', () => {
    expect(graph.serverVersion).toBe(version);
  });

  test('takes the schema', async () => {
    await initialiseGraph(graph);
    expect(await listMissingSchema(graph)).toEqual([]);
  });

  test('answers every fact and finding query alike', async () => {
    await seedShop(graph, TENANT);
    const { facts, failed } = await readFacts(graph, TENANT);
    expect(failed).toEqual([]);
    expect([...facts.liveHosts].sort()).toEqual([...SURFACE_FACTS.live_hosts].sort());
    expect([...facts.sensitiveHosts].sort()).toEqual([...SURFACE_FACTS.sensitive_hosts].sort());
    const hosts: Record<string, unknown> = {};
    for await (const page of readFindings(graph, TENANT, { texts: 'telling' })) {
      expect(page).not.toHaveProperty('failed');
      if ('rows' in page) for (const row of page.rows) hosts[String(row.id)] = row.triage_host;
    }
    expect(hosts).toEqual(HOSTS_OF_FINDINGS);
  });

  test('takes code findings and CVEs', async () => {
    const row = { source: 'bandit', name: 'x', severity: 'low' };
    const findings = [{ id: toCodeFindingId(PULL, 'f9'), fingerprint: 'f9', row }];
    await graph.write(tx => upsertCodeFindings(tx, TENANT, PULL, findings));
    expect(await listPullRequests(graph, TENANT, 'acme/shop')).toEqual([7, 9]);
    const cve = { id: 'CVE-2035-1001', kev: true, hasPoc: false, hasTemplate: false, intelAt: '2027-01-01T00:00:00Z' };
    await graph.write(tx => writeCveCache(tx, [cve]));
    expect(await readCveCache(graph, [cve.id])).toEqual([cve]);
  });

  test('tells its failures by the same names', async () => {
    const { user, uri } = own ?? inject('neo4j');
    const kinds = await Promise.all(
      [
        connectGraph({ uri, user, password: 'not-the-password', database: '' }),
        graph.read('CYPHER 5 MATCH (n) SET n.x = 1'),
        graph.read('CYPHER 5 UNWIND range(1, 1000000000) AS n RETURN max(n * n % 7)', {}, { timeoutMs: 300 }),
        graph.write(tx => tx.run('CYPHER 5 CREATE CONSTRAINT c FOR (n:TriageRun) REQUIRE n.id IS UNIQUE')),
      ].map(task => task.then(() => 'done', readGraphFailure)),
    );
    expect(kinds).toEqual(['unauthorized', 'other', 'busy', 'schema']);
  });
});
