import { CypherFixError } from '../../../src/core/errors.ts';
import { connectGraph } from '../../../src/graph/neo4j.ts';

// Run as a program: opens the graph that the environment names, and says what came of it in one line of JSON.
const { NEO4J_URI = '', NEO4J_PASSWORD = '' } = process.env;
try {
  const graph = await connectGraph({ uri: NEO4J_URI, user: 'neo4j', password: NEO4J_PASSWORD, database: '' });
  const rows = await graph.read('CYPHER 5 RETURN 1 AS one');
  await graph.close();
  process.stdout.write(`${JSON.stringify({ version: graph.serverVersion, rows })}\n`);
} catch (error) {
  const { message, hint } = error as CypherFixError;
  process.stdout.write(`${JSON.stringify({ message, hint, known: error instanceof CypherFixError })}\n`);
}
