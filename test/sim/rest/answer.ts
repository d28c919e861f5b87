import { ApiError, notFound } from '../api-error.ts';
import type { Call, Handlers, Reply } from '../call.ts';
import type { Entry } from '../journal.ts';
import { checkRequest, checkResponse, findOperation, type Operation } from '../openapi.ts';
import { findRepository, type Site } from '../site.ts';
import { requirePermission, type Token } from '../tokens.ts';
import { actionsHandlers } from './actions.ts';
import { checkHandlers } from './checks.ts';
import { codeScanningHandlers } from './code-scanning.ts';
import { contentHandlers } from './contents.ts';
import { gitDataHandlers } from './git-data.ts';
import { issueHandlers } from './issues.ts';
import { toPage } from './paginate.ts';
import { pullHandlers } from './pulls.ts';
import { reactionHandlers } from './reactions.ts';
import { repositoryHandlers } from './repositories.ts';
import { reviewCommentHandlers } from './review-comments.ts';
import { reviewHandlers } from './reviews.ts';

const HANDLERS: Handlers = {
  ...actionsHandlers,
  ...checkHandlers,
  ...codeScanningHandlers,
  ...contentHandlers,
  ...gitDataHandlers,
  ...issueHandlers,
  ...pullHandlers,
  ...reactionHandlers,
  ...repositoryHandlers,
  ...reviewCommentHandlers,
  ...reviewHandlers,
};

export interface RestRequest {
  path: string;
  query: URLSearchParams;
  accept: string;
  entry: Entry;
}

/** Answers one REST request in GitHub's order: what it names, who may, what it says. Never throws an ApiError. */
export function answerRest(site: Site, token: Token, request: RestRequest): Reply {
  const { entry } = request;
  const operation = findOperation(entry.method, request.path);
  if (operation === undefined) {
    site.violations.push(`no such operation in the OpenAPI subset: ${entry.method} ${request.path}`);
    return toErrorReply(notFound(), 'https://docs.github.com/rest');
  }
  const reply = attempt(() => run(site, token, operation, request), operation);
  const status = reply.status ?? successOf(operation);
  if (reply.raw === undefined) site.violations.push(...checkResponse(operation, status, reply.json));
  return { ...reply, status };
}

export function toErrorReply(error: ApiError, docs: string): Reply {
  const json = { ...error.body, documentation_url: docs, status: String(error.status) };
  return { status: error.status, headers: error.headers, json };
}

function run(site: Site, token: Token, operation: Operation, request: RestRequest): Reply {
  const { params, docs } = operation;
  const repo = params['owner'] === undefined ? site.repo : findRepository(site, params['owner'], params['repo'] ?? '');
  if (repo === undefined) throw notFound();
  const handler = HANDLERS[operation.id];
  if (handler === undefined) {
    site.violations.push(`the simulator does not model ${operation.id}`);
    throw new ApiError(501, { message: `Not modelled: ${operation.id}` });
  }
  const { query, accept, entry } = request;
  const call: Call = { site, token, repo, params, query, body: entry.body, accept, docs, entry };
  requirePermission(token, typeof handler.needs === 'function' ? handler.needs(call) : handler.needs);
  const problems = checkRequest(operation, entry.body);
  if (problems.length > 0) throw new ApiError(422, { message: `Invalid request.\n\n${problems.join('\n')}` });
  const reply = handler.run(call);
  return reply.list === undefined ? reply : toPage(site, request.path, query, reply);
}

function attempt(work: () => Reply, operation: Operation): Reply {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return toErrorReply(error, operation.docs);
    throw error;
  }
}

function successOf(operation: Operation): number {
  return Number(Object.keys(operation.described.responses).find(code => code.startsWith('2')) ?? 200);
}
