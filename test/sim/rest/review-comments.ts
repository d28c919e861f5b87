import { invalidField, isTooLong, notFound } from '../api-error.ts';
import { type Call, findById, findPull, type Handlers } from '../call.ts';
import { renderReviewComment } from '../json/review.ts';
import { checkCommit, findPlace, type RequestedPlace } from '../review-anchor.ts';
import { addBareReview, addComment, addReply } from '../review-store.ts';
import { timestamp } from '../site.ts';
import type { PullRequest, ReviewComment } from '../state.ts';

interface CreateComment extends RequestedPlace {
  body: string;
  commit_id: string;
  subject_type?: 'line' | 'file';
  in_reply_to?: number;
}

const WRITE = ['pull-requests:write'] as const;
const READ = ['pull-requests:read'] as const;
const RESOURCE = 'PullRequestReviewComment';

export const reviewCommentHandlers: Handlers = {
  'pulls/list-review-comments': { needs: READ, run: listComments },
  'pulls/get-review-comment': {
    needs: READ,
    run: call => ({ json: renderReviewComment(call.site, findComment(call)) }),
  },
  'pulls/create-review-comment': {
    needs: WRITE,
    run: call => ({ json: renderReviewComment(call.site, createComment(call)) }),
  },
  'pulls/create-reply-for-review-comment': {
    needs: WRITE,
    run: call => {
      const pull = findPull(call);
      const root = findComment(call);
      if (root.pullNumber !== pull.number || root.inReplyTo !== null) throw notFound();
      const { body } = call.body as { body: string };
      checkBody(body);
      return { json: renderReviewComment(call.site, addReply(call, root, body)) };
    },
  },
  'pulls/update-review-comment': {
    needs: WRITE,
    run: call => {
      const comment = findComment(call);
      const { body } = call.body as { body: string };
      checkBody(body);
      Object.assign(comment, { body, updatedAt: timestamp(call.site) });
      return { json: renderReviewComment(call.site, comment) };
    },
  },
  'pulls/delete-review-comment': {
    needs: WRITE,
    run: call => {
      const { reviewComments, threads } = call.site.state;
      const comment = findComment(call);
      reviewComments.splice(reviewComments.indexOf(comment), 1);
      const left = reviewComments.some(other => other.threadId === comment.threadId);
      if (!left)
        threads.splice(
          threads.findIndex(thread => thread.id === comment.threadId),
          1,
        );
      return { status: 204 };
    },
  },
};

function createComment(call: Call): ReviewComment {
  const pull = findPull(call);
  const asked = call.body as CreateComment;
  checkBody(asked.body);
  if (asked.in_reply_to !== undefined) {
    return addReply(call, findById(call.site.state.reviewComments, String(asked.in_reply_to)), asked.body);
  }
  const commitId = checkCommit(call, pull, asked.commit_id);
  const isFile = asked.subject_type === 'file';
  const place = isFile ? findFile(call, pull, asked) : findPlace(call.repo, pull, commitId, asked);
  if (Array.isArray(place)) {
    const [first] = place;
    throw invalidField(RESOURCE, first?.field ?? '', place.map(refusal => refusal.message).join(' and '));
  }
  const review = addBareReview(call, pull.number, commitId);
  const comment = addComment(call, { pull, review, commitId, body: asked.body, place });
  if (isFile) Object.assign(comment, { subject: 'file', line: null, originalLine: null });
  return comment;
}

function findFile(call: Call, pull: PullRequest, asked: CreateComment): ReturnType<typeof findPlace> {
  const first = { path: asked.path, position: 1 };
  return findPlace(call.repo, pull, pull.headSha, first);
}

function listComments(call: Call): { list: unknown[] } {
  const pull = findPull(call);
  const { reviews, reviewComments } = call.site.state;
  const pending = new Set(reviews.filter(review => review.state === 'PENDING').map(review => review.id));
  const comments = reviewComments.filter(
    comment => comment.pullNumber === pull.number && !pending.has(comment.reviewId),
  );
  if (call.query.get('direction') === 'desc') comments.reverse();
  return { list: comments.map(comment => renderReviewComment(call.site, comment)) };
}

function findComment(call: Call): ReviewComment {
  return findById(call.site.state.reviewComments, call.params['comment_id']);
}

function checkBody(body: string): void {
  if (body.trim() === '') throw invalidField(RESOURCE, 'body', "body can't be blank");
  if (isTooLong(body)) throw invalidField(RESOURCE, 'body', 'body is too long (maximum is 65536 characters)');
}
