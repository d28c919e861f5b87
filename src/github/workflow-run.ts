import type { GitHub } from './client.ts';
import type { RepositoryName } from './repository-name.ts';

export interface WorkflowRun {
  readonly id: number;
  readonly attempt: number;
  /** What started it: `pull_request` … */
  readonly event: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly headSha: string;
  readonly headBranch: string;
  /** Owner of the repository that the head branch lives in; null when the fork was deleted. */
  readonly headOwner: string | null;
  readonly url: string;
}

/** A workflow run of this repository, read live: what the event or an artefact says about it is not relied on. */
export async function fetchWorkflowRun(gh: GitHub, repository: RepositoryName, id: number): Promise<WorkflowRun> {
  const { data } = await gh.read(`read workflow run ${id}`, octokit =>
    octokit.rest.actions.getWorkflowRun({ ...repository, run_id: id }),
  );
  return {
    id: data.id,
    attempt: data.run_attempt ?? 1,
    event: data.event,
    status: data.status ?? '',
    conclusion: data.conclusion,
    headSha: data.head_sha,
    headBranch: data.head_branch ?? '',
    headOwner: data.head_repository?.owner?.login ?? null,
    url: data.html_url,
  };
}
