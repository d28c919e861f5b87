import type { GitHub } from './client.ts';
import { GitHubFailure } from './failure.ts';
import type { RepositoryName } from './repository-name.ts';

/** The bytes of a file at a commit; null when it is absent or no regular file. GitHub gives at most 1 MB this way. */
export async function fetchFile(
  gh: GitHub,
  repository: RepositoryName,
  path: string,
  ref: string,
): Promise<Buffer | null> {
  try {
    const { data } = await gh.read(`read ${path}`, octokit =>
      octokit.rest.repos.getContent({ ...repository, path, ref }),
    );
    if (Array.isArray(data) || data.type !== 'file' || !('content' in data)) return null;
    return Buffer.from(data.content, 'base64');
  } catch (error) {
    if (error instanceof GitHubFailure && error.kind === 'not-found') return null;
    throw error;
  }
}
