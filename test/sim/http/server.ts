import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '../api-error.ts';
import type { Reply } from '../call.ts';
import { type Fault, type Match, matches } from '../faults.ts';
import { answerGraph } from '../graphql/answer.ts';
import type { Entry } from '../journal.ts';
import { answerRest, toErrorReply } from '../rest/answer.ts';
import type { Site } from '../site.ts';
import { isPush, parseGitRequest, parseGitToken, serveGit } from './git-http.ts';
import { countRequest, limitHeaders } from './limits.ts';
import { type IdTokenSource, issueIdToken } from './oidc.ts';
import { findToken, recordRequest } from './record.ts';

/** Something that happens to the repository between two requests of the action. */
export interface Hook {
  match: Match;
  /** Matching requests still to come; the action runs after the last of them, before its answer is sent. */
  left: number;
  action: () => void | Promise<void>;
}

export interface ServerParts {
  site: Site;
  hooks: Hook[];
  idTokens: IdTokenSource[];
  /** Called after a push, before its answer is sent. */
  pushed(): void;
}

interface Exchange {
  url: URL;
  /** Percent-encoded path below the API's root. */
  path: string;
  request: IncomingMessage;
  response: ServerResponse;
  body: Buffer;
  entry: Entry;
}

/** Listens on a free port of the loopback; sets `site.url`. */
export async function listen(parts: ServerParts): Promise<Server> {
  const server = createServer((request, response) => {
    serve(parts, request, response).catch((error: unknown) => {
      parts.site.violations.push(`the simulator failed: ${error instanceof Error ? error.stack : String(error)}`);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: 'The simulator failed', status: '500' }));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  parts.site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return server;
}

async function serve(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { site } = parts;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const url = new URL(request.url ?? '/', site.url);
  const path = url.pathname.replace(/^\/api\/v3(?=\/)/, '');
  const entry = recordRequest(site, { request, url, path, body });
  const exchange: Exchange = { url, path, request, response, body, entry };
  const fault = site.faults.take(entry);
  if (fault !== undefined) entry.fault = fault.kind;
  if (fault?.kind === 'drop') return drop(request);
  if (fault?.kind === 'delay') await new Promise(resolve => setTimeout(resolve, fault.ms));
  if (fault?.kind === 'respond') return send(exchange, toFaultReply(fault), limitHeaders(site, undefined, 'core'));

  const git = parseGitRequest(url);
  if (git !== undefined) {
    const token = findToken(site, parseGitToken(request.headers.authorization ?? ''));
    const { headers, method = 'GET' } = request;
    entry.status = await serveGit(site, token, git, { body, headers, method, response });
    if (isPush(git)) parts.pushed();
    return runHooks(parts, entry);
  }
  const { reply, headers } = await answer(parts, exchange);
  entry.status = reply.status ?? 200;
  await runHooks(parts, entry);
  if (fault?.kind === 'commit-then-drop') return drop(request);
  if (fault?.kind === 'commit-then-502') {
    return send(exchange, { status: 502, raw: '<html><h1>502 Bad Gateway</h1></html>', type: 'text/html' }, headers);
  }
  send(exchange, reply, headers);
}

async function answer(
  parts: ServerParts,
  exchange: Exchange,
): Promise<{ reply: Reply; headers: Record<string, string> }> {
  const { site, idTokens } = parts;
  const { url, path, request, entry } = exchange;
  const presented = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (entry.operation === 'oidc/token') return { reply: answerIdToken(site, idTokens, presented, url), headers: {} };
  if (entry.operation === 'artifact/zip') return { reply: answerArtifact(site, path, presented), headers: {} };
  const token = findToken(site, presented);
  const isGraph = entry.operation.startsWith('graphql/');
  const resource = isGraph ? 'graphql' : 'core';
  const reply = await guarded(async () => {
    if (token === undefined) {
      throw new ApiError(401, { message: presented === undefined ? 'Requires authentication' : 'Bad credentials' });
    }
    countRequest(site, token, entry.operation);
    if (isGraph) return { status: 200, json: await answerGraph(site, token, entry.body) };
    if (exchange.body.length > 0 && entry.body === undefined)
      throw new ApiError(400, { message: 'Problems parsing JSON' });
    return answerRest(site, token, { path, query: url.searchParams, accept: request.headers.accept ?? '', entry });
  });
  return { reply, headers: limitHeaders(site, token, resource) };
}

async function guarded(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) return toErrorReply(error, 'https://docs.github.com/rest');
    throw error;
  }
}

function answerIdToken(site: Site, sources: IdTokenSource[], presented: string | undefined, url: URL): Reply {
  if (!sources.some(source => source.token === presented)) return { status: 401, json: { message: 'Unauthorized' } };
  const audience = url.searchParams.get('audience') ?? site.url;
  return { status: 200, json: { count: 1, value: issueIdToken(site, audience) } };
}

function answerArtifact(site: Site, path: string, presented: string | undefined): Reply {
  if (presented !== undefined) return { status: 401, raw: 'AuthenticationFailed', type: 'text/plain' };
  const artifact = site.state.artifacts.find(candidate => path === `/_artifacts/${candidate.id}.zip`);
  return artifact === undefined
    ? { status: 404, raw: 'not found', type: 'text/plain' }
    : { status: 200, raw: artifact.zip, type: 'application/zip' };
}

function send(exchange: Exchange, reply: Reply, headers: Record<string, string>): void {
  const { response, entry } = exchange;
  const status = reply.status ?? 200;
  entry.status = status;
  const payload = reply.raw ?? (reply.json === undefined ? '' : JSON.stringify(reply.json));
  response.writeHead(status, {
    'content-type': reply.type ?? 'application/json; charset=utf-8',
    'x-github-request-id': `SIM:${entry.index}`,
    'x-github-api-version-selected': '2022-11-28',
    ...headers,
    ...reply.headers,
  });
  response.end(payload);
}

function toFaultReply(fault: Fault & { kind: 'respond' }): Reply {
  const headers = fault.headers ?? {};
  if (typeof fault.body === 'string') return { status: fault.status, raw: fault.body, headers };
  return { status: fault.status, json: fault.body, headers };
}

function drop(request: IncomingMessage): void {
  request.socket.destroy();
}

async function runHooks(parts: ServerParts, entry: Entry): Promise<void> {
  for (const hook of parts.hooks) {
    if (hook.left === 0 || !matches(hook.match, entry)) continue;
    hook.left -= 1;
    if (hook.left === 0) await hook.action();
  }
}
