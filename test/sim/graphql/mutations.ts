import { isTooLong } from '../api-error.ts';
import { addReply } from '../review-store.ts';
import type { Site } from '../site.ts';
import type { IssueComment, Review, ReviewComment, Thread } from '../state.ts';
import { hasPermission, type Token } from '../tokens.ts';
import { canModerate } from './actor.ts';
import { renderIssueComment } from './objects.ts';
import { renderReview, renderReviewComment, renderThread } from './review-objects.ts';
import { GraphError } from './schema.ts';

type Input<T> = { input: T };

/** The mutations that are modelled, as fields of the root. */
export function createMutations(site: Site, token: Token): Record<string, unknown> {
  return {
    resolveReviewThread: ({ input }: Input<{ threadId: string }>) => {
      const thread = moderatedThread(site, token, input.threadId);
      thread.resolvedBy ??= token.user;
      return { thread: renderThread(site, token, thread) };
    },
    unresolveReviewThread: ({ input }: Input<{ threadId: string }>) => {
      const thread = moderatedThread(site, token, input.threadId);
      thread.resolvedBy = null;
      return { thread: renderThread(site, token, thread) };
    },
    minimizeComment: ({ input }: Input<{ subjectId: string; classifier: string }>) => {
      const found = moderatedComment(site, token, input.subjectId);
      found.row.minimized = input.classifier.toLowerCase().replace('_', '-');
      return { minimizedComment: found.render() };
    },
    unminimizeComment: ({ input }: Input<{ subjectId: string }>) => {
      const found = moderatedComment(site, token, input.subjectId);
      found.row.minimized = null;
      return { unminimizedComment: found.render() };
    },
    addPullRequestReviewThreadReply: ({ input }: Input<{ pullRequestReviewThreadId: string; body: string }>) => {
      if (!hasPermission(token, 'pull-requests:write')) throw forbidden();
      const thread = findThread(site, input.pullRequestReviewThreadId);
      const root = site.state.reviewComments.find(comment => comment.id === thread.root);
      if (root === undefined) throw unknownNode(thread.id);
      if (isTooLong(input.body)) {
        throw new GraphError('UNPROCESSABLE', 'Body is too long (maximum is 65536 characters)');
      }
      return { comment: renderReviewComment(site, token, addReply({ site, token }, root, input.body)) };
    },
  };
}

/** Any comment by its node id. */
export function findComment(
  site: Site,
  token: Token,
  id: string,
): { row: Review | ReviewComment | IssueComment; render: () => Record<string, unknown> } | undefined {
  const [kind, number] = id.split('_');
  const is = (row: { id: number }) => String(row.id) === number;
  const review = kind === 'PRR' ? site.state.reviews.find(is) : undefined;
  if (review !== undefined) return { row: review, render: () => renderReview(site, token, review) };
  const inline = kind === 'PRRC' ? site.state.reviewComments.find(is) : undefined;
  if (inline !== undefined) return { row: inline, render: () => renderReviewComment(site, token, inline) };
  const comment = kind === 'IC' ? site.state.issueComments.find(is) : undefined;
  return comment && { row: comment, render: () => renderIssueComment(site, token, comment) };
}

export function findThread(site: Site, id: string): Thread {
  const thread = site.state.threads.find(candidate => candidate.id === id);
  if (thread === undefined) throw unknownNode(id);
  return thread;
}

export function unknownNode(id: string): GraphError {
  return new GraphError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

function moderatedThread(site: Site, token: Token, id: string): Thread {
  const thread = findThread(site, id);
  if (!canModerate(token)) throw forbidden();
  return thread;
}

function moderatedComment(site: Site, token: Token, id: string): NonNullable<ReturnType<typeof findComment>> {
  const found = findComment(site, token, id);
  if (found === undefined) throw unknownNode(id);
  if (!canModerate(token)) throw forbidden();
  return found;
}

function forbidden(): GraphError {
  return new GraphError('FORBIDDEN', 'Resource not accessible by integration');
}
