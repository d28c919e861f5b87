import { afterEach, beforeEach, expect, it } from 'vitest';
import { NO_CREDENTIALS } from '../../src/model/choose-provider.ts';
import { createModel } from '../../src/model/create-model.ts';
import { NO_PROXIES } from '../../src/model/dispatcher.ts';
import { reviewChange } from '../../src/review/review-change.ts';
import { openLocalWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import { type AnthropicOptions, startAnthropic } from '../sim-model/anthropic.ts';
import type { Simulator } from '../sim-model/site.ts';
import { createTempRepo, type TempRepo } from '../workspace/temp-repo.ts';
import { draft, judgement, NOTHING_FOUND } from './scripted-model.ts';
import { JUDGE_MODEL, REVIEWER_MODEL, RUN_TS, reviewWorld, testBudget } from './world.ts';

const ROLES = Object.fromEntries(
  ['security', 'correctness', 'style', 'reflection', 'judge'].map(role => [role, `# Your duty: ${role}`]),
);
const JUDGE_SAYS = { when: { role: 'judge' }, answer: { json: judgement(0.8) } };

let repo: TempRepo;
let workspace: Workspace;
let api: Simulator;

beforeEach(async () => {
  repo = createTempRepo();
  repo.write('src/caller.ts', "import { list } from './run.ts';\nlist(process.argv[2]);\n");
  repo.write('src/run.ts', 'export function list(name: string): string {\n  return name;\n}\n');
  repo.commit('Begin');
  repo.write('src/run.ts', RUN_TS);
  repo.commit('List with a shell');
  workspace = await openLocalWorkspace({ repo: repo.path, base: 'main~1' });
});
afterEach(async () => {
  await workspace.close();
  repo.remove();
  await api.close();
});

async function review(options: AnthropicOptions) {
  api = await startAnthropic({ roles: ROLES, ...options });
  const model = createModel({
    models: [REVIEWER_MODEL, JUDGE_MODEL],
    credentials: { ...NO_CREDENTIALS, anthropicApiKey: 'sk-ant-test' },
    baseUrl: api.url,
    proxies: NO_PROXIES,
    lifetime: new AbortController().signal,
    retry: { sleep: async () => {}, now: () => 0 },
  });
  if (model.status !== 'ok') throw new Error(model.reason);
  const budget = testBudget();
  const { change, head: tree, inspection } = workspace;
  const outcome = await reviewChange({ ...reviewWorld({ budget, tree }), change, inspection, model: model.value });
  return { outcome, budget };
}

it('the real SDK brings the planted fault to the line it stands on, after looking at its caller', async () => {
  const { outcome, budget } = await review({
    script: [
      {
        when: { role: 'security', turn: 1 },
        answer: {
          calls: [
            { name: 'search_code', input: { pattern: 'list\\(', path_glob: null, fixed: null, ignore_case: null } },
            { name: 'git_log', input: { path: 'src/run.ts', max_count: null } },
            { name: 'git_blame', input: { path: 'src/run.ts', start: 1, end: 4 } },
          ],
        },
      },
      {
        name: 'planted',
        when: { role: 'security' },
        requires: {
          prompt: "+  return execSync('ls ' + name).toString();",
          results: [
            { tool: 'search_code', text: 'src/caller.ts:2: list(process.argv[2]);' },
            { tool: 'git_log', text: 'List with a shell' },
            { tool: 'git_blame', text: 'List with a shell' },
          ],
        },
        answer: { json: { ...NOTHING_FOUND, findings: [draft()] } },
      },
      JUDGE_SAYS,
    ],
  });
  expect(api.journal.prompts('security').map(({ rule }) => rule)).toEqual(['rule 1', 'planted']);
  expect(outcome.failures).toEqual([]);
  expect(outcome.findings).toMatchObject([
    { tool: 'security', path: 'src/run.ts', place: 'hunk', startLine: 3, endLine: 3 },
  ]);
  expect(outcome.review.score).toBe(0.8);
  expect(budget.toCost().byRole.map(({ role, calls }) => [role, calls])).toEqual(
    expect.arrayContaining([
      ['security', 2],
      ['reflection', 1],
      ['judge', 1],
    ]),
  );
});

it('the second and third reviewer read from the cache what the first one wrote', async () => {
  await review({ script: [JUDGE_SAYS] });
  const [security, correctness, style] = ['security', 'correctness', 'style'].map(
    role => api.journal.prompts(role)[0]?.usage,
  );
  expect(security).toMatchObject({ cacheRead: 0 });
  expect(security?.cacheWrite).toBeGreaterThan(1_024);
  for (const usage of [correctness, style]) {
    expect(usage).toMatchObject({ cacheRead: security?.cacheWrite, cacheWrite: 0 });
  }
});

it('a broken answer of one reviewer leaves the others at work', async () => {
  const { outcome } = await review({
    script: [{ when: { role: 'style' }, answer: { text: '{"findings": [' } }, JUDGE_SAYS],
  });
  expect(outcome.failures).toHaveLength(1);
  expect(outcome.failures[0]).toMatch(/^The style reviewer did not finish: malformed: /);
  expect(outcome.review.reviewers.map(({ status }) => status)).toEqual(['ok', 'ok', 'failed']);
});
