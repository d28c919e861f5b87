import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { Graph, Params, Row } from '../../src/graph/graph.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { authorizeRun, claimRun } from '../../src/graph/run-record.ts';
import type { Tenant } from '../../src/graph/tenant.ts';
import type { ServerAccess } from './server-access.ts';

/** A project of one test, on the server of the test run unless another is given. */
export interface TestProject {
  readonly graph: Graph;
  readonly tenant: Tenant;
  /** Runs a query with the tenant's parameters, as another program would. */
  run(query: string, params?: Params): Promise<Row[]>;
  /** `finding` of its label and id, as properties. */
  readFinding(id: string): Promise<Row>;
  /** A run that may publish. */
  startPublishing(): Promise<string>;
}

export const openGraph = (server: ServerAccess = inject('neo4j')): Promise<Graph> =>
  connectGraph({ uri: server.uri, user: server.user, password: server.password, database: '' });

export function makeProject(
  graph: Graph,
  tenant: Tenant = { userId: `u-${randomUUID()}`, projectId: `p-${randomUUID()}` },
): TestProject {
  const run = (query: string, params: Params = {}) =>
    graph.write(tx => tx.run(`CYPHER 5 ${query}`, { ...tenant, ...params }));
  return {
    graph,
    tenant,
    run,
    async readFinding(id) {
      const rows = await run('MATCH (n {project_id: $projectId, id: $id}) RETURN n', { id });
      return (rows[0]?.['n'] ?? {}) as Row;
    },
    async startPublishing() {
      const start = await authorizeRun(graph, tenant, { trigger: 'local', automatic: false, modelVersion: 'v3.2.0' });
      if (start.status === 'refused') throw new Error(start.reason);
      const claim = await claimRun(graph, tenant, start.runId);
      if (claim.status === 'refused') throw new Error(claim.reason);
      return start.runId;
    },
  };
}

/** Vulnerabilities v0000, v0001, … with `updated_at` as a scanner leaves it. */
export const seedFindings = (project: TestProject, count: number): Promise<Row[]> =>
  project.run(
    `UNWIND range(0, $count - 1) AS i
     CREATE (n:Vulnerability {user_id: $userId, project_id: $projectId, source: 'nuclei', severity: 'critical', name: 'RCE',
       id: 'v' + right('0000' + toString(i), 5), updated_at: datetime('2026-01-01T00:00:00Z')})`,
    { count },
  );

/** Eleven minutes go by without a heartbeat of any run. */
export const letTimePass = (project: TestProject): Promise<Row[]> =>
  project.run(
    `MATCH (r:TriageRun {project_id: $projectId}) WHERE r.status IN ['running', 'publishing']
     SET r.heartbeat_at = r.heartbeat_at - duration('PT11M')`,
  );
