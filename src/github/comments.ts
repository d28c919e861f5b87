import { type GitHub, REPEATABLE } from './client.ts';
import { PAGE_SIZE } from './limits.ts';
import type { RepositoryName } from './repository-name.ts';

export type Reaction = '+1' | '-1' | 'eyes' | 'rocket' | 'hooray' | 'confused' | 'heart' | 'laugh';

/** Where a comment lives: the conversation of an issue or pull request, or a review thread. */
export type CommentKind = 'issue' | 'review';

export interface IssueComment {
  readonly id: number;
  readonly body: string;
  readonly author: string;
  readonly authorType: string;
  readonly url: string;
  readonly createdAt: string;
}

/** Adds a reaction; GitHub keeps one of a kind for each identity, so a second sending changes nothing. */
export async function createReaction(
  gh: GitHub,
  repository: RepositoryName,
  comment: { readonly kind: CommentKind; readonly id: number },
  content: Reaction,
): Promise<void> {
  await gh.write<unknown>(
    `react with ${content}`,
    octokit =>
      comment.kind === 'issue'
        ? octokit.rest.reactions.createForIssueComment({ ...repository, comment_id: comment.id, content })
        : octokit.rest.reactions.createForPullRequestReviewComment({ ...repository, comment_id: comment.id, content }),
    REPEATABLE,
  );
}

/** Every comment of an issue's or pull request's conversation, oldest first. */
export async function listIssueComments(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
): Promise<IssueComment[]> {
  const found = await gh.read(`list the comments of ${number}`, octokit =>
    octokit.paginate(octokit.rest.issues.listComments, { ...repository, issue_number: number, per_page: PAGE_SIZE }),
  );
  return found.map(toIssueComment);
}

/** Writes a comment. `marker` must be a part of the body that no other comment has: a lost answer is found by it. */
export async function createIssueComment(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
  body: string,
  marker: string,
): Promise<IssueComment> {
  return gh.write(
    'write a comment',
    async octokit => {
      const { data } = await octokit.rest.issues.createComment({ ...repository, issue_number: number, body });
      return toIssueComment(data);
    },
    async () => (await listIssueComments(gh, repository, number)).find(c => c.body.includes(marker)) ?? null,
  );
}

export async function updateIssueComment(
  gh: GitHub,
  repository: RepositoryName,
  commentId: number,
  body: string,
): Promise<void> {
  await gh.write<unknown>(
    'update a comment',
    octokit => octokit.rest.issues.updateComment({ ...repository, comment_id: commentId, body }),
    REPEATABLE,
  );
}

interface RestComment {
  readonly id: number;
  readonly body?: string | null | undefined;
  readonly html_url: string;
  readonly created_at: string;
  readonly user: { readonly login: string; readonly type: string } | null;
}

function toIssueComment(data: RestComment): IssueComment {
  return {
    id: data.id,
    body: data.body ?? '',
    author: data.user?.login ?? 'ghost',
    authorType: data.user?.type ?? 'User',
    url: data.html_url,
    createdAt: data.created_at,
  };
}
