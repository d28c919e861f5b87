import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { readErrorCode, readGraphFailure } from '../../src/graph/graph-failure.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';

/** Of this file alone. */
const TENANT = { user_id: 'neo4j-test', project_id: 'neo4j-test' };

let graph: Graph;
beforeAll(async () => {
  graph = await connectGraph({ ...inject('neo4j'), database: '' });
});
afterAll(() => graph.close());

test('says the version of the server', () => {
  expect(graph.serverVersion).toMatch(/^5\.26\.\d+$/);
});

test('values come back plain', async () => {
  const [row] = await graph.read(
    `CYPHER 5 RETURN 5 AS whole, 9007199254740993 AS beyond, 0.5 AS half, datetime('2026-01-02T03:04:05Z') AS at,
     date('2026-01-02') AS day, [1, 2] AS list, {a: {b: 1}} AS map, null AS none`,
  );
  expect(row).toEqual({
    whole: 5,
    beyond: 9007199254740993n,
    half: 0.5,
    at: '2026-01-02T03:04:05Z',
    day: '2026-01-02',
    list: [1, 2],
    map: { a: { b: 1 } },
    none: null,
  });
});

test('whole numbers are stored as integers, lists with a fraction as floats', async () => {
  const [row] = await graph.write(tx =>
    tx.run(
      `CYPHER 5 MERGE (n:Sample {user_id: $user_id, project_id: $project_id, id: 'numbers'})
       SET n += $props RETURN n, valueType(n.whole) AS whole, valueType(n.list) AS list`,
      { ...TENANT, props: { whole: 3, half: 0.5, list: [1, 0.5], gone: undefined } },
    ),
  );
  expect(row).toMatchObject({ n: { whole: 3, half: 0.5, list: [1, 0.5] }, whole: 'INTEGER NOT NULL' });
  expect(row?.['list']).toContain('FLOAT');
  expect(row?.['n']).not.toHaveProperty('gone');
});

test('a read cannot write', async () => {
  const writing = graph.read('CYPHER 5 MERGE (n:Sample {user_id: $user_id, project_id: $project_id})', TENANT);
  await expect(writing).rejects.toMatchObject({ code: 'Neo.ClientError.Statement.AccessMode' });
});

test('a transaction whose work fails leaves nothing', async () => {
  const failing = graph.write(async tx => {
    await tx.run('CYPHER 5 CREATE (:Sample {user_id: $user_id, project_id: $project_id, id: "half"})', TENANT);
    throw new Error('of the work itself');
  });
  await expect(failing).rejects.toThrow('of the work itself');
  expect(await countSamples('half')).toBe(0);
});

test('a long result is streamed, and may be left early', async () => {
  let sum = 0;
  for await (const row of graph.stream('CYPHER 5 UNWIND range(1, 20000) AS n RETURN n')) sum += Number(row['n']);
  expect(sum).toBe(200_010_000);
  for await (const row of graph.stream('CYPHER 5 UNWIND range(1, 1000000) AS n RETURN n')) {
    if (row['n'] === 3) break;
  }
  expect(await graph.read('CYPHER 5 RETURN 1 AS n')).toEqual([{ n: 1 }]);
});

describe('transactions in each other’s way', () => {
  // What does not exist yet cannot be locked.
  beforeAll(() =>
    graph.write(tx =>
      tx.run(
        `CYPHER 5 UNWIND ['a', 'b', 'held'] AS id
         MERGE (n:Sample {user_id: $user_id, project_id: $project_id, id: id}) SET n.count = 0`,
        TENANT,
      ),
    ),
  );

  test('two that lock in opposite order both end', async () => {
    let waiting = 0;
    let bothHold: () => void = () => {};
    const met = new Promise<void>(resolve => {
      bothHold = resolve;
    });
    const lockBoth = (first: string, second: string) =>
      graph.write(async tx => {
        await raise(tx, first);
        waiting += 1;
        if (waiting === 2) bothHold();
        await met;
        await raise(tx, second);
      });
    await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')]);
    expect(waiting).toBe(3);
    expect(await readCounts()).toEqual({ a: 2, b: 2 });
  });

  test('a lock that is not given up is told as one, after as many attempts as asked for', async () => {
    let attempts = 0;
    const failure = await graph.write(async holder => {
      await raise(holder, 'held');
      return graph
        .write(
          async tx => {
            attempts += 1;
            await raise(tx, 'held');
          },
          { attempts: 2, timeoutMs: 60_000 },
        )
        .then(
          () => undefined,
          (error: unknown) => error,
        );
    });
    expect(readErrorCode(failure)).toBe('Neo.TransientError.Transaction.LockAcquisitionTimeout');
    expect(readGraphFailure(failure)).toBe('lock');
    expect(attempts).toBe(2);
  });

  test('a signal ends an attempt that waits, and rolls it back', async () => {
    const stop = new AbortController();
    const outcome = await graph.write(async holder => {
      await raise(holder, 'held');
      const waiting = graph.write(
        async tx => {
          await tx.run('CYPHER 5 CREATE (:Sample {user_id: $user_id, project_id: $project_id, id: "stopped"})', TENANT);
          stop.abort();
          await raise(tx, 'held');
        },
        { signal: stop.signal },
      );
      return waiting.then(
        () => undefined,
        (error: unknown) => error,
      );
    });
    expect(outcome).toMatchObject({ code: 'interrupted' });
    expect(await countSamples('stopped')).toBe(0);
  });

  test('the server ends a transaction at its limit', async () => {
    const slow = graph.read('CYPHER 5 UNWIND range(1, 1000000000) AS n RETURN max(n * n % 7)', {}, { timeoutMs: 500 });
    const failure = await slow.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(readGraphFailure(failure)).toBe('busy');
  });
});

const raise = (tx: { run: Graph['read'] }, id: string) =>
  tx.run(
    `CYPHER 5 MERGE (n:Sample {user_id: $user_id, project_id: $project_id, id: $id})
     SET n.count = coalesce(n.count, 0) + 1`,
    { ...TENANT, id },
  );

async function countSamples(id: string): Promise<unknown> {
  const [row] = await graph.read(
    'CYPHER 5 RETURN COUNT { MATCH (:Sample {user_id: $user_id, project_id: $project_id, id: $id}) } AS found',
    { ...TENANT, id },
  );
  return row?.['found'];
}

async function readCounts(): Promise<Record<string, unknown>> {
  const rows = await graph.read(
    `CYPHER 5 MATCH (n:Sample {user_id: $user_id, project_id: $project_id}) WHERE n.id IN ['a', 'b']
     RETURN n.id AS id, n.count AS count`,
    TENANT,
  );
  return Object.fromEntries(rows.map(row => [row['id'], row['count']]));
}
