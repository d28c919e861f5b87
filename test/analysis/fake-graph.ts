import type { Graph, GraphTx, Params, Row } from '../../src/graph/graph.ts';
import { SCHEMA } from '../../src/graph/initialise-graph.ts';
import { loadQuery } from '../../src/graph/load-query.ts';

export interface FakeGraph extends Graph {
  /** Names of the queries that were read, in order. */
  readonly asked: string[];
  /** Names and parameters of the queries that were written, in order. */
  readonly written: (readonly [string, Params])[];
  isClosed: boolean;
}

type Answer = readonly Row[] | Error | 'never';

/** All constraints and indexes. */
const WHOLE_SCHEMA = SCHEMA.map(({ kind, ...item }) => ({ ...item, unique: kind === 'unique', state: 'ONLINE' }));

/** Answers by the name of the query; what is not named has no rows, but for the schema, which is whole. */
export function fakeGraph(answers: Readonly<Record<string, Answer>> = {}): FakeGraph {
  const all: Record<string, Answer> = { 'schema-list': WHOLE_SCHEMA, ...answers };
  const byText = new Map(Object.entries(all).map(([name, answer]) => [loadQuery(name), { name, answer }]));
  const answerTo = async (query: string): Promise<Row[]> => {
    const answer = byText.get(query)?.answer ?? [];
    if (answer === 'never') await new Promise(() => {});
    if (answer instanceof Error) throw answer;
    return [...(answer as readonly Row[])];
  };
  const graph: FakeGraph = {
    serverVersion: '5.26.0',
    asked: [],
    written: [],
    isClosed: false,
    async read(query) {
      graph.asked.push(byText.get(query)?.name ?? '');
      return answerTo(query);
    },
    stream: () => {
      throw new Error('a review streams nothing');
    },
    write: work => work({ run: run as GraphTx['run'] }),
    async close() {
      graph.isClosed = true;
    },
  };
  const run = (query: string, params: Params) => {
    graph.written.push([byText.get(query)?.name ?? '', params]);
    return answerTo(query);
  };
  return graph;
}
