import { ApiError, isTooLong, notFound, unprocessable } from '../api-error.ts';
import { type Call, findById, findPull, type Handlers } from '../call.ts';
import { renderReview, renderReviewComment } from '../json/review.ts';
import { checkCommit, findPlace, type Place, type RequestedPlace } from '../review-anchor.ts';
import { addComment } from '../review-store.ts';
import { timestamp } from '../site.ts';
import type { PullRequest, Review } from '../state.ts';

type RequestedComment = RequestedPlace & { body: string };
interface CreateReview {
  commit_id?: string;
  body?: string;
  event?: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
  comments?: RequestedComment[];
}

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;
const WRITE = ['pull-requests:write'] as const;
const READ = ['pull-requests:read'] as const;

export const reviewHandlers: Handlers = {
  'pulls/list-reviews': {
    needs: READ,
    run: call => ({ list: visibleReviews(call, findPull(call)).map(review => renderReview(call.site, review)) }),
  },
  'pulls/get-review': { needs: READ, run: call => ({ json: renderReview(call.site, findReview(call)) }) },
  'pulls/create-review': { needs: WRITE, run: call => ({ json: renderReview(call.site, createReview(call)) }) },
  'pulls/update-review': {
    needs: WRITE,
    run: call => {
      const review = findReview(call);
      const { body } = call.body as { body: string };
      if (isTooLong(body)) throw unprocessable(['Body is too long (maximum is 65536 characters)']);
      review.body = body;
      return { json: renderReview(call.site, review) };
    },
  },
  'pulls/list-comments-for-review': {
    needs: READ,
    run: call => {
      const review = findReview(call);
      const comments = call.site.state.reviewComments.filter(comment => comment.reviewId === review.id);
      return { list: comments.map(comment => renderReviewComment(call.site, comment)) };
    },
  },
};

/** All or nothing: one bad comment refuses the review, and the answer does not name it. */
function createReview(call: Call): Review {
  const { site } = call;
  const pull = findPull(call);
  const body = call.body as CreateReview;
  const commitId = checkCommit(call, pull, body.commit_id);
  checkReview(call, pull, body);
  const places = (body.comments ?? []).map(comment => checkComment(call, pull, commitId, comment));
  const refusals = places.flatMap(place => ('refusal' in place ? [place.refusal] : []));
  if (refusals.length > 0) throw unprocessable(refusals);

  const review: Review = {
    id: site.state.nextId(),
    pullNumber: pull.number,
    author: call.token.user,
    body: body.body ?? '',
    state: body.event === undefined ? 'PENDING' : STATES[body.event],
    commitId,
    submittedAt: body.event === undefined ? null : timestamp(site),
    minimized: null,
  };
  site.state.reviews.push(review);
  const posted = site.settings.reviewCommentsPosted;
  for (const place of places.slice(0, posted)) {
    if ('place' in place) addComment(call, { pull, review, commitId, body: place.body, place: place.place });
  }
  if (places.length > posted) throw new ApiError(502, { message: 'Server Error' });
  return review;
}

function checkReview(call: Call, pull: PullRequest, body: CreateReview): void {
  const { site, token } = call;
  if (pull.locked) throw new ApiError(403, { message: 'Pull request is locked' });
  const own = pull.author.id === token.user.id;
  if (own && body.event === 'APPROVE') throw unprocessable(['Can not approve your own pull request']);
  if (own && body.event === 'REQUEST_CHANGES') {
    throw unprocessable(['Can not request changes on your own pull request']);
  }
  if (body.event === 'APPROVE' && token.kind === 'app' && !site.settings.actionsMayApprove) {
    throw new ApiError(403, { message: 'GitHub Actions is not permitted to create or approve pull requests' });
  }
  const text = body.body ?? '';
  const mustSay = body.event === 'REQUEST_CHANGES' || (body.event === 'COMMENT' && (body.comments ?? []).length === 0);
  if (mustSay && text.trim() === '') throw unprocessable(["Body can't be blank"]);
  if (isTooLong(text)) throw unprocessable(['Body is too long (maximum is 65536 characters)']);
  const pending = site.state.reviews.some(
    review => review.pullNumber === pull.number && review.state === 'PENDING' && review.author.id === token.user.id,
  );
  if (pending) throw unprocessable(['User can only have one pending review per pull request']);
}

function checkComment(
  call: Call,
  pull: PullRequest,
  commitId: string,
  comment: RequestedComment,
): { place: Place; body: string } | { refusal: string } {
  if (comment.body.trim() === '') return { refusal: "Pull request review thread comments body can't be blank" };
  if (isTooLong(comment.body)) {
    return { refusal: 'Pull request review thread comments body is too long (maximum is 65536 characters)' };
  }
  const found = findPlace(call.repo, pull, commitId, comment);
  if (Array.isArray(found)) return { refusal: found.map(refusal => refusal.message).join(' and ') };
  return { place: found, body: comment.body };
}

function visibleReviews(call: Call, pull: PullRequest): Review[] {
  const { reviews } = call.site.state;
  const mine = (review: Review) => review.author.id === call.token.user.id;
  return reviews.filter(review => review.pullNumber === pull.number && (review.state !== 'PENDING' || mine(review)));
}

function findReview(call: Call): Review {
  const pull = findPull(call);
  const review = findById(call.site.state.reviews, call.params['review_id']);
  if (review.pullNumber !== pull.number) throw notFound();
  return review;
}
