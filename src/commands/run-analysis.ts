import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { AiSetup } from '../analysis/ai-review.ts';
import type { LinkedIssues } from '../analysis/run-acceptance.ts';
import { createStopwatch } from '../analysis/stopwatch.ts';
import { analyzeChange } from '../analyze-change.ts';
import type { Report } from '../core/report.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import type { LoadedPolicy } from '../policy/load-policy.ts';
import { DEFAULT_POLICY, type Policy } from '../policy/schema.ts';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import { withCompiledRules } from '../scanners/compiled-rules.ts';
import { type RuleSource, readRuleFiles, toRulePack } from '../scanners/rule-pack.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { CommandContext } from './context.ts';
import { toSandboxOptions } from './sandbox-options.ts';

export interface AnalysisPlan {
  open(): Promise<Workspace>;
  loadPolicy(workspace: Workspace): Promise<LoadedPolicy>;
  toSubject(workspace: Workspace): Report['subject'];
  readonly request: Report['request'];
  readonly isPublic: boolean;
  /** Null where nobody asked for an AI review. */
  toAi(policy: Policy): Promise<AiSetup | null>;
  /** What the change is to settle. Throws CypherFixError where it cannot be compared with it. */
  toLinked(policy: Policy): LinkedIssues;
  /** Keys of this run. */
  readonly secrets: SecretRegistry;
}

/**
 * Opens the workspace and runs the analysis on it; everything that was started is stopped again, whatever happens. The
 * container starts while git still works.
 */
export async function runAnalysis(plan: AnalysisPlan, context: CommandContext): Promise<Report> {
  const { log, signal } = context;
  const stopwatch = createStopwatch(log);
  const sandbox = await createSandbox(toSandboxOptions(context));
  sandbox.prewarm('scanners', { memoryMb: DEFAULT_POLICY.sandbox.memory_mb, cpus: DEFAULT_POLICY.sandbox.cpus });
  let workspace: Workspace | undefined;
  try {
    const [opened, rules] = await Promise.all([
      stopwatch.time('read', 'Reading the change', () => plan.open()),
      readRules(context.actionPath),
    ]);
    workspace = opened;
    const policy = await plan.loadPolicy(workspace);
    const linked = plan.toLinked(policy.policy);
    const ai = await plan.toAi(policy.policy);
    const extra = await readExtraRules(workspace, policy);
    return await analyzeChange({
      workspace,
      policy,
      rulePack: toRulePack([...rules, ...extra]),
      sandbox,
      subject: plan.toSubject(workspace),
      request: plan.request,
      isPublic: plan.isPublic,
      ai,
      linked,
      secrets: plan.secrets,
      notices: describeBases(workspace),
      stopwatch,
      now: () => new Date(),
      random: () => randomBytes(8).toString('hex'),
      log,
      signal,
    });
  } finally {
    await Promise.allSettled([workspace?.close(), sandbox.close()]);
  }
}

const readRules = async (actionPath: string): Promise<RuleSource[]> =>
  withCompiledRules(await readRuleFiles(join(actionPath, 'rules')), join(actionPath, 'dist', 'rules.json'));

/** Rules of the repository's own, from the folder that the policy names, at the tip of the base branch. */
async function readExtraRules(workspace: Workspace, { policy }: LoadedPolicy): Promise<RuleSource[]> {
  const folder = policy.scanners.rules.extra;
  if (folder === null) return [];
  const sources: RuleSource[] = [];
  for (const path of await workspace.listPolicyFiles(folder)) {
    if (!/\.ya?ml$/.test(path) || path.split('/').includes('tests')) continue;
    const bytes = await workspace.readPolicyFile(path);
    if (bytes !== null) sources.push({ name: path, text: bytes.toString('utf8') });
  }
  return sources;
}

function describeBases({ mergeBases }: Workspace): string[] {
  const [used, ...others] = mergeBases;
  if (used === undefined || others.length === 0) return [];
  return [
    `There are ${mergeBases.length} merge bases; the change is compared with ${used.slice(0, 12)}, as GitHub does.`,
  ];
}
