import type { GitHub } from './github.ts';
import { renderRepository } from './json/repository.ts';
import { renderUser } from './json/user.ts';

/** An event as a workflow run sees it: the payload, and what the runner's variables say beside it. */
export interface WorkflowEvent {
  name: string;
  payload: Record<string, unknown>;
  /** GITHUB_SHA. */
  sha: string;
  /** GITHUB_REF. */
  ref: string;
  headRef: string;
  baseRef: string;
  actor: string;
}

/** What a push names in place of a commit that is not there. */
export const NO_COMMIT = '0'.repeat(40);

/** An event whose run starts from the default branch. */
export function onBranch(
  github: GitHub,
  name: string,
  payload: Record<string, unknown>,
  sender: string,
): WorkflowEvent {
  return { name, payload: complete(github, payload, sender), ...onDefaultBranch(github), actor: sender };
}

export function onDefaultBranch(github: GitHub): Pick<WorkflowEvent, 'sha' | 'ref' | 'headRef' | 'baseRef'> {
  const ref = `refs/heads/${github.settings.defaultBranch}`;
  return { sha: github.repo.sha(ref) ?? NO_COMMIT, ref, headRef: '', baseRef: '' };
}

/** What GitHub adds to every payload. */
export function complete(github: GitHub, payload: Record<string, unknown>, sender: string): Record<string, unknown> {
  const { site } = github;
  return { ...payload, repository: renderRepository(site), sender: renderUser(site, site.state.user(sender)) };
}
