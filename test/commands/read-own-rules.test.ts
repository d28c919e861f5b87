import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStopwatch } from '../../src/analysis/stopwatch.ts';
import { readOwnRules } from '../../src/commands/read-own-rules.ts';
import { analyzeOpened, type RepositoryPlan } from '../../src/commands/run-analysis.ts';
import { toEmptyReport } from '../../src/core/empty-report.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import { loadPolicy } from '../../src/policy/load-policy.ts';
import { openLocalWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import { createTempRepo, type TempRepo } from '../workspace/temp-repo.ts';

let repo: TempRepo;
let workspace: Workspace;
beforeAll(async () => {
  repo = createTempRepo();
  repo.write('rules/a.yml', 'id: a\n');
  repo.write('rules/deep/b.yaml', 'id: b\n');
  repo.write('rules/tests/c.yml', 'valid: []\n');
  repo.write('notes/readme.md', '# Notes\n');
  repo.write('linked/a.yml', 'id: a\n');
  symlinkSync('a.yml', join(repo.path, 'linked', 'b.yml'));
  repo.commit('base');
  repo.write('new/a.yml', 'id: a\n');
  repo.commit('head');
  workspace = await openLocalWorkspace({ repo: repo.path, base: 'HEAD~1' });
});
afterAll(async () => {
  await workspace.close();
  repo.remove();
});

async function read(extra: string) {
  const policy = await loadPolicy(async () => Buffer.from(`scanners: { rules: { extra: ${extra} } }\n`));
  const { sources, notices } = await readOwnRules(workspace, policy);
  return { names: sources.map(({ name }) => name), notices };
}

const toNotice = (what: string) => [`.cypherfix.yml: scanners.rules.extra: ${what}.`];

test.each(['rules', 'rules/', './rules'])('%s gives its rule files', async extra => {
  expect(await read(extra)).toEqual({ names: ['rules/a.yml', 'rules/deep/b.yaml'], notices: [] });
});

test.each(['nope', 'rules/a.yml', 'new', 'rule'])('%s is no folder at the base, and that is told', async extra => {
  const notices = toNotice(`there is no folder ${extra} at the base; no rule of it is applied`);
  expect(await read(extra)).toEqual({ names: [], notices });
});

test.each(['notes', 'rules/tests'])('%s holds no rule file, and that is told', async extra => {
  const notices = toNotice(
    `${extra} holds no rule file (.yml, .yaml, not below a folder tests) at the base; no rule of it is applied`,
  );
  expect(await read(extra)).toEqual({ names: [], notices });
});

test('a link among them is told', async () => {
  const notices = toNotice('linked/b.yml is no regular file and not read');
  expect(await read('linked')).toEqual({ names: ['linked/a.yml'], notices });
});

test('an analysis hears of it', async () => {
  const context = { env: {}, stdout: process.stdout, stderr: process.stderr, signal: new AbortController().signal };
  const opened = openLocalWorkspace({ repo: repo.path, base: 'HEAD~1' });
  const plan: RepositoryPlan = {
    open: () => opened,
    loadPolicy: () => loadPolicy(async () => Buffer.from('scanners: { rules: { extra: nope } }\n')),
    toSubject: () => ({}),
    request: { kind: 'review', trigger: 'local' },
    isPublic: false,
  };
  let told: readonly string[] = [];
  await analyzeOpened(
    {
      plan,
      context: { ...context, actionPath: process.cwd(), log: SILENT_LOG },
      stopwatch: createStopwatch(SILENT_LOG),
    },
    async ({ analysis }) => {
      told = analysis.notices;
      return toEmptyReport({ subject: {}, request: analysis.request, generatedAt: '2026-01-01T00:00:00Z' });
    },
  );
  expect(told).toEqual(toNotice('there is no folder nope at the base; no rule of it is applied'));
});

test('a policy that names no folder has nothing to tell', async () => {
  expect(await readOwnRules(workspace, await loadPolicy(async () => null))).toEqual({ sources: [], notices: [] });
});
