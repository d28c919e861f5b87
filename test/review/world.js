import { createBudget, REVIEW_SHARES } from '../../src/model/budget.js';
import { findPrices } from '../../src/model/prices.js';
export function memoryTree(files) {
  const reads = [];
  const paths = Object.keys(files).sort();
  return {
    reads,
    entries: async () =>
      paths.map(path => ({ path, mode: '100644', kind: 'text', size: Buffer.byteLength(files[path] ?? '') })),
    async read({ path }, maxBytes) {
      reads.push(path);
      const content = files[path];
      if (content === undefined) return { status: 'missing', reason: 'no such file in the tree' };
      const bytes = Buffer.from(content);
      return bytes.length > maxBytes ? { status: 'too-large', reason: 'too large' } : { status: 'ok', bytes };
    },
    close: async () => {},
  };
}
/** A file that the change adds, in one hunk. */
export function added(path, content) {
  const texts = linesOf(content);
  const lines = texts.map((text, at) => ({ type: 'added', newLine: at + 1, text }));
  const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, section: '', lines };
  return toFileChange(path, { status: 'added', hunks: lines.length === 0 ? [] : [hunk] });
}
/** A changed file: `-`, `+` and ` ` before each line of each hunk, which begins at the given line of both sides. */
export function modified(path, hunks, rest = {}) {
  let shift = 0;
  const built = hunks.map(({ start, rows }) => {
    const hunk = toHunk(start, start + shift, rows);
    shift += hunk.newLines - hunk.oldLines;
    return hunk;
  });
  return toFileChange(path, { status: 'modified', hunks: built, ...rest });
}
function toHunk(oldStart, newStart, rows) {
  let [oldLine, newLine] = [oldStart, newStart];
  const lines = rows.map(row => {
    const text = row.slice(1);
    if (row.startsWith('+')) return { type: 'added', newLine: newLine++, text };
    if (row.startsWith('-')) return { type: 'deleted', oldLine: oldLine++, text };
    return { type: 'context', oldLine: oldLine++, newLine: newLine++, text };
  });
  return { oldStart, oldLines: oldLine - oldStart, newStart, newLines: newLine - newStart, section: '', lines };
}
function toFileChange(path, rest) {
  const rows = rest.hunks?.flatMap(hunk => hunk.lines) ?? [];
  return {
    path,
    status: 'modified',
    kind: 'text',
    oldMode: '100644',
    newMode: '100644',
    oldBlob: '1'.repeat(40),
    newBlob: '2'.repeat(40),
    additions: rows.filter(line => line.type === 'added').length,
    deletions: rows.filter(line => line.type === 'deleted').length,
    hunks: [],
    ...rest,
  };
}
const linesOf = content => {
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
};
/** Commits by subject, the newest first; searches by plain regular expressions. */
export function memoryInspection(files, subjects = ['Begin']) {
  const commits = subjects.map((subject, at) => ({ commit: `${at}`.padStart(40, 'c'), date: '2026-11-01', subject }));
  return {
    async search({ pattern, fixed, takes, maxMatches }) {
      const test = new RegExp(fixed ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern);
      const all = Object.entries(files).flatMap(([path, content]) =>
        linesOf(content.toString()).flatMap((text, at) => (test.test(text) ? [{ path, line: at + 1, text }] : [])),
      );
      const taken = all.filter(match => takes(match.path));
      return { matches: taken.slice(0, maxMatches), more: Math.max(0, taken.length - maxMatches) };
    },
    log: async (_path, most) => commits.slice(0, most),
    async blame(path, start, end) {
      const lines = linesOf((files[path] ?? '').toString()).slice(start - 1, end);
      return lines.map((text, at) => ({ ...(commits[0] ?? NO_COMMIT), line: start + at, text }));
    },
  };
}
const NO_COMMIT = { commit: '0'.repeat(40), date: '', subject: '' };
export const REVIEWER_MODEL = 'claude-sonnet-5-5';
export const JUDGE_MODEL = 'claude-opus-5-5';
export function testBudget(totalUsd = 1.5, maxCalls = 60, minutes = 15) {
  return createBudget({
    totalUsd,
    shares: REVIEW_SHARES,
    maxCalls,
    deadline: minutes * 60_000,
    prices: findPrices([REVIEWER_MODEL, JUDGE_MODEL], {}),
    now: () => 0,
  });
}
export const SCANNER_FINDING = {
  id: 'a1b2c3d4',
  tool: 'ast-grep',
  ruleId: 'js-command-injection',
  severity: 'critical',
  path: 'src/run.ts',
  startLine: 3,
  title: 'Command injection',
  message: 'A command is built from input.',
};
/** A small change with a planted fault: `name` goes into a shell. */
export const RUN_TS = `import { execSync } from 'node:child_process';
export function list(name: string): string {
  return execSync('ls ' + name).toString();
}
`;
/** Everything of a review but the model. */
export function reviewWorld(options = {}) {
  const { files = { 'src/run.ts': RUN_TS }, changed, subjects, tree, ...rest } = options;
  return {
    change: { files: changed ?? Object.entries(files).map(([path, content]) => added(path, content.toString())) },
    tree: tree ?? memoryTree(files),
    inspection: memoryInspection(files, subjects),
    title: 'List a folder',
    body: 'Adds list().',
    scannerFindings: [SCANNER_FINDING],
    previousOpen: [],
    policy: {
      reviewerModel: REVIEWER_MODEL,
      judgeModel: JUDGE_MODEL,
      reviewerEffort: 'medium',
      judgeEffort: 'high',
      instructions: null,
      threshold: 0.6,
      maxFiles: 300,
      isIgnored: () => false,
    },
    budget: testBudget(),
    runTests: null,
    random: () => 'b0a1c2d3e4f56789',
    signal: new AbortController().signal,
    ...rest,
  };
}
