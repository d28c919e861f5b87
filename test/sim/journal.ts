/** One request as the site saw it. */
export interface Entry {
  /** Counts from 1. */
  index: number;
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  /**
   * OpenAPI's operationId (`pulls/create-review`), `graphql/<first root field>`, `git/upload-pack`, `git/receive-pack`,
   * `git/refs`, `oidc/token`, `artifact/zip`, or `unknown`.
   */
  operation: string;
  /** Parsed JSON, or undefined. */
  body: unknown;
  /** Login of the token's owner. */
  actor: string | null;
  /** 0 while it runs and when the connection was cut. */
  status: number;
  fault: string | null;
  at: number;
}

export interface Journal {
  entries: Entry[];
  /** Requests of one operation, in order. */
  of(operation: string): Entry[];
  /** Requests that change something: every REST method but GET, and GraphQL mutations. */
  writes(): Entry[];
  clear(): void;
}

export function createJournal(): Journal {
  const journal: Journal = {
    entries: [],
    of: operation => journal.entries.filter(entry => entry.operation === operation),
    writes: () => journal.entries.filter(isWrite),
    clear: () => journal.entries.splice(0),
  };
  return journal;
}

function isWrite(entry: Entry): boolean {
  if (entry.operation.startsWith('graphql/')) {
    return /^\s*mutation\b/m.test(String((entry.body as { query?: unknown } | undefined)?.query ?? ''));
  }
  return entry.method !== 'GET' && !entry.operation.startsWith('git/');
}
