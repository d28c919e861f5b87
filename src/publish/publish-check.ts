import {
  type CheckAnnotation,
  type CheckConclusion,
  type CheckRun,
  createCheckRun,
  fetchCheckRun,
  findCheckRun,
  updateCheckRun,
} from '../github/check-run.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubFailure } from '../github/failure.ts';
import { MAX_ANNOTATIONS_PER_REQUEST } from '../github/limits.ts';
import type { RepositoryName } from '../github/repository-name.ts';

export interface CheckToPublish {
  /** The check left in progress; null makes publish look for it, or create one. */
  readonly id: number | null;
  readonly headSha: string;
  readonly externalId: string;
  readonly conclusion: CheckConclusion;
  readonly title: string;
  readonly summary: string;
  readonly text?: string;
  readonly annotations: readonly CheckAnnotation[];
}

export interface PublishedCheck {
  readonly url: string;
  /** Annotations that GitHub did not take. */
  readonly refused: number;
}

/**
 * Completes the check run of this run. Annotations go in batches of 50, the last request completes. A batch that GitHub
 * refuses costs its annotations, never the conclusion. What the check has already is not sent again.
 */
export async function publishCheck(
  gh: GitHub,
  repository: RepositoryName,
  check: CheckToPublish,
): Promise<PublishedCheck> {
  const output = {
    title: check.title,
    summary: check.summary,
    ...(check.text ? { text: check.text } : {}),
  };
  const current = await openCheck(gh, repository, check);
  let present = current.annotationCount;
  let refused = 0;
  const batches = toBatches(check.annotations.slice(present));
  const last = batches.pop() ?? [];
  for (const annotations of batches) {
    if (await append(gh, repository, current.id, { ...output, annotations }, present)) present += annotations.length;
    else refused += annotations.length;
  }
  const update = { id: current.id, conclusion: check.conclusion, annotationsBefore: present };
  try {
    const done = await updateCheckRun(gh, repository, { ...update, output: { ...output, annotations: last } });
    return { url: done.url, refused };
  } catch (error) {
    if (!(error instanceof GitHubFailure) || last.length === 0) throw error;
    const done = await updateCheckRun(gh, repository, { ...update, output });
    return { url: done.url, refused: refused + last.length };
  }
}

async function openCheck(gh: GitHub, repository: RepositoryName, check: CheckToPublish): Promise<CheckRun> {
  if (check.id !== null) {
    const open = await fetchCheckRun(gh, repository, check.id);
    // The number comes from a file: it must not complete the check of another commit.
    if (open.headSha === check.headSha) return open;
    throw new GitHubFailure('validation', 200, `check run ${check.id} is not about ${check.headSha.slice(0, 12)}`);
  }
  const found = await findCheckRun(gh, repository, check.headSha, check.externalId);
  if (found !== null) return found;
  const output = { title: check.title, summary: check.summary };
  return createCheckRun(gh, repository, { headSha: check.headSha, externalId: check.externalId, output });
}

async function append(
  gh: GitHub,
  repository: RepositoryName,
  id: number,
  output: Parameters<typeof updateCheckRun>[2]['output'],
  annotationsBefore: number,
): Promise<boolean> {
  try {
    await updateCheckRun(gh, repository, { id, output, annotationsBefore });
    return true;
  } catch (error) {
    if (error instanceof GitHubFailure && error.kind === 'validation') return false;
    throw error;
  }
}

function toBatches<T>(items: readonly T[]): (readonly T[])[] {
  const batches: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += MAX_ANNOTATIONS_PER_REQUEST) {
    batches.push(items.slice(at, at + MAX_ANNOTATIONS_PER_REQUEST));
  }
  return batches;
}
