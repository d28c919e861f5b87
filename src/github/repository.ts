import type { GitHub } from './client.ts';
import type { RepositoryName } from './repository-name.ts';

export interface Repository {
  readonly defaultBranch: string;
  readonly private: boolean;
  readonly url: string;
}

export async function fetchRepository(gh: GitHub, repository: RepositoryName): Promise<Repository> {
  const { data } = await gh.read('read the repository', octokit => octokit.rest.repos.get({ ...repository }));
  return { defaultBranch: data.default_branch, private: data.private, url: data.html_url };
}
