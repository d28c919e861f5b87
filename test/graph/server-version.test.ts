import { describe, expect, test } from 'vitest';
import { parseServerAgent } from '../../src/graph/server-version.ts';

describe('what a server calls itself', () => {
  test.each([
    ['Neo4j/5.26.0', '5.26.0'],
    ['Neo4j/5.26.30', '5.26.30'],
    ['Neo4j/5.27-aura', '5.27-aura'],
    ['Neo4j/5.100.1', '5.100.1'],
    ['Neo4j/2025.01.0', '2025.01.0'],
    ['Neo4j/2026.08.1', '2026.08.1'],
    ['neo4j/2026.09.0-SNAPSHOT', '2026.09.0-SNAPSHOT'],
  ])('%s is new enough', (agent, version) => {
    expect(parseServerAgent(agent)).toEqual({ version, supported: true });
  });

  test.each([
    'Neo4j/5.25.9',
    'Neo4j/5.2.60',
    'Neo4j/4.4.38',
    'Neo4j/3.5.35',
    'Neo4j/dev',
    'Neo4j/5',
    'Neo4j/',
    'Memgraph/3.0.0',
    'Other Neo4j/5.26.0',
    'Neo4j/5.26.0\nNeo4j/9.9.9',
    'Neo4j/99999999999999999999.1',
    '',
    '   ',
    undefined,
  ])('%s is refused', agent => {
    expect(parseServerAgent(agent).supported).toBe(false);
  });

  test('what is shown of a strange one is short and plain', () => {
    expect(parseServerAgent(`\u001b[31m${'x'.repeat(500)}`).version).toMatch(/^\[31mx{1,60}$/);
    expect(parseServerAgent(undefined).version).toBe('unknown');
  });
});
