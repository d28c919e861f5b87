import { createBudget } from '../model/budget.ts';
import type { Policy } from '../policy/schema.ts';
import { RUN_TIMES } from '../triage/run-triage.ts';
import { TRIAGE_MAX_CALLS, TRIAGE_SHARES, type TriageModel } from '../triage/triage-model.ts';
import { type ModelAccess, toAiSetup, toLocalAiSetup } from './model-access.ts';

/** The model of a triage run, or why there is none. */
export type TriageModelSetup =
  | { readonly status: 'ok'; readonly model: TriageModel }
  | { readonly status: 'none'; readonly reason: string };

/**
 * Sets up the model that reviews evidence and words fixes (`ai.triage_model`, else the reviewers'), within
 * `ai.budget_usd`. `asked`: a person asked for it, so that a missing key is an error that names the variable.
 */
export async function toTriageModel(
  access: ModelAccess,
  policy: Policy,
  { asked, lifetime, now }: { readonly asked: boolean; readonly lifetime: AbortSignal; readonly now: () => number },
): Promise<TriageModelSetup> {
  const name = policy.ai.triage_model ?? policy.ai.reviewer_model;
  // No other model of the policy is called, so that no other key is missed.
  const alone: Policy = { ...policy, ai: { ...policy.ai, reviewer_model: name, judge_model: name } };
  const setup = asked
    ? await toLocalAiSetup(access, alone, lifetime)
    : await toAiSetup(access, alone, { title: null, body: null }, lifetime);
  if (setup.kind === 'none') return { status: 'none', reason: setup.reason };
  const budget = createBudget({
    totalUsd: policy.ai.budget_usd,
    shares: TRIAGE_SHARES,
    maxCalls: TRIAGE_MAX_CALLS,
    deadline: now() + RUN_TIMES.review + RUN_TIMES.prose,
    prices: setup.prices,
    now,
  });
  return { status: 'ok', model: { model: setup.model, name, effort: policy.ai.effort.reviewer, budget } };
}
