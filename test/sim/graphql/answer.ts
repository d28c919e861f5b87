import { type DocumentNode, execute, type GraphQLError, GraphQLError as Problem, parse, validate } from 'graphql';
import type { Site } from '../site.ts';
import type { Token } from '../tokens.ts';
import { renderActor } from './actor.ts';
import { createMutations, findComment, unknownNode } from './mutations.ts';
import { renderRepository } from './objects.ts';
import { renderThread } from './review-objects.ts';
import { GraphError, loadSchema, resolveField } from './schema.ts';

/** `graphql/<first field>` for the journal; works on a broken document too. */
export function nameGraphOperation(query: string): string {
  const field = /\{\s*(?:\w+\s*:\s*)?(\w+)/.exec(query.replace(/#.*$/gm, ''))?.[1];
  return `graphql/${field ?? 'unknown'}`;
}

/** Runs a document on GitHub's schema. Errors come with status 200, as on GitHub. */
export async function answerGraph(site: Site, token: Token, body: unknown): Promise<unknown> {
  const request = body as { query?: unknown; variables?: Record<string, unknown>; operationName?: string } | undefined;
  if (typeof request?.query !== 'string')
    return { errors: [{ message: 'A query attribute must be specified and must be a string.' }] };
  const schema = loadSchema();
  let document: DocumentNode;
  try {
    document = parse(request.query);
  } catch (error) {
    if (error instanceof Problem) return { errors: [renderProblem(error)] };
    throw error;
  }
  const problems = validate(schema, document);
  if (problems.length > 0) return { errors: problems.map(renderProblem) };
  const result = await execute({
    schema,
    document,
    rootValue: { ...createQueries(site, token), ...createMutations(site, token) },
    contextValue: { site, token },
    variableValues: request.variables ?? {},
    operationName: request.operationName ?? null,
    fieldResolver: resolveField,
  });
  return { data: result.data, ...(result.errors === undefined ? {} : { errors: result.errors.map(renderProblem) }) };
}

function createQueries(site: Site, token: Token): Record<string, unknown> {
  return {
    viewer: () => ({ ...renderActor(site, token.user), __typename: 'User', login: token.user.login }),
    repository: ({ owner, name }: { owner: string; name: string }) => {
      if (`${owner}/${name}`.toLowerCase() === site.fullName.toLowerCase()) return renderRepository(site, token);
      throw new GraphError('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`);
    },
    node: ({ id }: { id: string }) => findNode(site, token, id),
    nodes: ({ ids }: { ids: string[] }) => ids.map(id => findNode(site, token, id)),
    rateLimit: () => ({
      limit: site.settings.hourlyLimit,
      used: token.used,
      remaining: site.settings.hourlyLimit - token.used,
      cost: 1,
    }),
  };
}

function findNode(site: Site, token: Token, id: string): unknown {
  const thread = site.state.threads.find(candidate => candidate.id === id);
  if (thread !== undefined) return renderThread(site, token, thread);
  const comment = findComment(site, token, id);
  if (comment === undefined) throw unknownNode(id);
  return comment.render();
}

function renderProblem(problem: GraphQLError): Record<string, unknown> {
  const cause = problem.originalError;
  return {
    ...(cause instanceof GraphError ? { type: cause.type } : {}),
    ...(problem.path === undefined ? {} : { path: problem.path }),
    ...(problem.locations === undefined ? {} : { locations: problem.locations }),
    message: problem.message,
  };
}
