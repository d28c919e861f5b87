import type { GitHub } from './client.ts';
import { GitHubFailure } from './failure.ts';
import { PAGE_SIZE } from './limits.ts';
import type { RepositoryName } from './repository-name.ts';
import { readZipMembers } from './zip.ts';

export interface Artifact {
  readonly id: number;
  readonly name: string;
  /** Packed size as GitHub gives it. */
  readonly bytes: number;
  readonly expired: boolean;
}

export interface ArtifactLimits {
  readonly maxZipBytes: number;
  readonly maxMemberBytes: number;
}

const DEFAULT_LIMITS: ArtifactLimits = { maxZipBytes: 40 * 1024 * 1024, maxMemberBytes: 64 * 1024 * 1024 };

/** The artefacts of one workflow run. */
export async function listArtifacts(gh: GitHub, repository: RepositoryName, runId: number): Promise<Artifact[]> {
  const found = await gh.read(`list the artefacts of run ${runId}`, octokit =>
    octokit.paginate(octokit.rest.actions.listWorkflowRunArtifacts, {
      ...repository,
      run_id: runId,
      per_page: PAGE_SIZE,
    }),
  );
  return found.map(a => ({ id: a.id, name: a.name, bytes: a.size_in_bytes, expired: a.expired }));
}

/**
 * Downloads an artefact and gives those of the named members that it has, by their whole name. Its bytes are
 * untrusted: sizes are capped, nothing is written to disk, members with other names are never unpacked.
 */
export async function downloadArtifact(
  gh: GitHub,
  repository: RepositoryName,
  artifact: Artifact,
  members: readonly string[],
  limits: ArtifactLimits = DEFAULT_LIMITS,
): Promise<Map<string, Buffer>> {
  if (artifact.expired) throw new GitHubFailure('not-found', 410, `artefact ${artifact.name} has expired`);
  const zip = await gh.download(`download artefact ${artifact.name}`, limits.maxZipBytes, async octokit => {
    const answer = await octokit.request('GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}', {
      ...repository,
      artifact_id: artifact.id,
      archive_format: 'zip',
      request: { redirect: 'manual', parseSuccessResponseBody: false },
    });
    return String(answer.headers.location ?? '');
  });
  return readZipMembers(zip, members, limits.maxMemberBytes);
}
