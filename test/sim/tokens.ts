import { randomBytes } from 'node:crypto';
import { ApiError } from './api-error.ts';
import type { State, User } from './state.ts';

/** Names as a workflow's `permissions:` writes them, plus `metadata`. */
export type Scope =
  | 'actions'
  | 'checks'
  | 'contents'
  | 'issues'
  | 'metadata'
  | 'pull-requests'
  | 'security-events'
  | 'statuses';
export type Permissions = Partial<Record<Scope, 'read' | 'write'>>;
export type Need = `${Scope}:${'read' | 'write'}`;

export interface Token {
  value: string;
  user: User;
  /** `app`: a workflow's own token or another App's. `user`: somebody's personal token, which may not write checks. */
  kind: 'app' | 'user';
  appId: number;
  /** A test may change it while the action runs. */
  permissions: Permissions;
  used: number;
  /** Times of content-creating writes, in milliseconds. */
  writes: number[];
}

export const ACTIONS_APP_ID = 15_368;
export const ALL_WRITE: Permissions = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  'pull-requests': 'write',
  'security-events': 'write',
  statuses: 'write',
};
/** What a workflow gets for a pull request from a fork, and for Dependabot's. */
export const FORK_READ: Permissions = {
  actions: 'read',
  checks: 'read',
  contents: 'read',
  issues: 'read',
  metadata: 'read',
  'pull-requests': 'read',
};

export function createToken(
  state: State,
  options: { login?: string; kind?: Token['kind']; appId?: number; permissions?: Permissions } = {},
): Token {
  const kind = options.kind ?? 'app';
  const appId = options.appId ?? ACTIONS_APP_ID;
  return {
    value: kind === 'app' ? appToken(appId) : `github_pat_${randomBytes(41).toString('hex')}`,
    user: state.user(options.login ?? (kind === 'app' ? 'github-actions[bot]' : 'octocat')),
    kind,
    appId,
    permissions: { metadata: 'read', ...(options.permissions ?? ALL_WRITE) },
    used: 0,
    writes: [],
  };
}

/** Fails with GitHub's 403 unless the token has one of the needs. */
export function requirePermission(token: Token, anyOf: readonly Need[]): void {
  if (anyOf.length === 0 || anyOf.some(need => hasPermission(token, need))) return;
  const message =
    token.kind === 'app'
      ? 'Resource not accessible by integration'
      : 'Resource not accessible by personal access token';
  const accepted = anyOf.map(need => need.replace('-', '_').replace(':', '=')).join('; ');
  throw new ApiError(403, { message }, { 'x-accepted-github-permissions': accepted });
}

export function hasPermission(token: Token, need: Need): boolean {
  const [scope, level] = need.split(':') as [Scope, 'read' | 'write'];
  const held = token.permissions[scope];
  return held === 'write' || (held === 'read' && level === 'read');
}

/** The current form: `ghs_`, the App's id and a JSON web token, some 520 characters with dots. */
function appToken(appId: number): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64url');
  return `ghs_${appId}_${part(27)}.${part(200)}.${part(150)}`;
}
