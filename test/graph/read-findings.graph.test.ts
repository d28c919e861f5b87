import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { FINDING_LABELS } from '../../src/graph/finding-labels.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { readFindings, readFindingsById, readStoredLayers } from '../../src/graph/read-findings.ts';
import { NO_FACTS, parseFacts, parseIntel } from '../../src/risk/facts.ts';
import { groupKeyOf } from '../../src/risk/group-key.ts';
import type { FindingRow } from '../../src/risk/row.ts';
import { scoreRow } from '../../src/risk/score.ts';
import { generateFindings } from './seed/generate-findings.ts';
import { seedShop } from './seed/seed-shop.ts';
import { HOSTS_OF_FINDINGS } from './seed/shop-findings.ts';
import { SURFACE_FACTS } from './seed/shop-surface.ts';

/** Of this file alone. */
const TENANT = { userId: 'findings-test', projectId: 'shop' };
const NO_INTEL = parseIntel({});

let graph: Graph;
let rows: ReadonlyMap<string, FindingRow>;
beforeAll(async () => {
  graph = await connectGraph({ ...inject('neo4j'), database: '' });
  await initialiseGraph(graph);
  await seedShop(graph, TENANT);
  rows = await readAll('all');
});
afterAll(() => graph.close());

async function readAll(texts: 'all' | 'telling', pageSize = 500): Promise<ReadonlyMap<string, FindingRow>> {
  const found: FindingRow[] = [];
  for await (const page of readFindings(graph, TENANT, { texts, pageSize })) {
    if ('failed' in page) throw new Error(`${page.label}: ${page.failed}`);
    expect(page.rows.length).toBeLessThanOrEqual(pageSize);
    found.push(...page.rows);
  }
  expect(new Set(found.map(row => row.id)).size).toBe(found.length);
  return new Map(found.map(row => [String(row.id), row]));
}

const rowOf = (id: string): FindingRow => {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
};

test('one row a finding that counts, with its host; none that is muted, of a neighbour or of a pull request', () => {
  expect(Object.fromEntries([...rows].map(([id, row]) => [id, row.triage_host]))).toEqual(HOSTS_OF_FINDINGS);
  expect(new Set([...rows.values()].map(row => row.label))).toEqual(new Set(FINDING_LABELS));
});

test('pages hold no more than asked for', async () => {
  expect([...(await readAll('all', 2)).keys()].sort()).toEqual([...rows.keys()].sort());
});

describe('columns', () => {
  test('CVE ids of all spellings and places, once each', () => {
    expect(rowOf('v-known').cve_ids).toEqual(['CVE-2031-1001']);
    expect(rowOf('v-proved').cve_ids).toEqual(['CVE-2031-1003']);
  });

  test('a vector stands in either property', () => {
    expect(rowOf('v-known').cvss_vector).toBe('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H');
  });

  test('an exploit of the project confirms a vulnerability by its CVE', () => {
    expect(rowOf('v-used').confirmed_exploits).toBe(true);
    expect(rowOf('v-known').confirmed_exploits).toBe(false);
  });

  test('a package lends its name and version', () => {
    expect(rowOf('v-package')).toMatchObject({
      package_purl: 'pkg:npm/lodash@4.17.20',
      package_version: '4.17.20',
      ecosystem: 'npm',
      fixed_version: '4.17.21',
    });
    expect(rowOf('mal')).toMatchObject({
      source: 'guarddog',
      package_purl: 'pkg:npm/left-pad@1.0.0',
      package_name: 'left-pad',
    });
  });

  test('what scanners leave out has the default of its label', () => {
    const severities = ['exploit', 'secret-js', 'gh-file', 'multi', 'mal'].map(id => rowOf(id).severity);
    expect(severities).toEqual(['critical', 'medium', 'medium', 'high', 'high']);
    expect(rowOf('secret-js')).toMatchObject({ source: 'js_recon', name: 'token' });
    expect(rowOf('v-nowhere')).toMatchObject({ source: '', name: '', severity: '' });
  });

  test('the stamp by which a later change is noticed', () => {
    expect(rowOf('v-plain').seen_updated_at).toBe('2027-01-01T00:00:00Z');
  });
});

/** The worked values of the model's own description. */
test.each([
  ['v-plain', 'T3', 30.625],
  ['v-known', 'T1', 96.367],
  ['v-dmarc', 'T3', 26.8],
  ['secret', 'T1', 93.75],
  ['gh-secret', 'T4', 0.3],
  ['script', 'T2', 60.125],
  ['v-package', 'T3', 30.0625],
])('%s is scored as the model scores it: %s, %d', (id, tier, score) => {
  const facts = parseFacts({
    live_hosts: SURFACE_FACTS.live_hosts,
    package_exposure: SURFACE_FACTS.package_exposure,
  });
  const ranked = scoreRow(rowOf(id), facts, NO_INTEL);
  expect(ranked.tier).toBe(tier);
  expect(ranked.score).toBeCloseTo(score, 3);
});

