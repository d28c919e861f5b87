import { describe, expect, test } from 'vitest';
import type { LinkedIssue } from '../../src/acceptance/criterion.ts';
import { NO_ISSUES } from '../../src/analysis/linked-issues.ts';
import { type AcceptanceRunInput, runAcceptance } from '../../src/analysis/run-acceptance.ts';
import { createStopwatch } from '../../src/analysis/stopwatch.ts';
import { CypherFixError } from '../../src/core/errors.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import { ReportAcceptance } from '../../src/core/report.ts';
import { SecretRegistry } from '../../src/core/secrets.ts';
import type { Tree } from '../../src/core/tree.ts';
import { findPrices } from '../../src/model/prices.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { toChange, toFile } from '../acceptance/changes.ts';
import { scriptSandbox } from '../acceptance/scripted.ts';
import { type Script, scriptedModel, textOf } from '../review/scripted-model.ts';
import { JUDGE_MODEL, REVIEWER_MODEL } from '../review/world.ts';
import { createMemoryTree } from '../scanners/memory-tree.ts';

const ISSUE: LinkedIssue = {
  number: 12,
  title: 'Totals',
  body: '- [ ] AC-1 adds up\n- [ ] it reads well',
  state: 'open',
};
const LINE = 'const total = sum(prices);';
const workspace = {
  change: toChange([toFile('cart.js', [`+${LINE}`])]),
  head: createMemoryTree({ 'cart.js': `${LINE}\n` }),
} as unknown as Workspace;
const TAP = 'TAP version 13\nok 1 - AC-1 adds up\n1..1\n';

function check(policy: string, over: Partial<AcceptanceRunInput> = {}) {
  const sandbox = scriptSandbox({ command: { stdout: TAP } });
  const result = runAcceptance({
    linked: { issues: [ISSUE], notices: [], whyNot: null },
    ai: null,
    spentUsd: 0,
    policy: parsePolicy(new TextEncoder().encode(policy)),
    workspace,
    sandbox: sandbox.sandbox,
    secrets: new SecretRegistry(),
    stopwatch: createStopwatch(SILENT_LOG),
    now: () => new Date(0),
    random: () => 'a1b2c3d4e5f60718',
    signal: new AbortController().signal,
    ...over,
  });
  return { result, jobs: sandbox.jobs };
}

const met: Script = () => ({
  answer: {
    verdicts: [{ criterion: 1, status: 'met', evidence: [{ path: 'cart.js', quote: LINE, note: 'it sums' }] }],
  },
});

function withModel(scripts: Readonly<Record<string, Script>>) {
  const model = scriptedModel(scripts);
  const prices = findPrices([REVIEWER_MODEL, JUDGE_MODEL], {});
  return { model, ai: { kind: 'review' as const, model, prices, title: null, body: null } };
}

describe('nothing is asked or run', () => {
  test.each([
    ['without an issue', 'tests: { command: make }', NO_ISSUES],
    [
      'where the policy turns it off',
      'acceptance: { mode: off }',
      { issues: [ISSUE], notices: ['unread'], whyNot: null },
    ],
  ])('%s', async (_, policy, linked) => {
    const { result, jobs } = check(policy, { linked });
    expect(await result).toEqual({ acceptance: null, cost: expect.objectContaining({ usd: 0 }), sandboxRuns: [] });
    expect(jobs).toEqual([]);
  });

  test('where an earlier run judged this head, or no issue could be read: the reason stays', async () => {
    const again = check('', { linked: { issues: [ISSUE], notices: [], whyNot: 'judged before' } });
    const { acceptance } = await again.result;
    expect(acceptance).toEqual({ mode: 'shadow', issues: [], criteria: [], notices: ['judged before'] });
    expect(again.jobs).toEqual([]);
    const unread = await check('', { linked: { issues: [], notices: ['not read'], whyNot: null } }).result;
    expect(unread.acceptance).toEqual({ mode: 'shadow', issues: [], criteria: [], notices: ['not read'] });
  });
});

