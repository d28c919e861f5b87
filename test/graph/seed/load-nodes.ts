import type { Graph } from '../../../src/graph/graph.ts';
import type { Tenant } from '../../../src/graph/tenant.ts';

/** Labels and properties of a node, by a key that relations name it by. CVE nodes are shared, all others the tenant's. */
export type SeedNode = readonly [key: string, labels: string, properties: Readonly<Record<string, unknown>>];
export type SeedRelation = readonly [from: string, type: string, to: string];

const BATCH = 1000;

/** Writes nodes and relations for a tenant; `_seed` names each node until the end. */
export async function loadNodes(
  graph: Graph,
  { userId, projectId }: Tenant,
  nodes: readonly SeedNode[],
  relations: readonly SeedRelation[],
): Promise<void> {
  const seed = `${userId} ${projectId}`;
  for (const [labels, rows] of groupBy(nodes, ([, label]) => label)) {
    for (const batch of batchesOf(rows)) {
      const isShared = labels === 'CVE';
      const query = isShared
        ? `CYPHER 5 UNWIND $rows AS row MERGE (n:CVE {id: row.properties.id})
           SET n += row.properties, n._seed = coalesce(n._seed, []) + row.key`
        : `CYPHER 5 UNWIND $rows AS row CREATE (n:${labels.replaceAll('|', ':')}:Seed)
           SET n = row.properties, n.user_id = $userId, n.project_id = $projectId, n._seed = row.key,
               n.updated_at = coalesce(datetime(row.properties.updated_at), datetime('2027-01-01T00:00:00Z'))`;
      await graph.write(tx =>
        tx.run(query, {
          userId,
          projectId,
          rows: batch.map(([key, , properties]) => ({ key: `${seed} ${key}`, properties })),
        }),
      );
    }
  }
  await graph.write(tx => tx.run('CYPHER 5 CREATE INDEX seed IF NOT EXISTS FOR (n:Seed) ON (n._seed)'));
  await graph.read('CYPHER 5 CALL db.awaitIndexes(120)', {}, { timeoutMs: 120_000 });
  const labelOf = new Map(nodes.map(([key, label]) => [key, label]));
  const groups = groupBy(relations, ([from, type, to]) => `${labelOf.get(from)}\n${type}\n${labelOf.get(to)}`);
  for (const [group, rows] of groups) {
    const [, type = '', target] = group.split('\n');
    for (const batch of batchesOf(rows)) {
      const to = target === 'CVE' ? 'MATCH (b:CVE) WHERE row.to IN b._seed' : 'MATCH (b:Seed {_seed: row.to})';
      await graph.write(tx =>
        tx.run(`CYPHER 5 UNWIND $rows AS row MATCH (a:Seed {_seed: row.from}) ${to} CREATE (a)-[:${type}]->(b)`, {
          rows: batch.map(([from, , t]) => ({ from: `${seed} ${from}`, to: `${seed} ${t}` })),
        }),
      );
    }
  }
  // The mark would make a seeded graph differ from a real one.
  await graph.write(tx =>
    tx.run('CYPHER 5 MATCH (n:Seed) WHERE n._seed STARTS WITH $seed REMOVE n:Seed REMOVE n._seed', {
      seed: `${seed} `,
    }),
  );
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function* batchesOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}
