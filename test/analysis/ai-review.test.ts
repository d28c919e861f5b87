import { describe, expect, it } from 'vitest';
import {
  type AiReviewInput,
  type AiSetup,
  runAiReview,
  toRawFinding,
  toReviewedPaths,
  toReviewPart,
  toVerdict,
} from '../../src/analysis/ai-review.ts';
import { toBudgetKey, toRunBudget } from '../../src/analysis/run-budget.ts';
import { createStopwatch } from '../../src/analysis/stopwatch.ts';
import type { Change } from '../../src/core/change.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import { ReportReview } from '../../src/core/report.ts';
import { redact, SecretRegistry } from '../../src/core/secrets.ts';
import { findPrices } from '../../src/model/prices.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../src/policy/schema.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { scriptSandbox } from '../acceptance/scripted.ts';
import { introduce, raw } from '../findings/builders.ts';
import { draft, NOTHING_FOUND, type Script, scriptedModel, textOf } from '../review/scripted-model.ts';
import { added, JUDGE_MODEL, memoryInspection, memoryTree, REVIEWER_MODEL, RUN_TS } from '../review/world.ts';

const FILES = { 'src/run.ts': RUN_TS, 'docs/notes.md': '# Notes\n' };
const change: Change = {
  baseSha: 'a'.repeat(40),
  mergeBaseSha: 'b'.repeat(40),
  headSha: 'c'.repeat(40),
  wholeTree: false,
  files: Object.entries(FILES).map(([path, content]) => added(path, content)),
};
const workspace = { change, head: memoryTree(FILES), inspection: memoryInspection(FILES) } as unknown as Workspace;
const scannerRaw = [
  raw({
    tool: 'gitleaks',
    ruleId: 'generic-api-key',
    path: 'src/run.ts',
    matchedText: 'ls-secret-4711',
    cwe: ['CWE-798'],
  }),
];

function review(
  scripts: Record<string, Script>,
  policy = DEFAULT_POLICY,
  title: string | null = null,
  earlier: Partial<AiReviewInput> = {},
) {
  const model = scriptedModel(scripts);
  const prices = findPrices([REVIEWER_MODEL, JUDGE_MODEL], {});
  return { model, result: run({ kind: 'review', model, prices, title, body: null }, policy, earlier) };
}

const run = (ai: AiSetup | null, policy = DEFAULT_POLICY, earlier: Partial<AiReviewInput> = {}) =>
  runAiReview({
    ai,
    policy,
    workspace,
    sandbox: scriptSandbox({}).sandbox,
    issues: [{ number: 12, title: 'Totals', body: 'They are wrong.' }],
    known: introduce(scannerRaw, change),
    scannerRaw,
    previousOpen: [],
    spentUsd: 0,
    ...earlier,
    secrets: new SecretRegistry().add('the-key-of-this-run'),
    stopwatch: createStopwatch(SILENT_LOG),
    now: () => new Date(0),
    random: () => 'a1b2c3d4e5f60718',
    signal: new AbortController().signal,
  });

describe('without a model', () => {
  it('there is nothing where nobody asked', async () => {
    const result = await run(null);
    expect(result).toMatchObject({ outcome: null, raw: [], cost: { usd: 0 }, notices: [] });
    expect(toVerdict(result)).toBeNull();
    expect(toReviewedPaths(result).size).toBe(0);
  });

  it('the reason is said where one was asked for, and decides nothing', async () => {
    const result = await run({ kind: 'none', reason: 'a push started this run' });
    expect(result.outcome?.review.summary).toContain('a push started this run');
    expect(result.outcome?.review.reviewers.map(one => one.status)).toEqual(['stub', 'stub', 'stub']);
    expect(toVerdict(result)).toEqual({ score: null, threshold: 0.6, failures: [] });
  });
});

