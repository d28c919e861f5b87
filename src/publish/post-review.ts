import type { GitHub } from '../github/client.ts';
import { GitHubFailure } from '../github/failure.ts';
import type { RepositoryName } from '../github/repository-name.ts';
import { createReview, type Review, type ReviewComment, updateReview } from '../github/reviews.ts';

export interface ReviewToPost {
  readonly number: number;
  readonly headSha: string;
  readonly comments: readonly ReviewComment[];
  /** Body of the review when these comments, by their index, are shown in it and not inline. */
  readonly renderBody: (inBody: readonly number[]) => string;
  /** Body of a review that holds only a part of the comments. */
  readonly renderPart: (part: number) => string;
  /** Recognises the review, or its part, that a lost answer left behind. */
  readonly isReview: (candidate: Review) => boolean;
  readonly isPart: (candidate: Review, part: number) => boolean;
}

export interface PostedReview {
  readonly id: number;
  readonly url: string;
  /** Indexes of the comments that GitHub refused; they are in the body. */
  readonly refused: readonly number[];
}

/** Requests that the search for bad comments may cost; comments not tried by then stay in the body. */
const MAX_TRIES = 24;

/**
 * Posts one review. GitHub takes all comments or none and does not say which one is bad: after a 422 the review is
 * posted with everything in its body, so that nothing can be lost, and the comments are tried in halves; the body then
 * keeps those that were refused.
 */
export async function postReview(gh: GitHub, repository: RepositoryName, review: ReviewToPost): Promise<PostedReview> {
  const { number, headSha, comments, isReview } = review;
  try {
    const posted = await createReview(
      gh,
      repository,
      number,
      { headSha, comments, body: review.renderBody([]) },
      isReview,
    );
    return { ...posted, refused: [] };
  } catch (error) {
    if (comments.length === 0 || !(error instanceof GitHubFailure) || error.kind !== 'validation') throw error;
  }
  const everyIndex = comments.map((_, index) => index);
  const body = review.renderBody(everyIndex);
  const posted = await createReview(gh, repository, number, { headSha, comments: [], body }, isReview);
  const refused = await postInHalves(gh, repository, review, everyIndex);
  if (refused.length < everyIndex.length) {
    await updateReview(gh, repository, number, posted.id, review.renderBody(refused));
  }
  return { ...posted, refused };
}

/** Indexes that GitHub refused, in order. A limit or a lost permission ends the search: what is left counts as refused. */
async function postInHalves(
  gh: GitHub,
  repository: RepositoryName,
  review: ReviewToPost,
  all: readonly number[],
): Promise<number[]> {
  const refused: number[] = [];
  const queue: (readonly number[])[] = all.length > 1 ? halve(all) : [];
  if (all.length === 1) refused.push(...all);
  let part = 0;
  for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
    const kind = part >= MAX_TRIES ? 'stop' : await tryPart(gh, repository, review, group, ++part);
    if (kind === 'posted') continue;
    if (kind === 'refused' && group.length > 1) queue.unshift(...halve(group));
    else refused.push(...group);
    if (kind === 'stop') return [...refused, ...queue.flat()].sort((a, b) => a - b);
  }
  return refused.sort((a, b) => a - b);
}

async function tryPart(
  gh: GitHub,
  repository: RepositoryName,
  review: ReviewToPost,
  group: readonly number[],
  part: number,
): Promise<'posted' | 'refused' | 'stop'> {
  const comments = review.comments.filter((_, index) => group.includes(index));
  try {
    await createReview(
      gh,
      repository,
      review.number,
      { headSha: review.headSha, body: review.renderPart(part), comments },
      candidate => review.isPart(candidate, part),
    );
    return 'posted';
  } catch (error) {
    if (!(error instanceof GitHubFailure)) throw error;
    return error.kind === 'validation' ? 'refused' : 'stop';
  }
}

const halve = (items: readonly number[]): [readonly number[], readonly number[]] => [
  items.slice(0, Math.ceil(items.length / 2)),
  items.slice(Math.ceil(items.length / 2)),
];
