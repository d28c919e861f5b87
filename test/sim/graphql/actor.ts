import type { Site } from '../site.ts';
import type { User } from '../state.ts';
import { hasPermission, type Token } from '../tokens.ts';

/** In GraphQL a bot has no `[bot]` behind its name. */
export function renderActor(site: Site, user: User): Record<string, unknown> {
  const login = user.login.replace(/\[bot\]$/, '');
  return {
    __typename: user.type,
    id: `U_${user.id}`,
    databaseId: user.id,
    login,
    url: `${site.url}/${login}`,
    avatarUrl: () => `${site.url}/avatars/${user.id}`,
  };
}

/** Resolving and minimising take `contents: write` from a workflow's token; the right to write reviews is not enough. */
export function canModerate(token: Token): boolean {
  const scope = token.kind === 'app' ? 'contents:write' : 'pull-requests:write';
  return hasPermission(token, scope) && hasPermission(token, 'pull-requests:write');
}

export function renderMinimized(token: Token, comment: { minimized: string | null }): Record<string, unknown> {
  return {
    isMinimized: comment.minimized !== null,
    minimizedReason: comment.minimized,
    viewerCanMinimize: canModerate(token),
  };
}
