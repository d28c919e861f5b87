import { setTimeout as delay } from 'node:timers/promises';
import type { Request } from '../core/request.ts';
import type { GitHub } from '../github/client.ts';
import { uploadSarif } from '../github/code-scanning.ts';
import { fetchFile } from '../github/contents.ts';
import { parseRepositoryName } from '../github/repository-name.ts';
import { loadPolicy } from '../policy/load-policy.ts';
import { createNotes } from './notes.ts';

/**
 * Uploads the report's SARIF to code scanning when the policy at the base asks for it (`sarif.upload`). Returns
 * sentences for the summary. A fork's report is never uploaded: it would speak for code scanning in our name.
 */
export async function uploadWantedSarif(
  gh: GitHub,
  request: Request,
  policyFile: string,
  sarif: string,
  sleep: (ms: number) => Promise<unknown> = delay,
): Promise<readonly string[]> {
  const notes = createNotes();
  const { baseSha } = request;
  if (baseSha === null || request.restricted) return [];
  const repository = parseRepositoryName(request.repository);
  const loaded = await notes.attempt('The policy could not be read, so no SARIF was uploaded', () =>
    loadPolicy(path => fetchFile(gh, repository, path, baseSha), policyFile),
  );
  if (loaded?.policy.sarif.upload !== true) return notes.all();
  const state = await notes.attempt('The SARIF file was not uploaded to code scanning', () =>
    uploadSarif(gh, repository, {
      commitSha: request.headSha,
      ref: request.ref,
      sarif,
      sleep: async ms => {
        await sleep(ms);
      },
    }),
  );
  if (state === 'pending') notes.add('Code scanning has not processed the SARIF file yet');
  return notes.all();
}
