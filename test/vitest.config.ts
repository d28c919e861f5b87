import { defineConfig } from 'vitest/config';

const NEVER = ['**/node_modules/**', 'test/data/**', 'test/demo/**'];

// Two projects: `unit` runs in parallel; `engine` runs one file after another, since those share one Docker engine and
// its two cores. Vitest takes its configuration as a default export only.
// biome-ignore lint/style/noDefaultExport: required by Vitest
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...NEVER, 'test/**/*.engine.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
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
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