describe('without the long texts', () => {
  test('score and group of every finding are the same', async () => {
    const light = await readAll('telling');
    expect([...light.keys()].sort()).toEqual([...rows.keys()].sort());
    for (const [id, row] of light) {
      expect(scoreRow(row, NO_FACTS, NO_INTEL), id).toEqual(scoreRow(rowOf(id), NO_FACTS, NO_INTEL));
      expect(groupKeyOf(row), id).toBe(groupKeyOf(rowOf(id)));
    }
    expect(groupKeyOf(light.get('v-leak') ?? {})).toBe('cve:cve-2030-77777');
    expect(scoreRow(light.get('v-leak') ?? {}, NO_FACTS, NO_INTEL).storedFactors.L.evidence).toBe(
      'a usable credential',
    );
  });

  test('they are not read', async () => {
    const light = await readAll('telling');
    for (const column of ['raw_request', 'raw_response', 'description'] as const) {
      expect(light.get('v-known'), column).not.toHaveProperty(column);
    }
    expect(light.get('script')).not.toHaveProperty('description');
    expect(light.get('code')).not.toHaveProperty('description');
    expect(rowOf('v-known').raw_response).toHaveLength(4017);
  });
});

test('single findings are read whole; what is muted, gone or another’s is left out', async () => {
  const asked = [...rows.values()].map(row => ({ label: String(row.label), id: String(row.id) }));
  const found = await readFindingsById(graph, TENANT, [
    ...asked,
    ...asked,
    { label: 'Vulnerability', id: 'muted-v-plain' },
    { label: 'Vulnerability', id: 'nothing' },
    { label: 'CodeFinding', id: 'code-pr' },
    { label: 'Secret', id: 'v-plain' },
    { label: 'Domain', id: 'v-plain' },
  ]);
  expect(new Map(found.map(row => [String(row.id), row]))).toEqual(rows);
  expect(found).toHaveLength(rows.size);
});

test('what earlier runs and people stored, and nothing of the neighbour or of muted findings', async () => {
  await graph.write(tx =>
    tx.run(
      `CYPHER 5 MATCH (f {user_id: $userId}) WHERE f.id IN ['v-plain', 'muted-v-plain', 'another']
       SET f.triage_status = 'confirmed', f.triage_source = 'human', f.triage_run_id = f.project_id`,
      TENANT,
    ),
  );
  const stored = [];
  for await (const page of readStoredLayers(graph, TENANT)) stored.push(...page);
  expect(stored.map(({ label, id, triage_run_id }) => [label, id, triage_run_id])).toEqual([
    ['MalPackageFinding', 'mal', 'shop'],
    ['Vulnerability', 'v-plain', 'shop'],
  ]);
});

test('a label that cannot be read says so, and the next follows', async () => {
  const broken: Graph = {
    ...graph,
    stream: (query, params, options) =>
      graph.stream(query.includes('(f:Secret ') ? 'CYPHER 5 RETURN 1/0 AS id' : query, params, options),
  };
  const labels = new Map<string, string>();
  for await (const page of readFindings(broken, TENANT, { texts: 'telling' })) {
    labels.set(page.label, 'failed' in page ? 'failed' : 'read');
  }
  expect(labels.get('Secret')).toBe('failed');
  expect([...labels.values()].filter(outcome => outcome === 'read')).toHaveLength(FINDING_LABELS.length - 1);
});

test('thousands of findings come page by page, each with its host and its group', async () => {
  const tenant = { userId: 'findings-test', projectId: 'load' };
  const count = 5000;
  await generateFindings(graph, tenant, { count, bytes: 1000 });
  const ids = new Set<unknown>();
  const hosts = new Set<unknown>();
  const groups = new Set<string>();
  for await (const page of readFindings(graph, tenant, { texts: 'telling' })) {
    if ('failed' in page) throw new Error(page.failed);
    expect(page.rows.length).toBeLessThanOrEqual(500);
    for (const row of page.rows) {
      ids.add(row.id);
      hosts.add(row.triage_host);
      groups.add(groupKeyOf(row));
      expect(row).not.toHaveProperty('raw_response');
    }
  }
  expect(ids.size).toBe(count);
  expect([...hosts]).toEqual(expect.arrayContaining(['https://host-0.example', 'host-2.example']));
  expect(hosts.has('')).toBe(false);
  expect(groups.has('cve:cve-2032-10000')).toBe(true);
});

test('an empty project has no findings', async () => {
  const pages = [];
  for await (const page of readFindings(graph, { userId: 'nobody', projectId: 'nothing' }, { texts: 'all' })) {
    pages.push(page);
  }
  expect(pages).toEqual([]);
});
