import type { GitHub } from '../github/client.ts';
import { createNotes } from './notes.ts';
import { type Publication, writeCheck } from './publish-report.ts';
import type { PublishTarget } from './target.ts';

/**
 * Reports success for a commit of a merge queue: what is in it was reviewed in its pull requests, and a required check
 * that never comes would block the queue. `pullRequestUrl` is where the review is; null when the ref does not tell.
 */
export async function publishMergeGroup(
  gh: GitHub,
  target: PublishTarget,
  pullRequestUrl: string | null,
): Promise<Publication> {
  const notes = createNotes();
  const check = await writeCheck(gh, target, renderMergeGroup(pullRequestUrl), 'success', notes);
  return { check, review: null, notes: notes.all() };
}

/** What the check run and the job summary say; the address was built by us. */
export function renderMergeGroup(pullRequestUrl: string | null) {
  const where = pullRequestUrl === null ? 'its pull request' : `[its pull request](${pullRequestUrl})`;
  const summary = `A merge queue asks again for what was reviewed in ${where}. Nothing was examined here.`;
  return { title: 'Reviewed in the pull request', summary, text: '', annotations: [] };
}

/** `gh-readonly-queue/<base>/pr-<number>-<sha>` names the pull request at the head of the group. */
export function toQueuedPullRequestUrl(ref: string, serverUrl: string, repository: string): string | null {
  const number = /(?:^|\/)gh-readonly-queue\/.+\/pr-([1-9]\d*)-[0-9a-f]{40}$/.exec(ref)?.[1];
  return number === undefined ? null : `${serverUrl}/${repository}/pull/${number}`;
}
