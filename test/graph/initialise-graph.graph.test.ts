import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { readErrorCode, readGraphFailure } from '../../src/graph/graph-failure.ts';
import { initialiseGraph, listMissingSchema, SCHEMA } from '../../src/graph/initialise-graph.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { type Neo4jServer, startNeo4j } from './server/start-neo4j.ts';

describe('on the server of all tests', () => {
  let graph: Graph;
  beforeAll(async () => {
    graph = await connectGraph({ ...inject('neo4j'), database: '' });
  });
  afterAll(() => graph.close());

  test('it may be asked for at any time, and by two at once', async () => {
    await Promise.all([initialiseGraph(graph), initialiseGraph(graph)]);
    expect(await listMissingSchema(graph)).toEqual([]);
    expect(await initialiseGraph(graph)).toEqual({ created: [], present: SCHEMA });
  });

  test('a second node of one key is refused, also by writers that do not look first', async () => {
    await initialiseGraph(graph);
    const create = graph.write(
      tx =>
        tx.run('CYPHER 5 UNWIND [1, 2] AS n CREATE (:TriageProject {user_id: $userId, project_id: $projectId})', {
          userId: 'initialise-test',
          projectId: 'initialise-test',
        }),
      { attempts: 1 },
    );
    const failure = await create.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(readErrorCode(failure)).toBe('Neo.ClientError.Schema.ConstraintValidationFailed');
    expect(readGraphFailure(failure)).toBe('schema');
  });
});

describe('on a graph with a past', () => {
  let server: Neo4jServer;
  let graph: Graph;
  beforeAll(async () => {
    server = await startNeo4j();
    graph = await connectGraph({ ...server, database: '' });
  });
  afterAll(async () => {
    await graph.close();
    await server.stop();
  });

  test('duplicates are named, not crashed into, and what others made counts', async () => {
    await graph.write(tx =>
      tx.run('CYPHER 5 UNWIND [1, 2] AS n CREATE (:Remediation {user_id: "u", project_id: "p", group_key: "cve:1"})'),
    );
    await graph.write(tx => tx.run('CYPHER 5 CREATE CONSTRAINT theirs FOR (n:CVE) REQUIRE n.id IS UNIQUE', {}));
    await expect(initialiseGraph(graph)).rejects.toMatchObject({
      exitStatus: 69,
      message: expect.stringContaining('Remediation (user_id, project_id, group_key)'),
      hint: expect.stringContaining('duplicate'),
    });
    await graph.write(tx => tx.run('CYPHER 5 MATCH (n:Remediation) WITH n LIMIT 1 DELETE n'));
    const { created, present } = await initialiseGraph(graph);
    expect(created.map(item => item.label)).toContain('Remediation');
    expect(present.map(item => item.label)).toContain('CVE');
  });
});
