import { describe, expect, inject, test } from 'vitest';
import { checkGraph } from '../../src/commands/check-graph.ts';
import { takeGraphAccess } from '../../src/commands/graph-access.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { startNeo4j } from '../graph/server/start-neo4j.ts';

const { signal } = new AbortController();

test('doctor names the version of the graph that answers', async () => {
  const access = { ...inject('neo4j'), database: '' };
  const graph = await connectGraph(access);
  await initialiseGraph(graph);
  await graph.close();
  const check = await checkGraph(access, signal);
  expect(check).toEqual({ status: 'ok', what: expect.stringMatching(/^Neo4j 5\.26\.\d+ at 127\.0\.0\.1:\d+$/) });
});

test('doctor tells that the schema is not there, and how it is made', async () => {
  const server = await startNeo4j();
  const check = await checkGraph({ ...server, database: '' }, signal);
  await server.stop();
  expect(check).toMatchObject({ status: 'warn', fix: 'triage --init makes them' });
});

test('doctor says what to do about one that refuses', async () => {
  const check = await checkGraph({ ...inject('neo4j'), password: 'not-the-password', database: '' }, signal);
  expect(check).toMatchObject({ status: 'fail', fix: 'check NEO4J_USER and NEO4J_PASSWORD' });
  expect(check.what).not.toContain('not-the-password');
});

describe('where the graph is', () => {
  test('nowhere without an address', () => {
    expect(takeGraphAccess({})).toBeNull();
    expect(takeGraphAccess({ NEO4J_URI: ' ' })).toBeNull();
  });

  test('the password is taken out of the environment', () => {
    const env: NodeJS.ProcessEnv = { NEO4J_URI: 'bolt://h:7687', NEO4J_PASSWORD: 'some-secret', NEO4J_USERNAME: 'u' };
    expect(takeGraphAccess(env)).toEqual({ uri: 'bolt://h:7687', user: 'u', password: 'some-secret', database: '' });
    expect(env).not.toHaveProperty('NEO4J_PASSWORD');
  });
});
