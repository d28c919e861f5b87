import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { AiSetup } from '../analysis/ai-review.ts';
import type { Analysis, EarlierRuns } from '../analysis/analysis.ts';
import type { LinkedIssues } from '../analysis/linked-issues.ts';
import type { ReviewGraph } from '../analysis/review-graph.ts';
import { createStopwatch, type Stopwatch } from '../analysis/stopwatch.ts';
import { analyzeChange } from '../analyze-change.ts';
import type { Report } from '../core/report.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import type { LoadedPolicy } from '../policy/load-policy.ts';
import type { Policy } from '../policy/schema.ts';
import type { Outside } from '../recording/record-run.ts';
import type { Recording } from '../recording/recording.ts';
import { keepHeapTight } from '../runner/tight-heap.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { RuleSource } from '../scanners/parse-rules.ts';
import type { RulePack } from '../scanners/rule-pack.ts';
import { readShippedPack } from '../scanners/shipped-pack.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { CommandContext } from './context.ts';
import { readOwnRules } from './read-own-rules.ts';

/** What of a run the repository and the caller decide. */
export interface RepositoryPlan {
  open(): Promise<Workspace>;
  loadPolicy(workspace: Workspace): Promise<LoadedPolicy>;
  toSubject(workspace: Workspace): Report['subject'];
  readonly request: Report['request'];
  readonly isPublic: boolean;
}

export interface AnalysisPlan extends RepositoryPlan {
  /** Null where nobody asked for an AI review. */
  toAi(policy: Policy): Promise<AiSetup | null>;
  /** What the change is to settle. Throws CypherFixError where it cannot be compared with it. */
  toLinked(policy: Policy): LinkedIssues;
  readonly earlier: EarlierRuns;
  /** What is known beyond the repository; connected to nothing yet. */
  toGraph(policy: Policy): Promise<ReviewGraph>;
  /** Keys of this run. */
  readonly secrets: SecretRegistry;
  /** Asks for a recording and takes it, once the analysis has ended well. */
  readonly record?: { isWanted(policy: Policy): boolean; keep(recording: Recording): void };
}

/** Opens the workspace, runs the analysis on it and closes it again, whatever happens. */
export async function runAnalysis(plan: AnalysisPlan, sandbox: Sandbox, context: CommandContext): Promise<Report> {
  const stopwatch = createStopwatch(context.log);
  return await analyzeOpened({ plan, context, stopwatch }, async ({ analysis, policy }) => {
    const graph = await plan.toGraph(policy.policy);
    const live = {
      sandbox,
      stopwatch,
      secrets: plan.secrets,
      linked: plan.toLinked(policy.policy),
      ai: await plan.toAi(policy.policy),
      earlier: plan.earlier,
      graph,
      now: () => new Date(),
      random: () => randomBytes(8).toString('hex'),
    };
    try {
      if (!plan.record?.isWanted(policy.policy)) return await analyzeChange({ ...analysis, ...live });
      const { createRecorder } = await import('../recording/record-run.ts');
      const recorder = createRecorder(live);
      const report = await analyzeChange({ ...analysis, ...recorder.outside });
      plan.record.keep(recorder.finish(analysis));
      return report;
    } finally {
      await graph.close();
    }
  });
}

/** What of an analysis comes from the repository and the plan. */
export type Inside = Omit<Analysis, keyof Outside | 'onFound'>;

/** Their results come back all at once, of every scanner. */
const MANY_FILES = 5_000;

/** Opens the workspace, hands what an analysis needs of it to `work`, and closes it again. */
export async function analyzeOpened(
  { plan, context, stopwatch }: { plan: RepositoryPlan; context: CommandContext; stopwatch: Stopwatch },
  work: (opened: { readonly analysis: Inside; readonly policy: LoadedPolicy }) => Promise<Report>,
): Promise<Report> {
  const { log, signal } = context;
  const opening = stopwatch.time('read', 'Reading the change', () => plan.open());
  try {
    const { actionPath } = context;
    const reading = readShippedPack(join(actionPath, 'rules'), join(actionPath, 'dist', 'rules.json'));
    const [workspace, shipped] = await Promise.all([opening, reading]);
    if (workspace.change.files.length > MANY_FILES) keepHeapTight();
    const policy = await plan.loadPolicy(workspace);
    const own = await readOwnRules(workspace, policy);
    const analysis: Inside = {
      workspace,
      policy,
      rulePack: await addOwnRules(shipped, own.sources),
      subject: plan.toSubject(workspace),
      request: plan.request,
      isPublic: plan.isPublic,
      notices: [...describeBases(workspace), ...own.notices],
      log,
      signal,
    };
    return await work({ analysis, policy });
  } finally {
    // Also one that was still being opened when something else failed: its git would keep this process alive.
    await Promise.allSettled([opening.then(workspace => workspace.close())]);
  }
}

async function addOwnRules(shipped: RulePack, sources: readonly RuleSource[]): Promise<RulePack> {
  if (sources.length === 0) return shipped;
  const { toRulePack } = await import('../scanners/parse-rules.ts');
  return toRulePack(sources, shipped);
}

function describeBases({ mergeBases }: Workspace): string[] {
  const [used, ...others] = mergeBases;
  if (used === undefined || others.length === 0) return [];
  return [
    `There are ${mergeBases.length} merge bases; the change is compared with ${used.slice(0, 12)}, as GitHub does.`,
  ];
}
