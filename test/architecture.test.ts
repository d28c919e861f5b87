import { describe, expect, test } from 'vitest';
import { type Import, listSources, readImports, readSource } from './imports.ts';

/** Floors of src, from the top (architecture.md): a file imports from lower floors only, or from its own folder. */
const FLOORS: readonly (readonly string[])[] = [
  ['main'],
  ['commands'],
  ['publish', 'recording'],
  ['analyze-change'],
  ['analysis'],
  ['findings', 'event', 'scanners', 'acceptance'],
  ['triage'],
  ['policy', 'sandbox', 'review'],
  ['graph'],
  ['github', 'render', 'risk', 'runner', 'workspace', 'model'],
  ['core'],
];

const OWNERS: Record<string, RegExp> = {
  dockerode: /^sandbox\/docker/,
  '@actions/github': /^github\/client\.ts$/,
  '@actions/cache': /^sandbox\/image-cache\.ts$/,
  '@anthropic-ai/sdk': /^model\/anthropic/,
  '@anthropic-ai/bedrock-sdk': /^model\/bedrock\.ts$/,
  openai: /^model\/openai\.ts$/,
  'neo4j-driver': /^graph\/neo4j/,
  undici: /^model\/dispatcher\.ts$/,
  'parse-diff': /^workspace\//,
  yaml: /^(policy|scanners)\//,
  zod: /./,
};

const imports = listSources().flatMap(readImports);
const own = imports.filter(i => i.own && !i.typeOnly);

const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.ts$/, ''));
const floorOf = (path: string) => FLOORS.findIndex(floor => floor.includes(folderOf(path)));
const show = (i: Import) => `${i.from} → ${i.to}`;

describe('floors', () => {
  test('every folder of src has a floor', () => {
    const homeless = listSources().filter(path => floorOf(path) < 0);
    expect(homeless).toEqual([]);
  });

  test('a file imports from lower floors or its own folder only', () => {
    const upward = imports.filter(i => {
      if (!i.own) return false;
      return folderOf(i.from) !== folderOf(i.to) && floorOf(i.to) <= floorOf(i.from);
    });
    expect(upward.map(show)).toEqual([]);
  });

  test('core imports nothing but zod and node', () => {
    const foreign = imports.filter(
      i => i.from.startsWith('core/') && !i.own && i.to !== 'zod' && !i.to.startsWith('node:'),
    );
    expect(foreign.map(show)).toEqual([]);
  });
});

test('no two files import each other, over any number of steps', () => {
  const graph = new Map<string, string[]>();
  for (const i of own) graph.set(i.from, [...(graph.get(i.from) ?? []), i.to]);
  expect(findCycle(graph)).toEqual([]);
});

test('every import names a file that exists', () => {
  const sources = new Set(listSources());
  expect(imports.filter(i => i.own && i.to.endsWith('.ts') && !sources.has(i.to)).map(show)).toEqual([]);
});

test('each vendor package has one owner', () => {
  const strangers = imports.filter(i => {
    if (i.own || i.to.startsWith('node:') || i.typeOnly) return false;
    const owner = OWNERS[i.to];
    return owner !== undefined && !owner.test(i.from);
  });
  expect(strangers.map(show)).toEqual([]);
});

test('the environment is read at the edge only', () => {
  const readers = listSources().filter(path => readSource(path).includes('process.env'));
  expect(readers.filter(path => !/^(main\.ts|runner\/|commands\/)/.test(path))).toEqual([]);
});

test('a file holds one idea: 300 lines at most', () => {
  const long = listSources().filter(path => readSource(path).split('\n').length > 301);
  expect(long).toEqual([]);
});

test('until an event is known to apply, only our own files and node: are loaded', () => {
  const { files, packages } = loadedAtOnce('main.ts', 'commands/resolve.ts');
  expect(packages.map(show)).toEqual([]);
  expect(files).toContain('event/decide.ts');
});

/** Files by which a review is loaded, in this order. */
const REVIEW = ['commands/review.ts', 'commands/run-review.ts', 'commands/analyze.ts', 'analysis/conclude.ts'] as const;

test('until the scan runs, nothing is loaded that deals with its findings', () => {
  const { files } = loadedAtOnce('commands/review.ts', 'commands/with-sandbox.ts', 'commands/run-review.ts');
  expect(files).toContain('scanners/run-scanners.ts');
  expect([...files].filter(path => /^(findings|risk|review|acceptance|render)\/|^core\/report/.test(path))).toEqual([]);
});

test('a review without models loads neither an SDK nor the reviewers', () => {
  const { files, packages } = loadedAtOnce(...REVIEW);
  expect(packages.filter(i => /anthropic|openai|undici/.test(i.to)).map(show)).toEqual([]);
  expect(files).toContain('analysis/ai-review.ts');
  expect(files).not.toContain('review/review-change.ts');
  expect(files).not.toContain('model/create-model.ts');
});

test('a review without issues loads nothing of the acceptance check', () => {
  const { files } = loadedAtOnce(...REVIEW);
  expect(files).toContain('analysis/run-acceptance.ts');
  expect([...files].filter(path => path.startsWith('acceptance/'))).toEqual([]);
});

/** What is loaded with these files, before anything is imported on demand. */
function loadedAtOnce(...entries: readonly string[]) {
  const files = new Set<string>();
  const packages: Import[] = [];
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    for (const i of readImports(path)) {
      if (i.dynamic || i.typeOnly) continue;
      if (i.own) visit(i.to);
      else if (!i.to.startsWith('node:')) packages.push(i);
    }
  };
  for (const entry of entries) visit(entry);
  return { files, packages };
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): string[] => {
    const at = path.indexOf(node);
    if (at >= 0) return [...path.slice(at), node];
    if (done.has(node)) return [];
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle.length > 0) return cycle;
    }
    path.pop();
    done.add(node);
    return [];
  };
  for (const node of graph.keys()) {
    const cycle = visit(node);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
