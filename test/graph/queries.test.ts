import { describe, expect, test } from 'vitest';
import { CYPHER_FILES } from '../../src/graph/cypher-files.ts';
import { loadQuery } from '../../src/graph/load-query.ts';
import { toByIdQuery } from '../../src/graph/read-findings.ts';
import { FACT_SETS } from '../../src/graph/reduce-facts.ts';
import { findFaults, isReadOnly } from './query-rules.ts';

/** Queries that are not about one project, and why. */
const ANY_PROJECT: Readonly<Record<string, string>> = {
  ready: 'looks at nothing',
  'schema-list': 'of the whole database',
  'schema-await': 'of the whole database',
  'cve-read': 'what is known of a CVE belongs to nobody',
  'cve-write': 'what is known of a CVE belongs to nobody',
  'facts-detector-labels': 'verdicts of one user, over all of the user’s projects',
};

/** Queries that touch findings without NOT n:Muted, and why. */
const MUTED: Readonly<Record<string, string>> = {
  'facts-detector-labels': 'a verdict on a muted finding teaches as well',
  'facts-confirmed-exploits': 'an exploit that worked is proof of its CVE, shown or not; returns CVEs',
  'publish-exploited-cves': 'an exploit that worked is proof of its CVE, shown or not; returns CVEs',
  'code-upsert': 'returns nothing; a muted finding is still there',
  'code-stale': 'returns nothing; a muted finding may go as well',
  'code-remove-scopes': 'returns nothing; a muted finding goes with its pull request',
  'code-remove-others': 'returns nothing; a muted finding goes with its cause',
  'code-list-scopes': 'returns names of pull requests, no finding',
};

const names = Object.keys(CYPHER_FILES);

test.each(names)('%s keeps the rules', name => {
  const exceptions = { anyProject: Object.hasOwn(ANY_PROJECT, name), muted: Object.hasOwn(MUTED, name) };
  expect(findFaults(loadQuery(name), exceptions)).toEqual([]);
});

test('only the shared CVE nodes are written without a project', () => {
  const writing = Object.keys(ANY_PROJECT).filter(name => names.includes(name) && !isReadOnly(loadQuery(name)));
  expect(writing).toEqual(['cve-write']);
});

test('every fact set has a query, and only reads', () => {
  const facts = names.filter(name => name.startsWith('facts-'));
  expect(facts).toEqual(FACT_SETS.map(set => `facts-${set}`).sort());
  for (const name of facts) expect(isReadOnly(loadQuery(name)), name).toBe(true);
});

describe('finding queries', () => {
  const finding = names.filter(name => name.startsWith('findings-'));

  test('there is one for each label', () => {
    expect(finding).toHaveLength(9);
  });

  test.each(finding)('%s only reads, and asks for single ids in its first WHERE', name => {
    expect(isReadOnly(loadQuery(name))).toBe(true);
    const where = toByIdQuery(loadQuery(name)).split(/^(?:RETURN|WITH)/m)[0];
    expect(where).toMatch(/AND (?:f\.id|coalesce\(f\.finding_id, f\.id\)) IN \$ids/);
  });
});

describe('the rules find', () => {
  const good = `CYPHER 5
MATCH (f:Secret {project_id: $projectId})
WHERE f.user_id = $userId AND NOT f:Muted AND EXISTS { (f)-[:IN]->(:Package) }
RETURN f.id AS id`;

  test('nothing in a good query', () => {
    expect(findFaults(good)).toEqual([]);
  });

  test.each([
    ['another language', good.replace('CYPHER 5\n', ''), 'does not pin the language'],
    ['OPTIONAL MATCH', good.replace('RETURN', 'OPTIONAL MATCH (f)-->(x)\nRETURN'), 'asks with OPTIONAL MATCH'],
    ['a second statement', `${good};\nMATCH (n) DELETE n`, 'has several statements'],
    ['no user', good.replace('f.user_id = $userId AND', ''), 'is not bound to user and project'],
    ['no project', good.replace(' {project_id: $projectId}', ''), 'is not bound to user and project'],
    [
      'a tenant in a comment only',
      good.replace('f.user_id = $userId AND', '/* */').concat('\n// $userId'),
      'is not bound to user and project',
    ],
    [
      'a second start',
      `${good.replace('RETURN', 'MATCH (x:Secret)\nRETURN')}`,
      'starts from another tenant: MATCH (x:Secret)',
    ],
    [
      'a tenant in a subquery only',
      good.replace('f.user_id = $userId', 'EXISTS { MATCH (y) WHERE y.user_id = $userId }'),
      'starts from another tenant: MATCH (f:Secret {project_id: $projectId})',
    ],
    ['muted findings', good.replace(' AND NOT f:Muted', ''), 'lets muted findings through'],
  ])('%s', (_, query, fault) => {
    expect(findFaults(query)).toContain(fault);
  });

  test('writing in what should read', () => {
    expect(isReadOnly(good)).toBe(true);
    expect(isReadOnly(good.replace('RETURN', 'SET f.x = 1 RETURN'))).toBe(false);
    expect(isReadOnly(good.replace('f.id', "'SET'"))).toBe(true);
  });
});
