import { CypherFixError } from '../core/errors.ts';
import type { GitHub } from '../github/client.ts';
import { fetchPermission, mayWrite } from '../github/permission.ts';
import { fetchPullRequest, type PullRequest } from '../github/pull-request.ts';
import type { RepositoryName } from '../github/repository-name.ts';

/** Whether what was found still may be written to the pull request, and if not, why. */
export type Standing =
  | { readonly kind: 'current'; readonly pullRequest: PullRequest }
  | { readonly kind: 'stale'; readonly reason: string; readonly headSha: string }
  | { readonly kind: 'closed'; readonly reason: string }
  | { readonly kind: 'denied'; readonly reason: string };

/**
 * Reads the pull request again, right before anything is written: the head must be the examined one, the pull request
 * open and, where a person asked for the run, that person must still have write permission.
 */
export async function fetchStanding(
  gh: GitHub,
  repository: RepositoryName,
  expected: { readonly number: number; readonly headSha: string; readonly askedBy: string | null },
): Promise<Standing> {
  const pullRequest = await fetchPullRequest(gh, repository, expected.number);
  if (pullRequest.state !== 'open') {
    return {
      kind: 'closed',
      reason: `pull request ${expected.number} was ${pullRequest.merged ? 'merged' : 'closed'}`,
    };
  }
  if (expected.askedBy !== null && !(await isAllowed(gh, repository, expected.askedBy))) {
    const who = expected.askedBy === '' ? 'whoever asked for the run' : expected.askedBy;
    return { kind: 'denied', reason: `${who} has no write permission now` };
  }
  if (pullRequest.headSha !== expected.headSha) {
    const reason = `the head moved from ${expected.headSha.slice(0, 12)} to ${pullRequest.headSha.slice(0, 12)} during the run`;
    return { kind: 'stale', reason, headSha: pullRequest.headSha };
  }
  return { kind: 'current', pullRequest };
}

async function isAllowed(gh: GitHub, repository: RepositoryName, login: string): Promise<boolean> {
  if (login === '') return false;
  try {
    return mayWrite(await fetchPermission(gh, repository, login));
  } catch (error) {
    if (error instanceof CypherFixError && error.code === 'permission') return false;
    throw error;
  }
}
