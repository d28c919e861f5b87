import type { Request } from '../core/request.ts';
import type { Decision } from '../event/decide.ts';
import { fetchBranchTip } from '../github/branches.ts';
import { ensureRunFolder } from '../runner/folder.ts';
import { NO_ISSUES } from './read-linked-issues.ts';
import { NO_PAST } from './read-past.ts';
import { toNetwork } from './read-review-target.ts';
import { readTriageOrder } from './read-triage-order.ts';
import type { Common, Resolving } from './resolving.ts';
import { startCheck } from './start-check.ts';

/** The request to examine every file of the default branch: starts its check run and fetches the commit. */
export async function resolveTree(
  resolving: Resolving,
  decision: Extract<Decision, { kind: 'whole-tree' }>,
  common: Common,
): Promise<Request> {
  const { gh, repository, event, inputs, context } = resolving;
  const headSha = decision.headSha ?? (await fetchBranchTip(gh, repository, common.defaultBranch));
  const check = await startCheck(resolving, headSha);
  const { fetchWholeTree } = await import('../workspace/checkout.ts');
  const folder = ensureRunFolder(context.env);
  const [triage] = await Promise.all([
    readTriageOrder(resolving, headSha),
    fetchWholeTree({
      gitDir: folder.repository,
      url: `${common.serverUrl}/${common.repository}.git`,
      token: inputs.githubToken,
      signal: context.signal,
      searchPath: context.env['PATH'],
      network: toNetwork(context.env),
      headSha,
    }),
  ]);
  return {
    ...common,
    task: 'whole-tree',
    request: {
      kind: triage?.asked === true ? 'triage' : 'review',
      trigger: decision.trigger,
      ...(event.sender === null ? {} : { actor: event.sender.login }),
    },
    pullRequest: null,
    headSha,
    baseSha: headSha,
    mergeBaseSha: null,
    restricted: false,
    ...check,
    ...NO_ISSUES,
    ref: `refs/heads/${common.defaultBranch}`,
    artifactRunId: null,
    verdict: null,
    triage,
    ...NO_PAST,
  };
}
