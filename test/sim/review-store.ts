import type { Call } from './call.ts';
import type { Place } from './review-anchor.ts';
import { timestamp } from './site.ts';
import type { PullRequest, Review, ReviewComment } from './state.ts';
import { anchorComment } from './sync-pulls.ts';

/** Who writes, and where to. */
type Author = Pick<Call, 'site' | 'token'>;

/** Stores a first comment at a place of the diff, with its thread, carried on to the head if that has moved. */
export function addComment(
  call: Author,
  made: { pull: PullRequest; review: Review; commitId: string; body: string; place: Place },
): ReviewComment {
  const { site } = call;
  const { place } = made;
  const comment = storeComment(call, made.review, {
    inReplyTo: null,
    threadId: `PRRT_${site.state.nextId()}`,
    body: made.body,
    path: place.path,
    subject: 'line',
    side: place.side,
    startSide: place.startSide,
    line: place.line,
    startLine: place.startLine,
    originalLine: place.line,
    originalStartLine: place.startLine,
    originalPosition: place.position,
    commitId: made.commitId,
    originalCommitId: made.commitId,
    originalMergeBase: place.mergeBase,
    diffHunk: place.diffHunk,
  });
  const { threadId, id } = comment;
  site.state.threads.push({ id: threadId, pullNumber: made.pull.number, root: id, resolvedBy: null });
  if (made.commitId !== made.pull.headSha) anchorComment(site, made.pull, comment);
  return comment;
}

/** A reply lives in a review of its own, as on GitHub. */
export function addReply(call: Author, root: ReviewComment, body: string): ReviewComment {
  const review = addBareReview(call, root.pullNumber, root.commitId);
  const { id, pullNumber, reviewId, author, createdAt, updatedAt, minimized, ...place } = root;
  return storeComment(call, review, { ...place, inReplyTo: id, body });
}

/** The review that GitHub makes around a single comment. */
export function addBareReview(call: Author, pullNumber: number, commitId: string): Review {
  const { site, token } = call;
  const review: Review = {
    id: site.state.nextId(),
    pullNumber,
    author: token.user,
    body: '',
    state: 'COMMENTED',
    commitId,
    submittedAt: timestamp(site),
    minimized: null,
  };
  site.state.reviews.push(review);
  return review;
}

function storeComment(
  call: Author,
  review: Review,
  fields: Omit<ReviewComment, 'id' | 'pullNumber' | 'reviewId' | 'author' | 'createdAt' | 'updatedAt' | 'minimized'>,
): ReviewComment {
  const { site, token } = call;
  const at = timestamp(site);
  const comment: ReviewComment = {
    id: site.state.nextId(),
    pullNumber: review.pullNumber,
    reviewId: review.id,
    author: token.user,
    createdAt: at,
    updatedAt: at,
    minimized: null,
    ...fields,
  };
  site.state.reviewComments.push(comment);
  return comment;
}
