import type { Inputs } from '../runner/inputs.ts';

/** Where the graph is and how it is opened. */
export interface GraphAccess {
  readonly uri: string;
  readonly user: string;
  readonly password: string;
  /** Empty for the user's home database. */
  readonly database: string;
}

const DEFAULT_USER = 'neo4j';

/**
 * Reads NEO4J_URI, NEO4J_USER (or NEO4J_USERNAME), NEO4J_PASSWORD and NEO4J_DATABASE, and takes the password out of the
 * environment: no child gets it. Null where no address is set.
 */
export function takeGraphAccess(env: NodeJS.ProcessEnv): GraphAccess | null {
  const password = env['NEO4J_PASSWORD'] ?? '';
  delete env['NEO4J_PASSWORD'];
  const uri = env['NEO4J_URI']?.trim() ?? '';
  if (uri === '') return null;
  const user = env['NEO4J_USER']?.trim() || env['NEO4J_USERNAME']?.trim() || DEFAULT_USER;
  return { uri, user, password, database: env['NEO4J_DATABASE']?.trim() ?? '' };
}

/** The same for the action's inputs. */
export function takeActionGraphAccess(env: NodeJS.ProcessEnv, inputs: Inputs): GraphAccess | null {
  delete env['INPUT_NEO4J_PASSWORD'];
  const { neo4jUri: uri, neo4jUser, neo4jPassword, neo4jDatabase } = inputs;
  if (uri === null) return null;
  return { uri, user: neo4jUser ?? DEFAULT_USER, password: neo4jPassword ?? '', database: neo4jDatabase ?? '' };
}
