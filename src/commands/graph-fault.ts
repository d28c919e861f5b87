import { CypherFixError, toMessage } from '../core/errors.ts';
import { type GraphFailure, readErrorCode, readGraphFailure } from '../graph/graph-failure.ts';

/** What a triage needs is not there; the message names no server. */
export class TriageNotReady extends CypherFixError {
  constructor(message: string, options: { hint: string }) {
    super('missing', message, options);
    this.name = 'TriageNotReady';
  }
}

/** An error of the graph (null for any other), fit for where it will be read: on a public repository it does not name the server. */
export function toTellable(error: unknown, isPublic: boolean): CypherFixError | null {
  const kind = readGraphFailure(error);
  const isGraphs = error instanceof CypherFixError ? error.code === 'missing' : isServers(error, kind);
  if (!isGraphs) return null;
  const hint = error instanceof CypherFixError ? error.hint : undefined;
  const options = { ...(hint === undefined ? {} : { hint }), cause: error };
  const message = isPublic && !(error instanceof TriageNotReady) ? TOLD[kind] : toMessage(error);
  return new CypherFixError('missing', message, options);
}

const isServers = (error: unknown, kind: GraphFailure): boolean =>
  kind !== 'other' || readErrorCode(error).startsWith('Neo.');

const TOLD: Readonly<Record<GraphFailure, string>> = {
  busy: 'the graph was too busy',
  lock: 'the graph was held by somebody else for too long',
  unreachable: 'the graph cannot be reached',
  unauthorized: 'the graph refused the user name or the password',
  'old-server': 'the server of the graph is too old, or not Neo4j',
  schema: 'the graph lacks constraints or indexes',
  other: 'the graph could not be used',
};
