import { GitHubFailure } from './failure.ts';

/** A GraphQL connection. */
export interface Page<T> {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly (T | null)[] | null;
}

/** Far above any real pull request; stops a server that never ends. */
const MAX_PAGES = 200;

/** All nodes of a connection. A connection that GitHub leaves out is an error, never an empty list. */
export async function listPages<T>(fetchPage: (after: string | null) => Promise<Page<T> | null>): Promise<T[]> {
  const all: T[] = [];
  let after: string | null = null;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page: Page<T> | null = await fetchPage(after);
    if (page === null || page.nodes === null) throw new GitHubFailure('not-found', 200, 'GitHub left a list out');
    all.push(...page.nodes.filter(node => node !== null));
    if (!page.pageInfo.hasNextPage) return all;
    after = page.pageInfo.endCursor;
  }
  throw new GitHubFailure('validation', 200, `GitHub sent more than ${MAX_PAGES} pages of one list`);
}
