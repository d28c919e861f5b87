import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type GitHub, REPEATABLE } from './client.ts';
import { GitHubFailure } from './failure.ts';
import { MAX_SARIF_GZIP_BYTES } from './limits.ts';
import type { RepositoryName } from './repository-name.ts';

export interface SarifUpload {
  readonly commitSha: string;
  /** `refs/heads/…`, `refs/tags/…` or `refs/pull/N/head`. */
  readonly ref: string;
  readonly sarif: string;
  /** Waits between two looks at the processing, in milliseconds; its length is the number of looks. */
  readonly pollMs?: readonly number[];
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Uploads a SARIF file to code scanning and waits until GitHub has processed it. Needs `security-events: write`, which
 * no fork has. Returns `pending` when GitHub takes longer than we look. A second upload of the same file is harmless:
 * the later one of a category replaces the earlier.
 */
export async function uploadSarif(
  gh: GitHub,
  repository: RepositoryName,
  upload: SarifUpload,
): Promise<'complete' | 'pending'> {
  const packed = await promisify(gzip)(upload.sarif);
  if (packed.length > MAX_SARIF_GZIP_BYTES) {
    throw new GitHubFailure(
      'validation',
      413,
      `the SARIF file is too large for code scanning (${packed.length} bytes)`,
    );
  }
  const { data } = await gh.write(
    'upload the SARIF file',
    octokit =>
      octokit.rest.codeScanning.uploadSarif({
        ...repository,
        commit_sha: upload.commitSha,
        ref: upload.ref,
        sarif: packed.toString('base64'),
      }),
    REPEATABLE,
  );
  const id = data.id;
  if (id === undefined) return 'pending';
  for (const wait of upload.pollMs ?? POLL_MS) {
    await upload.sleep(wait);
    const state = await gh.read('read the state of the SARIF upload', octokit =>
      octokit.rest.codeScanning.getSarif({ ...repository, sarif_id: id }),
    );
    if (state.data.processing_status === 'complete') return 'complete';
    if (state.data.processing_status === 'failed') {
      const reasons = (state.data.errors ?? []).join('; ').slice(0, 500);
      throw new GitHubFailure('validation', 200, `GitHub could not process the SARIF file: ${reasons}`);
    }
  }
  return 'pending';
}

const POLL_MS = [2000, 4000, 8000, 16_000] as const;
