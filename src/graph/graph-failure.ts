import { CypherFixError } from '../core/errors.ts';

/** What a failure asks of the caller: wait, try the same again, mend the access, or give up. */
export type GraphFailure = 'busy' | 'lock' | 'unreachable' | 'unauthorized' | 'old-server' | 'schema' | 'other';

/** A failure that was understood already; its message is fit for people and holds no secret. */
export class GraphError extends CypherFixError {
  readonly failure: GraphFailure;

  constructor(failure: GraphFailure, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super('missing', message, options);
    this.name = 'GraphError';
    this.failure = failure;
  }
}

/**
 * The kind of anything thrown by the graph. `lock`: another transaction held what this one needed. `busy`: the time was
 * up or the server short of memory. Goes by the error's code: its GQL status says the same for nearly everything on 5.26.
 */
export function readGraphFailure(error: unknown): GraphFailure {
  if (error instanceof GraphError) return error.failure;
  const code = readErrorCode(error);
  const known = KIND_OF_CODE[code];
  if (known !== undefined) return known;
  if (code.startsWith('Neo.ClientError.Security.')) return 'unauthorized';
  if (/^Neo\.\w+\.Schema\./.test(code)) return 'schema';
  if (code.startsWith('Neo.TransientError.')) return 'busy';
  const cause = error instanceof Error ? error.cause : undefined;
  return code === '' && cause !== undefined && cause !== error ? readGraphFailure(cause) : 'other';
}

/** The driver's or server's code of anything thrown; empty where it has none. */
export function readErrorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Whether the same transaction may succeed when it is tried again as it is. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof CypherFixError) return false;
  const code = readErrorCode(error);
  return code.startsWith('Neo.TransientError.') || RETRYABLE_CODES.has(code);
}

const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  'ServiceUnavailable',
  'SessionExpired',
  'Neo.ClientError.Security.AuthorizationExpired',
]);

const KIND_OF_CODE: Readonly<Record<string, GraphFailure>> = {
  'Neo.TransientError.Transaction.LockAcquisitionTimeout': 'lock',
  'Neo.TransientError.Transaction.DeadlockDetected': 'lock',
  // The driver turns these into client errors, which it does not repeat.
  'Neo.TransientError.Transaction.LockClientStopped': 'lock',
  'Neo.ClientError.Transaction.LockClientStopped': 'lock',
  'Neo.ClientError.Transaction.TransactionTimedOut': 'busy',
  'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration': 'busy',
  'Neo.ClientError.Transaction.Terminated': 'busy',
  'Neo.TransientError.General.DatabaseUnavailable': 'unreachable',
  'Neo.TransientError.Database.DatabaseUnavailable': 'unreachable',
  ServiceUnavailable: 'unreachable',
  SessionExpired: 'unreachable',
};
