import { expect, test } from 'vitest';
import { buildLedger, reasonsIncomplete } from '../../src/findings/build-ledger.ts';
import { accountFor } from '../../src/scanners/account.ts';
import type { JobFiles } from '../../src/scanners/job-files.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import { listScanners } from '../../src/scanners/registry.ts';
import { copyFiles, planFiles } from '../../src/scanners/snapshot.ts';
import { createMemoryTree, type Files, toScanFiles } from './memory-tree.ts';
import { RULES } from './scan.ts';

/** What goes into the job for these files, and the account of a run in which every tool read all that it was given. */
async function runOver(files: Files) {
  const tree = createMemoryTree(files);
  const records = await planFiles(toScanFiles(files), tree);
  const sent: string[] = [];
  for await (const { path } of copyFiles(records, tree)) if (!path.endsWith('/.keep')) sent.push(path);
  const job: JobFiles = { records, history: [], canaryFolder: 'canary' };
  const scanners = listScanners(toRulePack(RULES), undefined);
  const scan = { findings: [], examined: new Set(sent), partial: new Map() };
  const { statusOf, ...account } = accountFor(
    job,
    scanners.map(scanner => ({ scanner, scan, started: true })),
  );
  const runs = scanners.map(({ name }) => ({ name, version: '1', durationMs: 1, findings: 0, ...statusOf(name) }));
  return { sent, account, runs };
}

function toLedger(files: Files, { account, runs }: Awaited<ReturnType<typeof runOver>>) {
  const change = {
    wholeTree: false,
    files: Object.keys(files).map(path => ({
      path,
      status: 'added' as const,
      kind: 'text' as const,
      oldMode: '000000',
      newMode: '100644',
      oldBlob: '',
      newBlob: '',
      additions: 0,
      deletions: 0,
      hunks: [],
    })),
  };
  return buildLedger({ change, scanners: runs, ...account });
}

test('a file of nothing, or of a byte-order mark alone, goes to no scanner', async () => {
  const { sent, account } = await runOver({
    'a/__init__.py': '',
    'b.js': '',
    'c.ts': Buffer.from([0xef, 0xbb, 0xbf]),
    'd.ts': Buffer.from([0xff, 0xfe]),
    'e.txt': '',
    'f.ipynb': '',
  });
  expect(sent).toEqual([]);
  expect(new Set(account.skipped.values())).toEqual(new Set(['empty']));
  expect(account.skipped.size).toBe(6);
  expect(account.partial.size).toBe(0);
});

test('blanks are text', async () => {
  const { sent, account } = await runOver({ 'a.py': '\n', 'b.js': ' ' });
  expect(sent.filter(path => path.startsWith('src/'))).toEqual(['src/python/f000000.py', 'src/javascript/f000001.js']);
  expect(account.skipped.size).toBe(0);
});

test('a change of an empty file alone is complete', async () => {
  const files = { '__init__.py': '' };
  const run = await runOver(files);
  const messages = Object.fromEntries(run.runs.map(({ name, status, message }) => [name, `${status}: ${message}`]));
  expect(messages).toMatchObject({
    'ast-grep': 'skipped: only empty files',
    bandit: 'skipped: only empty files',
    ruff: 'skipped: only empty files',
    gitleaks: 'skipped: only empty files',
    eslint: 'skipped: no such files',
  });
  const ledger = toLedger(files, run);
  expect(ledger).toMatchObject({ complete: true, files: [{ examinedBy: [], skipped: 'empty' }] });
  expect(reasonsIncomplete(ledger, run.runs)).toEqual([]);
});

test('beside others an empty file leaves no scanner short of one', async () => {
  const files = { '__init__.py': '', 'a.py': 'exec(x)\n' };
  const run = await runOver(files);
  expect(run.account.partial.size).toBe(0);
  expect(run.runs.find(({ name }) => name === 'ast-grep')).toMatchObject({ status: 'ok', filesExamined: 1 });
  expect(toLedger(files, run).complete).toBe(true);
});
