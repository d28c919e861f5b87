import { type GitHub, REPEATABLE } from './client.ts';
import { listPages, type Page } from './pages.ts';
import type { RepositoryName } from './repository-name.ts';

/** Who wrote something, as far as it decides whether a marker in it counts. */
export interface Authorship {
  /** Login without `[bot]`; `ghost` when the account is gone. */
  readonly author: string;
  readonly isBot: boolean;
  /** True when the identity of our token wrote it. */
  readonly byViewer: boolean;
}

export interface Review extends Authorship {
  readonly id: number;
  readonly body: string;
  readonly state: string;
  readonly url: string;
}

/** One inline comment on the right side; `startLine` below `line` makes a range inside one hunk. */
export interface ReviewComment {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number;
  readonly body: string;
}

export interface ActorNode {
  readonly __typename: string;
  readonly login: string;
}

export const LIST_REVIEWS = `query ListReviews($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviews(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { fullDatabaseId body state url viewerDidAuthor author { __typename login } }
      }
    }
  }
}`;

/** Every review of a pull request, oldest first; through GraphQL, which alone tells who `viewer` is. */
export async function listReviews(gh: GitHub, repository: RepositoryName, number: number): Promise<Review[]> {
  const nodes = await listPages(async after => {
    const answer = await gh.query<ReviewsAnswer>('list the reviews', LIST_REVIEWS, { ...repository, number, after });
    return answer.repository?.pullRequest?.reviews ?? null;
  });
  return nodes.map(node => ({
    id: Number(node.fullDatabaseId),
    body: node.body,
    state: node.state,
    url: node.url,
    ...toAuthorship(node),
  }));
}

/**
 * Posts one COMMENT review; GitHub takes all of it or, with 422, nothing. `isIt` recognises the review when the answer
 * was lost (own marker and head, not one of the reviews known before).
 */
export async function createReview(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
  review: { readonly headSha: string; readonly body: string; readonly comments: readonly ReviewComment[] },
  isIt: (candidate: Review) => boolean,
): Promise<{ readonly id: number; readonly url: string }> {
  return gh.write(
    'create the review',
    async octokit => {
      const { data } = await octokit.rest.pulls.createReview({
        ...repository,
        pull_number: number,
        commit_id: review.headSha,
        event: 'COMMENT',
        body: review.body,
        comments: review.comments.map(toRestComment),
      });
      return { id: data.id, url: data.html_url };
    },
    async () => (await listReviews(gh, repository, number)).find(isIt) ?? null,
  );
}

export async function updateReview(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
  reviewId: number,
  body: string,
): Promise<void> {
  await gh.write<unknown>(
    'update the review',
    octokit => octokit.rest.pulls.updateReview({ ...repository, pull_number: number, review_id: reviewId, body }),
    REPEATABLE,
  );
}

/** GraphQL leaves `[bot]` off a login, REST does not; here it is always off. */
export function toAuthorship(node: {
  readonly viewerDidAuthor: boolean;
  readonly author: ActorNode | null;
}): Authorship {
  return {
    author: node.author?.login.replace(/\[bot\]$/, '') ?? 'ghost',
    isBot: node.author?.__typename === 'Bot',
    byViewer: node.viewerDidAuthor,
  };
}

interface ReviewNode {
  readonly fullDatabaseId: string | number;
  readonly body: string;
  readonly state: string;
  readonly url: string;
  readonly viewerDidAuthor: boolean;
  readonly author: ActorNode | null;
}

interface ReviewsAnswer {
  readonly repository: { readonly pullRequest: { readonly reviews: Page<ReviewNode> | null } | null } | null;
}

// GitHub refuses a range whose start equals its end.
const toRestComment = (comment: ReviewComment) => ({
  path: comment.path,
  body: comment.body,
  line: comment.line,
  side: 'RIGHT',
  ...(comment.startLine === undefined || comment.startLine >= comment.line
    ? {}
    : { start_line: comment.startLine, start_side: 'RIGHT' }),
});
