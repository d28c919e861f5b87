import { apiUrl, type Site, webUrl } from '../site.ts';
import type { Review, ReviewComment } from '../state.ts';
import { association } from './issue.ts';
import { renderUser } from './user.ts';

/** `pull-request-review` of the API. */
export function renderReview(site: Site, review: Review): Record<string, unknown> {
  const pull = apiUrl(site, `/pulls/${review.pullNumber}`);
  const web = webUrl(site, `/pull/${review.pullNumber}#pullrequestreview-${review.id}`);
  return {
    id: review.id,
    node_id: `PRR_${review.id}`,
    user: renderUser(site, review.author),
    body: review.body,
    state: review.state,
    html_url: web,
    pull_request_url: pull,
    author_association: association(site, review.author.login),
    _links: { html: { href: web }, pull_request: { href: pull } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitId,
  };
}

/** `pull-request-review-comment` of the API. An outdated comment keeps its original place and has `line: null`. */
export function renderReviewComment(site: Site, comment: ReviewComment): Record<string, unknown> {
  const self = apiUrl(site, `/pulls/comments/${comment.id}`);
  const pull = apiUrl(site, `/pulls/${comment.pullNumber}`);
  const web = webUrl(site, `/pull/${comment.pullNumber}#discussion_r${comment.id}`);
  return {
    id: comment.id,
    node_id: `PRRC_${comment.id}`,
    url: self,
    html_url: web,
    pull_request_url: pull,
    pull_request_review_id: comment.reviewId,
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
    user: renderUser(site, comment.author),
    author_association: association(site, comment.author.login),
    body: comment.body,
    path: comment.path,
    diff_hunk: comment.diffHunk,
    commit_id: comment.commitId,
    original_commit_id: comment.originalCommitId,
    subject_type: comment.subject,
    side: comment.side,
    line: comment.line,
    original_line: comment.originalLine,
    start_side: comment.startSide,
    start_line: comment.startLine,
    original_start_line: comment.originalStartLine,
    position: comment.line === null && comment.subject === 'line' ? null : comment.originalPosition,
    original_position: comment.originalPosition,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    _links: { self: { href: self }, html: { href: web }, pull_request: { href: pull } },
  };
}
