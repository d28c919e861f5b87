import { CypherFixError } from '../core/errors.ts';
import type { GitHub } from './client.ts';
import { GitHubFailure } from './failure.ts';
import type { RepositoryName } from './repository-name.ts';

export type Permission = 'admin' | 'write' | 'read' | 'none';

/**
 * The permission of a person in the repository (maintain counts as write, triage as read). `author_association` in
 * payloads is lossy and is never used. Rejects with code `permission` when GitHub does not tell: nobody is let in then.
 */
export async function fetchPermission(gh: GitHub, repository: RepositoryName, login: string): Promise<Permission> {
  try {
    const { data } = await gh.read(`read the permission of ${login}`, octokit =>
      octokit.rest.repos.getCollaboratorPermissionLevel({ ...repository, username: login }),
    );
    return PERMISSIONS.find(p => p === data.permission) ?? 'none';
  } catch (error) {
    if (!(error instanceof GitHubFailure)) throw error;
    throw new CypherFixError('permission', `the permission of ${login} cannot be read, so it counts as none`, {
      hint: 'The token needs the permission `metadata: read` on this repository, which every job token has.',
      cause: error,
    });
  }
}

/** True for those who may start a command, an approval or a verdict. */
export const mayWrite = (permission: Permission): boolean => permission === 'admin' || permission === 'write';

const PERMISSIONS: readonly Permission[] = ['admin', 'write', 'read', 'none'];
