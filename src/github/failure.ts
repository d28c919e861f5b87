import { CypherFixError } from '../core/errors.ts';

export type FailureKind =
  | 'not-found'
  | 'forbidden'
  | 'validation'
  | 'rate-limit'
  | 'secondary-limit'
  | 'abuse'
  | 'server'
  | 'network'
  | 'conflict';

/** What GitHub answered, or that it did not; `status` is 0 where there was no answer. */
export class GitHubFailure extends CypherFixError {
  readonly status: number;
  readonly kind: FailureKind;
  /** How long GitHub asked us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    status: number,
    message: string,
    options: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    const hint = HINTS[kind];
    super(kind === 'forbidden' ? 'permission' : 'github', message, {
      ...(hint === undefined ? {} : { hint }),
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    this.name = 'GitHubFailure';
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const HINTS: Partial<Record<FailureKind, string>> = {
  forbidden: 'Give the job the permissions that the README lists; a pull request from a fork never has them.',
  'rate-limit': 'Wait for the hourly limit of the token, or use a GitHub App token.',
};

/** True when GitHub refused for a limit: the request had no effect and may be sent again after a wait. */
export const isLimited = (failure: GitHubFailure): boolean =>
  failure.kind === 'rate-limit' || failure.kind === 'secondary-limit' || failure.kind === 'abuse';

/** True when the request may or may not have taken effect. */
export const isUncertain = (failure: GitHubFailure): boolean => failure.kind === 'server' || failure.kind === 'network';
