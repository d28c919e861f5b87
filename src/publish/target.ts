import type { Request } from '../core/request.ts';
import type { CommentKind } from '../github/comments.ts';
import { parseRepositoryName, type RepositoryName } from '../github/repository-name.ts';

/** Where the result of a run goes, and what may stand in the way. */
export interface PublishTarget {
  readonly repository: RepositoryName;
  /** The pull request; null for a whole tree. */
  readonly number: number | null;
  readonly headSha: string;
  /** Address of the server, for links. */
  readonly serverUrl: string;
  /** External id of the check run: `<run id>-<attempt>`. */
  readonly runLabel: string;
  readonly check:
    | { readonly kind: 'open'; readonly id: number }
    | { readonly kind: 'create' }
    | { readonly kind: 'refused'; readonly reason: string }
    | { readonly kind: 'none' };
  /** Login whose write permission the run rests on; null for runs that need nobody's. */
  readonly askedBy: string | null;
  /** The comment that asked for the run. */
  readonly comment: { readonly kind: CommentKind; readonly id: number } | null;
  readonly label: string | null;
  readonly trustedBots: readonly string[];
}

/** The target that `resolve` wrote down. Pure. */
export function toTarget(request: Request, commentKind: CommentKind, trustedBots: readonly string[]): PublishTarget {
  const { commentId, label } = request.request;
  return {
    repository: parseRepositoryName(request.repository),
    number: request.pullRequest?.number ?? null,
    headSha: request.headSha,
    serverUrl: request.serverUrl,
    runLabel: `${request.runId}-${request.runAttempt}`,
    check: toCheck(request),
    askedBy: askedBy(request),
    comment: commentId === undefined ? null : { kind: commentKind, id: commentId },
    label: label ?? null,
    trustedBots,
  };
}

function toCheck(request: Request): PublishTarget['check'] {
  if (request.checkRunId !== null) return { kind: 'open', id: request.checkRunId };
  if (request.checkRefusal !== null) return { kind: 'refused', reason: request.checkRefusal };
  return request.task === 'whole-tree' || request.task === 'verdict' ? { kind: 'none' } : { kind: 'create' };
}

/** A request of a person that names nobody rests on nobody's permission, which no one has. */
function askedBy(request: Request): string | null {
  const { commentId, label, trigger } = request.request;
  const byPerson = commentId !== undefined || label !== undefined || trigger === 'workflow_dispatch';
  return byPerson ? (request.request.actor ?? '') : null;
}
