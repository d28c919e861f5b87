import { toMessage } from '../core/errors.ts';
import type { Request } from '../core/request.ts';
import { cutReason, type VerdictOrder } from '../core/verdict.ts';
import type { VerdictAsked } from '../event/decide.ts';
import { fetchBranchTip } from '../github/branches.ts';
import { fetchFile } from '../github/contents.ts';
import { GitHubFailure } from '../github/failure.ts';
import { fetchPullRequest } from '../github/pull-request.ts';
import { listReviewThreads } from '../github/review-threads.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import type { Policy } from '../policy/schema.ts';
import { toOwnThreads } from '../publish/own-threads.ts';
import { acknowledge } from './answer.ts';
import { NO_ISSUES } from './read-linked-issues.ts';
import { NO_PAST } from './read-past.ts';
import type { Common, Resolving } from './resolving.ts';

/** What is to be recorded, or why it cannot be. The policy is that of the base branch, as for a review. */
export async function resolveVerdict(
  resolving: Resolving,
  asked: VerdictAsked,
  common: Common,
): Promise<Request | { readonly refused: string }> {
  await acknowledge(resolving, asked.comment, 'eyes');
  const policy = await readPolicy(resolving, asked, common.defaultBranch);
  if ('refused' in policy) return policy;
  const { project, user } = policy.triage;
  if (project === null || user === null) {
    return {
      refused: "verdicts are kept in the graph, and the policy's triage.project and triage.user do not name it",
    };
  }
  const fingerprint = 'id' in asked.finding ? asked.finding.id : await readThread(resolving, asked, asked.finding);
  if (fingerprint === null) {
    return { refused: 'no finding of ours began this thread, so the verdict needs the id of the finding' };
  }
  const { number, verdict, reason, permissionOf: by } = asked;
  return toRequest(
    { number, fingerprint, verdict, reason: cutReason(reason), by, userId: user, projectId: project },
    asked,
    common,
  );
}

const toRequest = (verdict: VerdictOrder, { comment }: VerdictAsked, common: Common): Request => ({
  ...common,
  task: 'verdict',
  request: {
    kind: 'verdict',
    trigger: comment.of === 'issue' ? 'issue_comment' : 'pull_request_review_comment',
    actor: verdict.by,
    commentId: comment.id,
  },
  verdict,
  triage: null,
  pullRequest: null,
  headSha: '',
  baseSha: null,
  mergeBaseSha: null,
  restricted: false,
  ...NO_ISSUES,
  ...NO_PAST,
  checkRunId: null,
  checkRefusal: null,
  ref: '',
  artifactRunId: null,
});

async function readPolicy(
  { gh, repository, inputs }: Resolving,
  { number, onPullRequest }: VerdictAsked,
  defaultBranch: string,
): Promise<Policy | { readonly refused: string }> {
  try {
    const branch = onPullRequest ? (await fetchPullRequest(gh, repository, number)).baseRef : defaultBranch;
    const tip = await fetchBranchTip(gh, repository, branch);
    return parsePolicy(await fetchFile(gh, repository, inputs.configPath, tip), inputs.configPath);
  } catch (error) {
    return { refused: `the policy could not be read: ${toMessage(error)}` };
  }
}

/** The fingerprint in our own comment that began the thread; null where somebody else's did. */
async function readThread(
  { gh, repository, inputs }: Resolving,
  { number }: VerdictAsked,
  { inReplyTo }: { readonly inReplyTo: number },
): Promise<string | null> {
  try {
    const own = toOwnThreads(await listReviewThreads(gh, repository, number), inputs.trustedBots);
    const found = own.find(({ thread }) => thread.comments.some(comment => comment.id === inReplyTo));
    return found?.fingerprint ?? null;
  } catch (error) {
    if (!(error instanceof GitHubFailure)) throw error;
    return null;
  }
}
