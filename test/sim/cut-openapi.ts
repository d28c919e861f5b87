/**
 * Cuts the operations that the simulator serves out of GitHub's own OpenAPI description.
 * The published package is far too large to depend on, so it is installed once, outside the repository:
 *
 *   npm install --prefix /tmp/openapi @octokit/openapi@23.0.2
 *   node test/sim/cut-openapi.ts /tmp/openapi/node_modules/@octokit/openapi/generated/api.github.com.json
 *
 * Needs a Node that strips types (24, in node_modules/.bin).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TARGET = fileURLToPath(new URL('../data/github/openapi-subset.json', import.meta.url));
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);
/** Words for people only: validation needs none of them and they are two thirds of the bytes. */
const PROSE = new Set(['description', 'summary', 'example', 'examples', 'x-github', 'tags', 'x-codeSamples']);

const OPERATIONS = new Set(
  `repos/get repos/get-branch repos/get-branch-rules repos/get-collaborator-permission-level repos/get-commit
  repos/compare-commits-with-basehead repos/get-content repos/list-commits
  pulls/list pulls/get pulls/list-files pulls/list-commits
  pulls/list-reviews pulls/create-review pulls/get-review pulls/update-review pulls/list-comments-for-review
  pulls/list-review-comments pulls/create-review-comment pulls/create-reply-for-review-comment
  pulls/get-review-comment pulls/update-review-comment pulls/delete-review-comment
  issues/get issues/create issues/update issues/list-for-repo issues/list-comments issues/create-comment issues/get-comment issues/update-comment
  issues/delete-comment issues/list-labels-on-issue issues/add-labels issues/remove-label
  reactions/list-for-issue-comment reactions/create-for-issue-comment reactions/delete-for-issue-comment
  reactions/list-for-pull-request-review-comment reactions/create-for-pull-request-review-comment
  reactions/delete-for-pull-request-comment reactions/create-for-issue reactions/list-for-issue
  checks/create checks/update checks/get checks/list-for-ref checks/list-annotations
  actions/get-workflow-run actions/list-artifacts-for-repo actions/list-workflow-run-artifacts actions/get-artifact
  actions/download-artifact
  git/get-ref git/list-matching-refs git/get-commit git/get-tree git/get-blob
  code-scanning/upload-sarif code-scanning/get-sarif rate-limit/get`.split(/\s+/),
);

interface Description {
  openapi: string;
  info: { title: string; version: string; license: unknown };
  paths: Record<string, Record<string, { operationId: string }>>;
  components: Record<string, Record<string, unknown>>;
}

const source = process.argv[2];
if (source === undefined) throw new Error('usage: node test/sim/cut-openapi.ts PATH/api.github.com.json');
const full = JSON.parse(readFileSync(source, 'utf8')) as Description;
const paths = pickPaths();
const components = reach(paths);
const { title, version, license } = full.info;
const subset = { openapi: full.openapi, info: { title, version, license }, paths, components };
writeFileSync(TARGET, `${JSON.stringify(subset)}\n`);

function pickPaths(): Record<string, Record<string, unknown>> {
  const missing = new Set(OPERATIONS);
  const picked: Record<string, Record<string, unknown>> = {};
  for (const [path, methods] of Object.entries(full.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!METHODS.has(method) || !missing.delete(operation.operationId)) continue;
      picked[path] = { ...picked[path], [method]: withoutProse(operation) };
    }
  }
  if (missing.size > 0) throw new Error(`not in this description: ${[...missing].join(', ')}`);
  return picked;
}

/** Every component that the value refers to, directly or through others. */
function reach(value: unknown): Record<string, Record<string, unknown>> {
  const found: Record<string, Record<string, unknown>> = {};
  const queue = referencesIn(value);
  for (const reference of queue) {
    const [, kind, name] = reference.slice(2).split('/');
    if (kind === undefined || name === undefined || kind === 'examples') continue;
    found[kind] ??= {};
    if (found[kind][name] !== undefined) continue;
    found[kind][name] = withoutProse(full.components[kind]?.[name]);
    queue.push(...referencesIn(found[kind][name]));
  }
  return found;
}

function referencesIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"(#[^"]+)"/g)].map(match => match[1] ?? '');
}

/** Drops prose, but keeps a property that happens to be called `description` or `tags`. */
function withoutProse(value: unknown, namesAreData = false): unknown {
  if (Array.isArray(value)) return value.map(item => withoutProse(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => namesAreData || !PROSE.has(key));
  return Object.fromEntries(
    kept.map(([key, item]) => [key, withoutProse(item, !namesAreData && key === 'properties')]),
  );
}
