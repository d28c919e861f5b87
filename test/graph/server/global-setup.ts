import type { TestProject } from 'vitest/node';
import { canRun, NEWEST_VERSION, OLDEST_VERSION, startNeo4j } from './start-neo4j.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The one server of this test run. */
    readonly neo4j: { readonly uri: string; readonly user: string; readonly password: string };
    /** The versions that this machine can run. */
    readonly neo4jVersions: readonly string[];
  }
}

/** Starts the one server of a test run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startNeo4j();
  project.provide('neo4j', { uri: server.uri, user: server.user, password: server.password });
  project.provide('neo4jVersions', [OLDEST_VERSION, ...((await canRun(NEWEST_VERSION)) ? [NEWEST_VERSION] : [])]);
  return () => server.stop();
}
