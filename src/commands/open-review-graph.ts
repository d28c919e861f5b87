import { type ReviewGraph, withoutGraph } from '../analysis/review-graph.ts';
import type { Policy } from '../policy/schema.ts';
import type { CommandContext } from './context.ts';
import type { GraphAccess } from './graph-access.ts';

export interface ReviewGraphPlan {
  readonly policy: Policy;
  /** Null where the run is given no address. */
  readonly access: GraphAccess | null;
  /** What gives the address: `neo4j-uri`, `NEO4J_URI`. */
  readonly setting: string;
  /** `owner/name`; null where nobody says. Asked only where the graph is used. */
  toRepository(): Promise<string | null>;
  readonly isPublic: boolean;
  /** Null where the run is of no pull request: nothing is written then. */
  readonly pullRequest: number | null;
}

/** The graph that the policy and the run's settings name together, not connected yet; else one that says why not. */
export async function openReviewGraph(
  plan: ReviewGraphPlan,
  { log, signal }: Pick<CommandContext, 'log' | 'signal'>,
): Promise<ReviewGraph> {
  const { access, setting, policy, isPublic, pullRequest } = plan;
  const { project, user } = policy.triage;
  if (project === null && user === null) return withoutGraph();
  if (project === null || user === null) {
    const missing = project === null ? 'triage.project' : 'triage.user';
    return withoutGraph([`The attack-surface graph is not used: the policy lacks ${missing}.`]);
  }
  if (access === null) {
    return withoutGraph([
      `The attack-surface graph is not used: the policy names a project of it, but ${setting} is not set. Findings are ranked without its facts and verdicts.`,
    ]);
  }
  const repository = await plan.toRepository();
  if (repository === null) {
    return withoutGraph([
      'The attack-surface graph is not used: the remote origin does not tell which owner/name this repository is.',
    ]);
  }
  const [{ createLiveGraph }, { connectGraph }] = await Promise.all([
    import('../analysis/live-graph.ts'),
    import('../graph/neo4j.ts'),
  ]);
  return createLiveGraph({
    connect: stop => connectGraph({ ...access, signal: stop }),
    tenant: { userId: user, projectId: project },
    repository,
    isPublic,
    pullRequest,
    limitsTiers: policy.gate.max_tier !== null,
    log,
    signal,
  });
}
