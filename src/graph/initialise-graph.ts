import { toMessage } from '../core/errors.ts';
import { FINDING_LABELS } from './finding-labels.ts';
import type { Graph } from './graph.ts';
import { GraphError, readErrorCode, readGraphFailure } from './graph-failure.ts';
import { loadQuery } from './load-query.ts';

/** What the queries rely on: a uniqueness constraint, without which two runs could both start, or an index. */
export interface SchemaItem {
  readonly kind: 'unique' | 'index';
  readonly label: string;
  readonly properties: readonly string[];
}

export interface SchemaReport {
  /** Made by this call. */
  readonly created: readonly SchemaItem[];
  readonly present: readonly SchemaItem[];
}

export const SCHEMA: readonly SchemaItem[] = [
  { kind: 'unique', label: 'TriageProject', properties: ['user_id', 'project_id'] },
  { kind: 'unique', label: 'TriageRun', properties: ['id'] },
  { kind: 'unique', label: 'Remediation', properties: ['user_id', 'project_id', 'group_key'] },
  {
    kind: 'unique',
    label: 'CodeFinding',
    properties: ['user_id', 'project_id', 'repository', 'fingerprint', 'scope'],
  },
  // Shared by all projects, and perhaps filled by others: an index is enough where uniqueness cannot be had.
  { kind: 'index', label: 'CVE', properties: ['id'] },
  ...FINDING_LABELS.map(label => ({ kind: 'index', label, properties: ['project_id', 'id'] }) as const),
];

const SCHEMA_MS = 120_000;

/** Makes the constraints and indexes that are missing and waits until they can be used. Safe to run again. */
export async function initialiseGraph(graph: Graph): Promise<SchemaReport> {
  const missing = await listMissingSchema(graph);
  for (const item of missing) await create(graph, item);
  await graph.read(loadQuery('schema-await'), { seconds: SCHEMA_MS / 1000 }, { timeoutMs: SCHEMA_MS + 10_000 });
  const left = await listMissingSchema(graph);
  if (left.length > 0) {
    throw new GraphError('schema', `Neo4j did not make ${left.map(describeItem).join(', ')}`, {
      hint: 'look into the log of the Neo4j server',
    });
  }
  return { created: missing, present: SCHEMA.filter(item => !missing.includes(item)) };
}

/** What initialiseGraph would make. */
export async function listMissingSchema(graph: Graph): Promise<SchemaItem[]> {
  const rows = await graph.read(loadQuery('schema-list'));
  return SCHEMA.filter(
    item =>
      !rows.some(
        row =>
          row['label'] === item.label &&
          row['state'] !== 'FAILED' &&
          (item.kind === 'index' || row['unique'] === true) &&
          isSame(row['properties'], item.properties),
      ),
  );
}

/** `CodeFinding (project_id, id)` */
export const describeItem = ({ kind, label, properties }: SchemaItem): string =>
  `${kind === 'unique' ? 'the constraint' : 'the index'} on ${label} (${properties.join(', ')})`;

async function create(graph: Graph, { kind, label, properties }: SchemaItem): Promise<void> {
  // Names of labels and properties cannot be parameters; these are our own.
  const name = `cypherfix_${label}_${properties.join('_')}`.toLowerCase();
  const list = properties.map(property => `n.${property}`).join(', ');
  const statement =
    kind === 'unique'
      ? `CYPHER 5 CREATE CONSTRAINT ${name} IF NOT EXISTS FOR (n:${label}) REQUIRE (${list}) IS UNIQUE`
      : `CYPHER 5 CREATE INDEX ${name} IF NOT EXISTS FOR (n:${label}) ON (${list})`;
  try {
    await graph.write(tx => tx.run(statement), { timeoutMs: SCHEMA_MS });
  } catch (error) {
    // IF NOT EXISTS looks before another transaction that does the same has committed.
    if (/\.(EquivalentSchemaRule|\w+WithName)AlreadyExists$/.test(readErrorCode(error))) return;
    if (readGraphFailure(error) !== 'schema') throw error;
    throw new GraphError('schema', `Neo4j refuses ${describeItem({ kind, label, properties })}: ${toMessage(error)}`, {
      hint: `remove duplicate nodes of ${label}, or an index on the same properties that is not unique, and try again`,
      cause: error,
    });
  }
}

const isSame = (found: unknown, wanted: readonly string[]): boolean =>
  Array.isArray(found) && found.length === wanted.length && wanted.every((property, i) => found[i] === property);
