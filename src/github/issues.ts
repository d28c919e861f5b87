import { type GitHub, REPEATABLE } from './client.ts';
import { GitHubFailure } from './failure.ts';
import type { RepositoryName } from './repository-name.ts';

export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
  readonly isPullRequest: boolean;
  readonly author: string;
  readonly labels: readonly string[];
}

export async function fetchIssue(gh: GitHub, repository: RepositoryName, number: number): Promise<Issue> {
  const { data } = await gh.read(`read issue ${number}`, octokit =>
    octokit.rest.issues.get({ ...repository, issue_number: number }),
  );
  return {
    number: data.number,
    title: data.title,
    body: data.body ?? '',
    state: data.state === 'open' ? 'open' : 'closed',
    isPullRequest: data.pull_request !== undefined,
    author: data.user?.login ?? 'ghost',
    labels: data.labels.map(l => (typeof l === 'string' ? l : (l.name ?? ''))),
  };
}

/** Takes a label off an issue or pull request; a label that is gone already is fine. */
export async function removeLabel(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
  label: string,
): Promise<void> {
  try {
    await gh.write<unknown>(
      `remove the label ${label}`,
      octokit => octokit.rest.issues.removeLabel({ ...repository, issue_number: number, name: label }),
      REPEATABLE,
    );
  } catch (error) {
    if (!(error instanceof GitHubFailure) || error.kind !== 'not-found') throw error;
  }
}