describe('the part of the report', () => {
  test('without a model tests decide what they can, and the rest is unclear', async () => {
    const { result, jobs } = check('acceptance: { mode: on }\ntests: { command: make }');
    const { acceptance, cost, sandboxRuns } = await result;
    expect(ReportAcceptance.parse(acceptance)).toEqual(acceptance);
    expect(acceptance).toMatchObject({
      mode: 'on',
      issues: [12],
      criteria: [
        { id: 'AC-1', status: 'met', judgedBy: 'test' },
        { status: 'unclear', judgedBy: 'none' },
      ],
      command: { exitCode: 0, timedOut: false },
      notices: ['acceptance: 1 criterion was not judged: no test decides it and no model took part'],
    });
    expect(cost.calls).toBe(0);
    expect(sandboxRuns).toHaveLength(1);
    expect(jobs.map(({ job }) => job.purpose)).toEqual(['acceptance']);
  });

  test('a model judges the rest, as a role of its own', async () => {
    const { model, ai } = withModel({ acceptance: met });
    const { acceptance, cost } = await check('tests: { command: make }', { ai }).result;
    expect(acceptance?.criteria.map(({ status, judgedBy }) => [status, judgedBy])).toEqual([
      ['met', 'test'],
      ['met', 'model'],
    ]);
    expect(cost.byRole).toMatchObject([{ role: 'acceptance', model: REVIEWER_MODEL, calls: 1 }]);
    expect(cost.usd).toBeLessThanOrEqual(0.1);
    expect(textOf(model.requests[0] as NonNullable<(typeof model.requests)[0]>)).toContain(
      '<untrusted-a1b2c3d4e5f60718',
    );
  });

  test('an empty budget calls nobody, and says so', async () => {
    const { model, ai } = withModel({ acceptance: met });
    const { acceptance, cost } = await check('acceptance: { budget_usd: 0 }', { ai }).result;
    expect([model.requests, cost.usd]).toEqual([[], 0]);
    expect(acceptance?.criteria.map(({ status }) => status)).toEqual(['unclear', 'unclear']);
    expect(acceptance?.notices).toEqual([expect.stringMatching(/2 criteria were not judged: .*budget/)]);
  });

  test('nor does a pull request that has spent what it may', async () => {
    const { model, ai } = withModel({ acceptance: met });
    const { cost } = await check('ai: { budget_usd_per_pr: 2 }', { ai, spentUsd: 2 }).result;
    expect([model.requests, cost.usd]).toEqual([[], 0]);
  });

  test('a model that none was asked of leaves the tests at work', async () => {
    const ai = { kind: 'none' as const, reason: 'a push started this run' };
    const { acceptance } = await check('tests: { command: make }', { ai }).result;
    expect(acceptance?.criteria[0]).toMatchObject({ status: 'met', judgedBy: 'test' });
  });
});

describe('what breaks', () => {
  const unreadable: Tree = { ...workspace.head, entries: () => Promise.reject(new Error('the tree is gone')) };
  const broken = { ...workspace, head: unreadable } as Workspace;

  test('is a notice, and never ends the run', async () => {
    const { acceptance } = await check('tests: { command: make }', { workspace: broken }).result;
    expect(acceptance).toEqual({
      mode: 'shadow',
      issues: [],
      criteria: [],
      notices: ['acceptance: the check broke off: the tree is gone'],
    });
  });

  test('an abort, and a replay that differs, go on', async () => {
    const controller = new AbortController();
    controller.abort(new CypherFixError('interrupted', 'interrupted'));
    const aborted = check('tests: { command: make }', { workspace: broken, signal: controller.signal });
    await expect(aborted.result).rejects.toThrow('interrupted');
    const { ai } = withModel({
      acceptance: () => {
        throw new CypherFixError('internal', 'the request differs');
      },
    });
    await expect(check('', { ai }).result).rejects.toThrow('the request differs');
  });
});
