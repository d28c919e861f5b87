import { association } from '../json/issue.ts';
import { type Site, webUrl } from '../site.ts';
import type { Review, ReviewComment, Thread } from '../state.ts';
import { hasPermission, type Token } from '../tokens.ts';
import { canModerate, renderActor, renderMinimized } from './actor.ts';
import { connect } from './connection.ts';

export function renderReview(site: Site, token: Token, review: Review): Record<string, unknown> {
  const comments = site.state.reviewComments.filter(comment => comment.reviewId === review.id);
  return {
    __typename: 'PullRequestReview',
    id: `PRR_${review.id}`,
    databaseId: review.id,
    fullDatabaseId: String(review.id),
    author: renderActor(site, review.author),
    authorAssociation: association(site, review.author.login),
    body: review.body,
    state: review.state,
    url: webUrl(site, `/pull/${review.pullNumber}#pullrequestreview-${review.id}`),
    submittedAt: review.submittedAt,
    commit: renderCommit(review.commitId),
    comments: connect('comments', comments, comment => renderReviewComment(site, token, comment)),
    ...renderMinimized(token, review),
    viewerDidAuthor: review.author.id === token.user.id,
    viewerCanUpdate: hasPermission(token, 'pull-requests:write'),
  };
}

export function renderThread(site: Site, token: Token, thread: Thread): Record<string, unknown> {
  const comments = site.state.reviewComments.filter(comment => comment.threadId === thread.id);
  const root = comments.find(comment => comment.id === thread.root) ?? comments[0];
  if (root === undefined) throw new Error(`thread ${thread.id} has no comment`);
  const resolved = thread.resolvedBy !== null;
  const outdated = isOutdated(root);
  return {
    __typename: 'PullRequestReviewThread',
    id: thread.id,
    path: root.path,
    subjectType: root.subject.toUpperCase(),
    line: root.line,
    startLine: root.startLine,
    originalLine: root.originalLine,
    originalStartLine: root.originalStartLine,
    diffSide: root.side,
    startDiffSide: root.startSide,
    isResolved: resolved,
    isOutdated: outdated,
    isCollapsed: resolved || outdated,
    resolvedBy: thread.resolvedBy === null ? null : renderActor(site, thread.resolvedBy),
    viewerCanReply: hasPermission(token, 'pull-requests:write'),
    viewerCanResolve: !resolved && canModerate(token),
    viewerCanUnresolve: resolved && canModerate(token),
    comments: connect('comments', comments, comment => renderReviewComment(site, token, comment)),
  };
}

export function renderReviewComment(site: Site, token: Token, comment: ReviewComment): Record<string, unknown> {
  const { state } = site;
  const review = state.reviews.find(candidate => candidate.id === comment.reviewId);
  const parent = state.reviewComments.find(candidate => candidate.id === comment.inReplyTo);
  return {
    __typename: 'PullRequestReviewComment',
    id: `PRRC_${comment.id}`,
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    author: renderActor(site, comment.author),
    authorAssociation: association(site, comment.author.login),
    body: comment.body,
    path: comment.path,
    line: comment.line,
    startLine: comment.startLine,
    originalLine: comment.originalLine,
    originalStartLine: comment.originalStartLine,
    diffHunk: comment.diffHunk,
    outdated: isOutdated(comment),
    state: review?.state === 'PENDING' ? 'PENDING' : 'SUBMITTED',
    subjectType: comment.subject.toUpperCase(),
    commit: renderCommit(comment.commitId),
    originalCommit: renderCommit(comment.originalCommitId),
    pullRequestReview: review === undefined ? null : () => renderReview(site, token, review),
    replyTo: parent === undefined ? null : () => renderReviewComment(site, token, parent),
    url: webUrl(site, `/pull/${comment.pullNumber}#discussion_r${comment.id}`),
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    ...renderMinimized(token, comment),
    viewerDidAuthor: comment.author.id === token.user.id,
    viewerCanUpdate: hasPermission(token, 'pull-requests:write'),
    viewerCanDelete: hasPermission(token, 'pull-requests:write'),
  };
}

function isOutdated(comment: ReviewComment): boolean {
  return comment.subject === 'line' && comment.line === null;
}

function renderCommit(oid: string): Record<string, unknown> {
  return { __typename: 'Commit', id: `C_${oid}`, oid };
}
