import { defineConfig } from 'vitest/config';

const NEVER = ['**/node_modules/**', 'test/data/**', 'test/demo/**'];

// Three projects: `unit` runs in parallel; `graph` runs against one real Neo4j; `engine` runs one file after another,
// since those share one Docker engine and its two cores. Vitest takes its configuration as a default export only.
// biome-ignore lint/style/noDefaultExport: required by Vitest
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...NEVER, 'test/**/*.engine.test.ts', 'test/**/*.graph.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'graph',
          include: ['test/**/*.graph.test.ts'],
          exclude: NEVER,
          globalSetup: ['test/graph/server/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 240_000,
          // Each file has a project of its own in the graph; most of the time goes by in waiting for limits.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'engine',
          include: ['test/**/*.engine.test.ts'],
          exclude: NEVER,
          testTimeout: 180_000,
          hookTimeout: 300_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
