import type { Graph } from '../../src/graph/graph.ts';

/**
 * A graph that stops before every statement of a write transaction, and once more before its commit. Steps are numbered
 * from 1, over all transactions and attempts; `query` is null before a commit.
 */
export function withSteps(graph: Graph, onStep: (step: number, query: string | null) => Promise<void> | void): Graph {
  let step = 0;
  return {
    ...graph,
    write: (work, options) =>
      graph.write(async tx => {
        const result = await work({
          async run(query, params) {
            await onStep(++step, query);
            return tx.run(query, params);
          },
        });
        await onStep(++step, null);
        return result;
      }, options),
  };
}
