import type { Graph } from '../../../src/graph/graph.ts';
import type { Tenant } from '../../../src/graph/tenant.ts';

const BATCH = 1000;
const SITES = 200;

/**
 * Writes `count` vulnerabilities of about `bytes` bytes each on two hundred sites: every tenth found at an endpoint, every
 * fourth of a package, the rest on a host; one in five with a CVE. The same call writes the same graph.
 */
export async function generateFindings(
  graph: Graph,
  tenant: Tenant,
  { count, bytes }: { readonly count: number; readonly bytes: number },
): Promise<void> {
  await graph.write(tx =>
    tx.run(
      `CYPHER 5 UNWIND range(0, $sites - 1) AS site
       CREATE (b:BaseURL {user_id: $userId, project_id: $projectId, url: 'https://host-' + site + '.example'})
       CREATE (b)-[:HAS_ENDPOINT]->(:Endpoint:Load {user_id: $userId, project_id: $projectId, site: site,
         path: '/', is_live: true, status_code: 200})
       CREATE (:Subdomain:Load {user_id: $userId, project_id: $projectId, site: site,
         name: 'host-' + site + '.example'})-[:HAS_BASE_URL]->(b)
       CREATE (b)-[:DEPENDS_ON]->(:Package:Load {user_id: $userId, project_id: $projectId, site: site,
         purl: 'pkg:npm/package-' + site + '@1.0.0', name: 'package-' + site, version: '1.0.0', ecosystem: 'npm'})`,
      { ...tenant, sites: SITES },
    ),
  );
  await graph.write(tx =>
    tx.run('CYPHER 5 CREATE INDEX load_site IF NOT EXISTS FOR (n:Load) ON (n.project_id, n.site)'),
  );
  await graph.read('CYPHER 5 CALL db.awaitIndexes(120)', {}, { timeoutMs: 120_000 });
  for (let start = 0; start < count; start += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - start) }, (_, i) => start + i);
    await graph.write(
      tx =>
        tx.run(
          `CYPHER 5 UNWIND $rows AS row
           MATCH (a:Load {project_id: $projectId, site: row.site})
           WHERE a.user_id = $userId AND row.anchor IN labels(a)
           CREATE (f:Vulnerability)
           SET f = row.properties, f.user_id = $userId, f.project_id = $projectId,
               f.updated_at = datetime('2027-01-01T00:00:00Z')
           CREATE (a)-[:HAS_VULNERABILITY]->(f)`,
          { ...tenant, rows: numbers.map(n => toRow(n, bytes)) },
        ),
      { timeoutMs: 120_000 },
    );
  }
}

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'];
const ANCHORS = ['Endpoint', 'Package', 'Subdomain', 'Subdomain'];

function toRow(n: number, bytes: number) {
  const anchor = n % 10 === 0 ? 'Endpoint' : (ANCHORS[n % ANCHORS.length] ?? 'Subdomain');
  return {
    site: n % SITES,
    anchor,
    properties: {
      id: `load-${n}`,
      source: anchor === 'Package' ? 'osv' : 'nuclei',
      name: `Finding ${n % 500}`,
      severity: SEVERITIES[n % SEVERITIES.length],
      template_id: `template-${n % 500}`,
      tags: ['load', `t${n % 50}`],
      matcher_status: n % 3 === 0,
      cve_ids: n % 5 === 0 ? [`CVE-2032-${10_000 + (n % 2000)}`] : [],
      cvss_score: (n % 100) / 10,
      description: `Finding ${n}: `.padEnd(Math.floor(bytes / 3), 'lorem ipsum '),
      raw_response: `HTTP/1.1 200 OK ${n} `.padEnd(Math.floor(bytes / 2), 'lorem ipsum '),
    },
  };
}
