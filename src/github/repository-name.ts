import { CypherFixError } from '../core/errors.ts';

export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

/** `owner/name`; anything else is refused before a request with a token is made from it. */
export function parseRepositoryName(text: string): RepositoryName {
  const match = /^([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))\/([A-Za-z0-9._-]{1,100})$/.exec(text);
  const [, owner, repo] = match ?? [];
  if (owner === undefined || repo === undefined || repo === '.' || repo === '..') {
    throw new CypherFixError('usage', `not a repository name: ${JSON.stringify(text.slice(0, 150))}`);
  }
  return { owner, repo };
}
