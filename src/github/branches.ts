import type { GitHub } from './client.ts';
import type { RepositoryName } from './repository-name.ts';

/** Commit id at the tip of a branch, now. */
export async function fetchBranchTip(gh: GitHub, repository: RepositoryName, branch: string): Promise<string> {
  const { data } = await gh.read(`read the tip of ${branch}`, octokit =>
    octokit.rest.git.getRef({ ...repository, ref: `heads/${branch}` }),
  );
  return data.object.sha;
}
