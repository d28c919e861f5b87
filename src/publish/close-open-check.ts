import { findCheckRun, updateCheckRun } from '../github/check-run.ts';
import type { GitHub } from '../github/client.ts';
import type { RepositoryName } from '../github/repository-name.ts';

/** Completes this run's check as cancelled when it is still in progress; returns whether it was. */
export async function closeOpenCheck(
  gh: GitHub,
  repository: RepositoryName,
  headSha: string,
  externalId: string,
): Promise<boolean> {
  const check = await findCheckRun(gh, repository, headSha, externalId);
  if (check === null || check.status === 'completed') return false;
  await updateCheckRun(gh, repository, {
    id: check.id,
    conclusion: 'cancelled',
    output: {
      title: 'Review did not finish',
      summary: 'The run was cancelled or broke off before it had a result. Nothing is known about this commit.',
    },
  });
  return true;
}
