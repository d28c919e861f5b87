import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { type FactsReading, readFacts } from '../../src/graph/read-facts.ts';
import { seedShop } from './seed/seed-shop.ts';
import { SURFACE_FACTS } from './seed/shop-surface.ts';

/** Of this file alone. */
const TENANT = { userId: 'facts-test', projectId: 'shop' };

let graph: Graph;
let reading: FactsReading;
beforeAll(async () => {
  graph = await connectGraph({ ...inject('neo4j'), database: '' });
  await initialiseGraph(graph);
  await seedShop(graph, TENANT);
  reading = await readFacts(graph, TENANT);
});
afterAll(() => graph.close());

const sorted = (values: Iterable<string>): string[] => [...values].sort();

test('every set can be read', () => {
  expect(reading.failed).toEqual([]);
});

describe('each set holds exactly the hosts that the graph shows for it', () => {
  test.each([
    ['live_hosts', 'liveHosts'],
    ['auth_required_hosts', 'authRequiredHosts'],
    ['origin_exposed_hosts', 'originExposedHosts'],
    ['cdn_only_hosts', 'cdnOnlyHosts'],
    ['threat_intel_hosts', 'threatIntelHosts'],
    ['compromised_hosts', 'compromisedHosts'],
    ['sensitive_hosts', 'sensitiveHosts'],
    ['login_hosts', 'loginHosts'],
    ['injectable_auth_hosts', 'injectableAuthHosts'],
    ['gone_hosts', 'goneHosts'],
  ] as const)('%s', (stored, field) => {
    expect(sorted(reading.facts[field])).toEqual(sorted(SURFACE_FACTS[stored]));
  });

  test('credential_hosts: of secrets that are not muted', () => {
    expect(sorted(reading.facts.credentialHosts)).toEqual([
      'git://acme/shop',
      'https://api.shop.example',
      'https://www.shop.example',
    ]);
  });

  test('port_hosts and package_exposure', () => {
    expect(Object.fromEntries(reading.facts.portHosts)).toEqual(SURFACE_FACTS.port_hosts);
    expect(Object.fromEntries(reading.facts.packageExposure)).toEqual(SURFACE_FACTS.package_exposure);
  });
});

test('proof: findings and CVEs that a chain confirms, and where', () => {
  expect(sorted(reading.facts.provenFindingIds)).toEqual(['v-confirmed']);
  expect(sorted(reading.facts.provenCveIds)).toEqual(['CVE-2031-1002', 'CVE-2031-1003']);
  const link = { chain_id: 'chain-1', finding_type: 'access_gained' };
  expect(Object.fromEntries(reading.proofByHost)).toEqual({ '192.0.2.20': [link], 'https://api.shop.example': [link] });
});

test('verdicts count over all projects of the user, once a finding, and no one else’s', async () => {
  const judge = (where: string, properties: Record<string, unknown>) =>
    graph.write(tx =>
      tx.run(`CYPHER 5 MATCH (f {user_id: $user}) WHERE ${where} SET f += $properties`, {
        user: TENANT.userId,
        properties: { triage_source: 'human', ...properties },
      }),
    );
  await judge("f.id = 'v-plain'", { triage_status: 'likely_noise', triage_detector: 'nuclei' });
  await judge("f.id = 'v-leak' AND f.project_id = 'shop'", { triage_status: 'confirmed', triage_detector: 'nuclei' });
  await judge("f.id = 'v-dmarc'", {
    triage_status: 'confirmed',
    triage_detector: 'check:x',
    triage_verdict_channel: 'mcp',
  });
  await judge("f.id = 'v-used'", { triage_status: 'unreviewed', triage_detector: 'nmap_nse' });
  await judge("f.id = 'v-stale'", { triage_status: 'confirmed', triage_detector: 'x', triage_source: 'ai' });
  await judge("f.id = 'muted-v-plain'", { triage_status: 'likely_noise', triage_detector: 'nuclei' });
  await judge("f.fingerprint IN ['f1', 'f2'] AND f.project_id = 'shop'", {
    triage_status: 'confirmed',
    triage_detector: 'code:bandit:b608',
    triage_verdict_by: 'somebody',
  });
  await graph.write(tx =>
    tx.run(
      "CYPHER 5 MATCH (f:CodeFinding {user_id: $user, project_id: 'shop', id: 'code-pr'}) SET f.fingerprint = 'f1'",
      {
        user: TENANT.userId,
      },
    ),
  );
  const { facts } = await readFacts(graph, TENANT);
  expect(Object.fromEntries(facts.detectorLabels)).toEqual({
    // Twice in the two projects, once muted.
    nuclei: { real: 1, fp: 3 },
    'code:bandit:b608': { real: 1, fp: 0 },
  });
  const other = await readFacts(graph, { ...TENANT, userId: 'nobody' });
  expect(other.facts.detectorLabels.size).toBe(0);
});

test('a project that does not exist has no facts', async () => {
  const { facts, failed, proofByHost } = await readFacts(graph, { userId: 'nobody', projectId: 'nothing' });
  expect(failed).toEqual([]);
  expect(proofByHost.size).toBe(0);
  for (const set of Object.values(facts)) expect(set.size).toBe(0);
});

test('a set that takes too long is named and empty, the others are read', async () => {
  const slow: Graph = {
    ...graph,
    read: (query, params, options) =>
      query.includes('WAF_BYPASS_VIA')
        ? graph.read('CYPHER 5 UNWIND range(1, 1000000000) AS n RETURN max(n * n % 7)', {}, { timeoutMs: 200 })
        : graph.read(query, params, options),
  };
  const { facts, failed } = await readFacts(slow, TENANT);
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(/^origin-exposed-hosts: /);
  expect(facts.originExposedHosts.size).toBe(0);
  expect(facts.liveHosts.size).toBeGreaterThan(0);
});
