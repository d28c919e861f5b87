import type { GitHub } from './client.ts';
import { GitHubFailure } from './failure.ts';
import type { RepositoryName } from './repository-name.ts';

/**
 * Bytes of one file of a commit, null where there is no such file. GitHub sends at most 1 MB this way; a folder, a link
 * or a larger file rejects with GitHubFailure.
 */
export async function fetchFile(
  gh: GitHub,
  repository: RepositoryName,
  path: string,
  commit: string,
): Promise<Buffer | null> {
  try {
    const { data } = await gh.read(`read ${path}`, octokit =>
      octokit.rest.repos.getContent({ ...repository, path, ref: commit }),
    );
    if (Array.isArray(data) || data.type !== 'file' || !('content' in data) || data.encoding !== 'base64') {
      throw new GitHubFailure('validation', 200, `${path} is no file that can be read`);
    }
    return Buffer.from(data.content, 'base64');
  } catch (error) {
    if (error instanceof GitHubFailure && error.kind === 'not-found') return null;
    throw error;
  }
}
