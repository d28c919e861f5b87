import { type GitHub, REPEATABLE } from './client.ts';
import { listPages, type Page } from './pages.ts';
import type { RepositoryName } from './repository-name.ts';
import { type ActorNode, type Authorship, toAuthorship } from './reviews.ts';

export interface ThreadComment extends Authorship {
  readonly id: number;
  readonly nodeId: string;
  readonly body: string;
  readonly isMinimized: boolean;
}

export interface ReviewThread {
  readonly nodeId: string;
  readonly path: string;
  /** Null when the thread is outdated. */
  readonly line: number | null;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  readonly viewerCanResolve: boolean;
  readonly viewerCanReply: boolean;
  /** Oldest first, at most 100. */
  readonly comments: readonly ThreadComment[];
  /** More than 100 comments: people talk here, whoever the first hundred are by. */
  readonly hasMoreComments: boolean;
}

export const LIST_THREADS = `query ListThreads($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id path line isResolved isOutdated viewerCanResolve viewerCanReply
          comments(first: 100) {
            pageInfo { hasNextPage endCursor }
            nodes { id fullDatabaseId body isMinimized viewerDidAuthor author { __typename login } }
          }
        }
      }
    }
  }
}`;

export const RESOLVE_THREAD = `mutation ResolveThread($threadId: ID!) {
  resolveReviewThread(input: { threadId: $threadId }) { thread { id isResolved } }
}`;

export const MINIMIZE_COMMENT = `mutation MinimizeComment($subjectId: ID!, $classifier: ReportedContentClassifiers!) {
  minimizeComment(input: { subjectId: $subjectId, classifier: $classifier }) { minimizedComment { isMinimized } }
}`;

export async function listReviewThreads(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
): Promise<ReviewThread[]> {
  const nodes = await listPages(async after => {
    const answer = await gh.query<ThreadsAnswer>('list the review threads', LIST_THREADS, {
      ...repository,
      number,
      after,
    });
    return answer.repository?.pullRequest?.reviewThreads ?? null;
  });
  return nodes.map(toThread);
}

/** Needs `contents: write` for a job token; ask `viewerCanResolve` first and expect `forbidden` all the same. */
export async function resolveReviewThread(gh: GitHub, threadNodeId: string): Promise<void> {
  await gh.mutate<unknown>('resolve a review thread', RESOLVE_THREAD, { threadId: threadNodeId }, REPEATABLE);
}

/** Folds a comment away; the one way left to close a thread where resolving is not permitted. */
export async function minimizeComment(
  gh: GitHub,
  commentNodeId: string,
  classifier: 'OUTDATED' | 'RESOLVED' | 'DUPLICATE',
): Promise<void> {
  await gh.mutate<unknown>(
    'minimise a comment',
    MINIMIZE_COMMENT,
    { subjectId: commentNodeId, classifier },
    REPEATABLE,
  );
}

/** Answers in a thread; `commentId` is its first comment. `marker` is a part of the body that a lost answer is found by. */
export async function replyToThread(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
  commentId: number,
  body: string,
  marker: string,
): Promise<void> {
  await gh.write<unknown>(
    'reply in a review thread',
    octokit =>
      octokit.rest.pulls.createReplyForReviewComment({
        ...repository,
        pull_number: number,
        comment_id: commentId,
        body,
      }),
    async () => {
      const thread = (await listReviewThreads(gh, repository, number)).find(t => t.comments[0]?.id === commentId);
      return thread?.comments.some(c => c.byViewer && c.body.includes(marker)) === true ? true : null;
    },
  );
}

function toThread(node: ThreadNode): ReviewThread {
  return {
    nodeId: node.id,
    path: node.path,
    line: node.line,
    isResolved: node.isResolved,
    isOutdated: node.isOutdated,
    viewerCanResolve: node.viewerCanResolve,
    viewerCanReply: node.viewerCanReply,
    comments: (node.comments.nodes ?? [])
      .filter(c => c !== null)
      .map(c => ({
        id: Number(c.fullDatabaseId),
        nodeId: c.id,
        body: c.body,
        isMinimized: c.isMinimized,
        ...toAuthorship(c),
      })),
    hasMoreComments: node.comments.pageInfo.hasNextPage,
  };
}

interface CommentNode {
  readonly id: string;
  readonly fullDatabaseId: string | number;
  readonly body: string;
  readonly isMinimized: boolean;
  readonly viewerDidAuthor: boolean;
  readonly author: ActorNode | null;
}

interface ThreadNode {
  readonly id: string;
  readonly path: string;
  readonly line: number | null;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  readonly viewerCanResolve: boolean;
  readonly viewerCanReply: boolean;
  readonly comments: Page<CommentNode>;
}

interface ThreadsAnswer {
  readonly repository: { readonly pullRequest: { readonly reviewThreads: Page<ThreadNode> | null } | null } | null;
}