describe('with models', () => {
  const found: Script = () => ({
    answer: { ...NOTHING_FOUND, findings: [draft(), draft({ path: '../outside', title: 'Lost' })] },
  });

  it('gives findings as merging takes them, the files seen, and what it cost', async () => {
    const result = await review({ security: found }).result;
    expect(result.raw[0]).toMatchObject({
      tool: 'security',
      origin: 'reviewer',
      anchor: 'hunk',
      path: 'src/run.ts',
      startLine: 3,
      suggestion: "Use execFile('ls', [name]).",
    });
    expect(result.raw.map(finding => finding.path)).not.toContain('');
    expect(toReviewedPaths(result).get('docs/notes.md')).toEqual(['security', 'correctness', 'style']);
    expect(result.cost.usd).toBeGreaterThan(0);
    expect(result.cost.calls).toBe(5);
  });

  it('lists a finding that names no file among those left out, in the form of the report', async () => {
    const { outcome } = await review({ security: found }).result;
    if (outcome === null) throw new Error('no outcome');
    const part = toReviewPart(outcome, text => redact(text));
    expect(ReportReview.parse(part).dropped).toEqual([
      { quote: "execSync('ls ' + name)", reason: 'the finding names no file that models may read' },
    ]);
  });

  it('tells the reviewers of the scanners, and sends neither keys nor what gitleaks matched', async () => {
    const { model, result } = review({}, DEFAULT_POLICY, 'Use ls-secret-4711 and the-key-of-this-run');
    await result;
    const sent = model.requests.map(textOf).join('\n');
    expect(sent).toContain('generic-api-key');
    expect(sent).not.toMatch(/ls-secret-4711|the-key-of-this-run/);
  });

  it('tells the reviewers of the issues', async () => {
    const { model, result } = review({});
    await result;
    for (const role of ['security', 'correctness', 'style']) {
      expect(model.requestsOf(role).map(textOf)[0]).toContain('#12 Totals\nThey are wrong.');
    }
  });

  it('keeps to the policy: models, effort, instructions, files kept back, threshold', async () => {
    const policy = parsePolicy(
      new TextEncoder().encode(
        'review: { ignore_paths: ["docs/**"] }\nai: { instructions: "Mind the shells.", effort: { reviewer: low } }\ngate: { threshold: 0.9 }\n',
      ),
    );
    const { model, result } = review({}, policy);
    const { outcome, notices } = await result;
    const [first] = model.requestsOf('security');
    expect(first).toMatchObject({ model: REVIEWER_MODEL, effort: 'low' });
    expect(textOf(first as NonNullable<typeof first>)).toContain('Mind the shells.');
    expect(model.requests.map(textOf).join('')).not.toContain('# Notes');
    expect(outcome?.review.threshold).toBe(0.9);
    expect(notices).toEqual([
      'No model read these files of the change: docs/notes.md (the policy keeps it from models).',
    ]);
  });

  it('calls nobody with an empty budget, and says that it is partial', async () => {
    const { model, result } = review({}, parsePolicy(new TextEncoder().encode('ai: { budget_usd: 0 }\n')));
    const { outcome, cost, notices } = await result;
    expect(model.requests).toEqual([]);
    expect(cost.usd).toBe(0);
    expect(outcome?.review).toMatchObject({ score: null, budgetLimited: true });
    expect(notices.join(' ')).toContain('partial');
  });
});

describe('after earlier runs', () => {
  const policy = (text: string) => parsePolicy(new TextEncoder().encode(`ai: { ${text} }\n`));

  it.each([
    ['the run’s own budget', 'budget_usd: 1.5, budget_usd_per_pr: 5', 0, 1.5, 'ai.budget_usd'],
    ['what the pull request has left', 'budget_usd: 1.5, budget_usd_per_pr: 5', 4.25, 0.75, 'ai.budget_usd_per_pr'],
    ['nothing', 'budget_usd: 1.5, budget_usd_per_pr: 5', 5.1, 0, 'ai.budget_usd_per_pr'],
    ['no more than the pull request may cost', 'budget_usd: 9, budget_usd_per_pr: 2', 0, 2, 'ai.budget_usd_per_pr'],
  ])('a run may spend %s, and the key that says so is known', (_, keys, spentUsd, expected, key) => {
    const { ai } = policy(keys);
    expect(toRunBudget(ai.budget_usd, ai, spentUsd)).toBeCloseTo(expected, 9);
    expect(toBudgetKey(ai, spentUsd)).toBe(key);
  });

  it('does not start when the pull request has nothing left, says so and counts as unfinished', async () => {
    const { model, result } = review({}, policy('budget_usd_per_pr: 2'), null, { spentUsd: 2 });
    const { outcome, cost, raw: found } = await result;
    expect(model.requests).toEqual([]);
    expect([cost.usd, found]).toEqual([0, []]);
    expect(outcome?.failures).toEqual([
      "The AI review did not start: the models' budget of this pull request is spent ($2.00 of $2.00, ai.budget_usd_per_pr).",
    ]);
    expect(outcome?.review).toMatchObject({ score: null, budgetLimited: true });
    expect(outcome?.review.summary).toContain('ai.budget_usd_per_pr');
  });

  it('never costs more than is left', async () => {
    const { result } = review({}, policy('budget_usd_per_pr: 2'), null, { spentUsd: 1.99 });
    expect((await result).cost.usd).toBeLessThanOrEqual(0.01);
  });

  it('hands each open finding to its own reviewer', async () => {
    const open = {
      path: 'src/run.ts',
      category: 'command-injection',
      title: 'The name reaches a shell',
      quote: 'exec',
    };
    const previousOpen = [{ ...open, id: 'abcd1234', reviewer: 'security' as const }];
    const mended: Script = () => ({
      answer: { ...NOTHING_FOUND, resolved: [{ id: 'abcd1234', reason: 'No shell any more.' }] },
    });
    const { model, result } = review({ security: mended, style: mended }, DEFAULT_POLICY, null, { previousOpen });
    const { outcome } = await result;
    const told = (role: string) => textOf(model.requestsOf(role)[0] as Parameters<typeof textOf>[0]);
    expect(told('security')).toContain('"id":"abcd1234"');
    expect(told('style')).not.toContain('abcd1234');
    expect(outcome?.resolved).toEqual([{ id: 'abcd1234', reviewer: 'security', reason: 'No shell any more.' }]);
  });
});

it('a finding without lines stands nowhere, whatever its quote was said to be', async () => {
  const { outcome } = await review({
    security: () => ({ answer: { ...NOTHING_FOUND, findings: [draft({ quote: 'no such text' })] } }),
  }).result;
  const [finding] = outcome?.findings ?? [];
  if (finding === undefined) throw new Error('no finding');
  expect(toRawFinding(finding)).toMatchObject({
    startLine: 1,
    anchor: 'none',
    anchorReason: 'the quoted text is not in the file',
  });
  expect(toRawFinding({ ...finding, place: 'file' }).anchor).toBe('none');
});
