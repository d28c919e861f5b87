import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import type { Site } from '../site.ts';
import type { Token } from '../tokens.ts';

export interface GraphContext {
  site: Site;
  token: Token;
}

/** An error with the `type` that GitHub adds to GraphQL's own shape. */
export class GraphError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

let schema: GraphQLSchema | undefined;

/** GitHub's own schema; parsing it takes most of a second, so it waits for the first query of the process. */
export function loadSchema(): GraphQLSchema {
  if (schema !== undefined) return schema;
  // The package exports its entry alone; the schema lies beside it.
  const file = new URL('../../../node_modules/@octokit/graphql-schema/schema.graphql', import.meta.url);
  schema = buildSchema(readFileSync(file, 'utf8'), { assumeValid: true });
  return schema;
}

/** Reads a field of the parent, calling it when it takes arguments. A field that is not modelled is the test's bug. */
export const resolveField: GraphQLFieldResolver<unknown, GraphContext> = (source, args, context, info) => {
  const value = (source as Record<string, unknown>)[info.fieldName];
  if (value === undefined && info.fieldName !== 'clientMutationId') {
    const field = `${info.parentType.name}.${info.fieldName}`;
    context.site.violations.push(`the simulator does not model ${field}`);
    throw new GraphError('INTERNAL', `Not modelled: ${field}`);
  }
  return typeof value === 'function' ? value(args, context, info) : value;
};
