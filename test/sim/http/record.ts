import type { IncomingMessage } from 'node:http';
import { nameGraphOperation } from '../graphql/answer.ts';
import type { Entry } from '../journal.ts';
import { findOperation } from '../openapi.ts';
import type { Site } from '../site.ts';
import type { Token } from '../tokens.ts';
import { parseGitRequest, parseGitToken } from './git-http.ts';

/** Writes a request into the journal. The token itself is left out: a journal may end up in a test's output. */
export function recordRequest(
  site: Site,
  parts: { request: IncomingMessage; url: URL; path: string; body: Buffer },
): Entry {
  const { request, url, path } = parts;
  const token = findToken(site, parseGitToken(request.headers.authorization ?? ''));
  const method = request.method ?? 'GET';
  const { authorization, ...headers } = request.headers;
  const body = parseGitRequest(url) === undefined ? parseJson(parts.body) : undefined;
  const entry: Entry = {
    index: site.journal.entries.length + 1,
    method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: headers as Record<string, string>,
    operation: nameOperation(method, path, url, body),
    body,
    actor: token?.user.login ?? null,
    status: 0,
    fault: null,
    at: site.now().getTime(),
  };
  site.journal.entries.push(entry);
  return entry;
}

function nameOperation(method: string, path: string, url: URL, body: unknown): string {
  const git = parseGitRequest(url);
  if (git !== undefined) return git.service === 'info/refs' ? 'git/refs' : git.service.replace('git-', 'git/');
  if (path === '/graphql' || path === '/api/graphql') {
    return nameGraphOperation(String((body as { query?: unknown } | undefined)?.query ?? ''));
  }
  if (path === '/_oidc/token') return 'oidc/token';
  if (path.startsWith('/_artifacts/')) return 'artifact/zip';
  return findOperation(method, path)?.id ?? 'unknown';
}

export function findToken(site: Site, value: string | undefined): Token | undefined {
  return value === undefined ? undefined : site.tokens.get(value);
}

function parseJson(body: Buffer): unknown {
  try {
    return body.length === 0 ? undefined : JSON.parse(body.toString('utf8'));
  } catch {
    return undefined; // answered with GitHub's 400 where a body matters
  }
}
