import { CypherFixError, toMessage } from '../core/errors.ts';
import type { Graph } from '../graph/graph.ts';
import { listMissingSchema } from '../graph/initialise-graph.ts';
import { connectGraph } from '../graph/neo4j.ts';
import type { Check } from '../sandbox/examine.ts';
import type { GraphAccess } from './graph-access.ts';

/** Opens the graph as a triage run would and says what was found. Rejects only when the signal aborts. */
export async function checkGraph(access: GraphAccess, signal: AbortSignal): Promise<Check> {
  let graph: Graph;
  try {
    graph = await connectGraph({ ...access, signal });
  } catch (error) {
    signal.throwIfAborted();
    const fix = error instanceof CypherFixError ? error.hint : undefined;
    return { status: 'fail', what: `Neo4j: ${toMessage(error)}`, ...(fix === undefined ? {} : { fix }) };
  }
  const missing = await listMissingSchema(graph)
    .catch(() => null)
    .finally(() => graph.close());
  const { protocol, host, hostname } = new URL(access.uri);
  const what = `Neo4j ${graph.serverVersion} at ${host}`;
  if (!protocol.endsWith('+s:') && !isLoopback(hostname)) {
    const fix = `use ${protocol.slice(0, -1)}+s:// where the server has a certificate`;
    return { status: 'warn', what: `${what}: the password crosses the network in the clear`, fix };
  }
  if (missing === null) {
    const fix = 'grant the user SHOW INDEX';
    return { status: 'warn', what: `${what}: its indexes cannot be listed`, fix };
  }
  if (missing.length > 0) {
    const fix = 'triage --init makes them';
    return { status: 'warn', what: `${what}: ${missing.length} of the constraints and indexes are missing`, fix };
  }
  return { status: 'ok', what };
}

const isLoopback = (hostname: string): boolean => hostname === 'localhost' || /^(127\.|\[::1\]$)/.test(hostname);
