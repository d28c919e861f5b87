import type { GitHub } from './client.ts';
import { PAGE_SIZE } from './limits.ts';
import type { RepositoryName } from './repository-name.ts';

export interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
  readonly draft: boolean;
  readonly merged: boolean;
  readonly headSha: string;
  readonly headRef: string;
  /** `owner/name`; null when the fork was deleted. */
  readonly headRepo: string | null;
  /** Frozen when the pull request was opened or its base changed; not the tip of the base branch. */
  readonly baseSha: string;
  readonly baseRef: string;
  readonly author: string;
  /** `User`, `Bot` or `Organization`. */
  readonly authorType: string;
  readonly labels: readonly string[];
  readonly url: string;
}

export async function fetchPullRequest(gh: GitHub, repository: RepositoryName, number: number): Promise<PullRequest> {
  const { data } = await gh.read(`read pull request ${number}`, octokit =>
    octokit.rest.pulls.get({ ...repository, pull_number: number }),
  );
  return {
    number: data.number,
    title: data.title,
    body: data.body ?? '',
    state: data.state === 'open' ? 'open' : 'closed',
    draft: data.draft === true,
    merged: data.merged === true,
    headSha: data.head.sha,
    headRef: data.head.ref,
    headRepo: data.head.repo?.full_name ?? null,
    baseSha: data.base.sha,
    baseRef: data.base.ref,
    author: data.user?.login ?? 'ghost',
    authorType: data.user?.type ?? 'User',
    labels: data.labels.map(l => l.name),
    url: data.html_url,
  };
}

/** True when the head branch lives in another repository; a deleted fork counts as one. */
export const isFork = (pullRequest: PullRequest, repository: RepositoryName): boolean =>
  pullRequest.headRepo?.toLowerCase() !== `${repository.owner}/${repository.repo}`.toLowerCase();

/** Numbers of the open pull requests whose head is this commit on this branch of this repository or fork. */
export async function listPullRequestsOfHead(
  gh: GitHub,
  repository: RepositoryName,
  head: { readonly owner: string; readonly branch: string; readonly sha: string },
): Promise<number[]> {
  const found = await gh.read('list the pull requests of a head branch', octokit =>
    octokit.paginate(octokit.rest.pulls.list, {
      ...repository,
      state: 'open',
      head: `${head.owner}:${head.branch}`,
      per_page: 100,
    }),
  );
  return found.filter(p => p.head.sha === head.sha).map(p => p.number);
}

/** Numbers of closed and merged pull requests, those touched last first, at most `most` (a multiple of the page). */
export async function listClosedPullRequests(gh: GitHub, repository: RepositoryName, most: number): Promise<number[]> {
  return gh.read('list the closed pull requests', async octokit => {
    const numbers = new Set<number>();
    const query = { ...repository, state: 'closed', sort: 'updated', direction: 'desc', per_page: PAGE_SIZE } as const;
    for await (const { data } of octokit.paginate.iterator(octokit.rest.pulls.list, query)) {
      for (const { number } of data) if (numbers.size < most) numbers.add(number);
      if (numbers.size >= most) break;
    }
    return [...numbers];
  });
}
