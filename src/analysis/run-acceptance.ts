import type { Acceptance, AcceptanceResult } from '../acceptance/check-acceptance.ts';
import { CypherFixError, toMessage } from '../core/errors.ts';
import { toPathMatcher } from '../core/globs.ts';
import { NO_COST, type Report } from '../core/report.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import { GENERATED_PATHS } from '../findings/noise.ts';
import { createBudget } from '../model/budget.ts';
import type { Policy } from '../policy/schema.ts';
import type { Sandbox, SandboxResult } from '../sandbox/sandbox.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { AiSetup } from './ai-review.ts';
import type { LinkedIssues } from './linked-issues.ts';
import { toRunBudget } from './run-budget.ts';
import type { Stopwatch } from './stopwatch.ts';

export interface AcceptanceRunInput {
  readonly linked: LinkedIssues;
  readonly ai: AiSetup | null;
  /** What models cost in earlier runs of the pull request and in this one so far, in dollars. */
  readonly spentUsd: number;
  readonly policy: Policy;
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  readonly secrets: SecretRegistry;
  readonly stopwatch: Stopwatch;
  readonly now: (who: string) => Date;
  readonly random: (who: string) => string;
  readonly signal: AbortSignal;
}

export interface AcceptanceRun {
  /** Null where there is nothing to say: no issue, or the policy turns the check off. */
  readonly acceptance: Report['acceptance'] | null;
  readonly cost: Report['cost'];
  readonly sandboxRuns: readonly SandboxResult[];
}

/** One call that reads criteria out of issues, one that judges; a call that is repeated counts again. */
const MAX_CALLS = 6;
const MODEL_MS = 300_000;
/** For the start of the tests' container and the way of the tree into it. */
const AROUND_TESTS_MS = 120_000;

/**
 * Whether the change does what its issues ask for. It decides nothing: what breaks is a notice in the report's part. Rejects
 * only when the signal aborts, and with the error of a replay that differs.
 */
export async function runAcceptance(input: AcceptanceRunInput): Promise<AcceptanceRun> {
  const { linked, policy, stopwatch } = input;
  const { mode } = policy.acceptance;
  const { issues, notices, whyNot } = linked;
  if (mode === 'off' || (issues.length === 0 && notices.length === 0)) return NOTHING;
  // No issue stands in it, so that a later run of this head knows that nothing was compared.
  const unread = { mode, issues: [], criteria: [] };
  if (issues.length === 0 || whyNot !== null) {
    return { ...NOTHING, acceptance: { ...unread, notices: [...notices, ...(whyNot === null ? [] : [whyNot])] } };
  }
  const { checked, cost } = await stopwatch.time('acceptance', 'Comparing with the linked issues', () => check(input));
  if (typeof checked === 'string') {
    return { acceptance: { ...unread, notices: [...notices, checked] }, cost, sandboxRuns: [] };
  }
  const acceptance = checked === null ? null : toPart(checked.acceptance, [...notices, ...checked.notices]);
  return { acceptance, cost, sandboxRuns: checked?.sandboxRuns ?? [] };
}

const NOTHING: AcceptanceRun = { acceptance: null, cost: NO_COST, sandboxRuns: [] };

async function check(
  input: AcceptanceRunInput,
): Promise<{ readonly checked: AcceptanceResult | string | null; readonly cost: Report['cost'] }> {
  const { workspace, policy, secrets, signal } = input;
  // A run without issues loads none of this.
  const { checkAcceptance } = await import('../acceptance/check-acceptance.ts');
  const ai = await toModel(input);
  const cost = () => ai?.budget.toCost() ?? NO_COST;
  try {
    const checked = await checkAcceptance({
      issues: input.linked.issues,
      change: workspace.change,
      tree: workspace.head,
      policy,
      sandbox: input.sandbox,
      ai,
      isIgnored: toPathMatcher([...GENERATED_PATHS, ...policy.review.ignore_paths]),
      maxFiles: policy.review.max_files,
      secrets,
      signal,
    });
    return { checked, cost: cost() };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CypherFixError && (error.code === 'internal' || error.code === 'interrupted')) throw error;
    return { checked: `acceptance: the check broke off: ${toMessage(error)}`, cost: cost() };
  }
}

/** The reviewers' model with a budget of its own, which lasts as long as the tests before it may take. */
async function toModel({ ai, policy, spentUsd, secrets, now, random }: AcceptanceRunInput) {
  if (ai?.kind !== 'review') return null;
  const [{ DEFENCES }, { createGuard }] = await Promise.all([
    import('../review/defences.ts'),
    import('../review/guard.ts'),
  ]);
  const testsMs = policy.tests.timeout_s * 1_000 * (policy.tests.setup === null ? 1 : 2) + AROUND_TESTS_MS;
  const time = (who: string) => now(who).getTime();
  return {
    model: ai.model,
    modelId: policy.ai.reviewer_model,
    effort: policy.ai.effort.reviewer,
    budget: createBudget({
      totalUsd: toRunBudget(policy.acceptance.budget_usd, policy.ai, spentUsd),
      shares: [{ roles: ['acceptance'], share: 1 }],
      maxCalls: MAX_CALLS,
      deadline: time('acceptance') + testsMs + Math.min(MODEL_MS, policy.ai.timeout_min * 60_000),
      prices: ai.prices,
      key: 'acceptance.budget_usd',
      now: time,
    }),
    guard: createGuard({ defences: DEFENCES, boundary: random('acceptance'), secrets }),
  };
}

const toPart = (acceptance: Acceptance, notices: readonly string[]): Report['acceptance'] => ({
  ...acceptance,
  issues: [...acceptance.issues],
  criteria: acceptance.criteria.map(criterion => ({ ...criterion, evidence: [...criterion.evidence] })),
  notices: [...notices],
});
