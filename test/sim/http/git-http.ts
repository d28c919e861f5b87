import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GIT_ENVIRONMENT, type Repository } from '../repository.ts';
import { findRepository, type Site } from '../site.ts';
import { hasPermission, type Token } from '../tokens.ts';

export interface GitRequest {
  owner: string;
  name: string;
  /** `info/refs`, `git-upload-pack` or `git-receive-pack`. */
  service: string;
  query: string;
}

/** A git request, with and without `.git` behind the name; undefined for anything else. */
export function parseGitRequest(url: URL): GitRequest | undefined {
  const match = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(url.pathname);
  if (match === null) return undefined;
  const [, owner = '', name = '', service = ''] = match;
  return { owner, name, service, query: url.search.slice(1) };
}

export function isPush(request: GitRequest): boolean {
  return request.service === 'git-receive-pack' || request.query.includes('service=git-receive-pack');
}

/** The token in `Authorization: Basic` (any user name) or `Bearer`, as git and the checkout action send it. */
export function parseGitToken(authorization: string): string | undefined {
  const basic = /^basic (.+)$/i.exec(authorization)?.[1];
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString().split(':').slice(1).join(':');
  return /^(?:bearer|token) (.+)$/i.exec(authorization)?.[1];
}

/** Serves fetch and push by git's own smart-HTTP program. Resolves when the answer is sent. */
export async function serveGit(
  site: Site,
  token: Token | undefined,
  request: GitRequest,
  exchange: { body: Buffer; headers: IncomingMessage['headers']; method: string; response: ServerResponse },
): Promise<number> {
  const { response } = exchange;
  const repository = findRepository(site, request.owner, request.name);
  if (token === undefined) {
    return refuse(response, 401, 'Invalid username or token.', { 'www-authenticate': 'Basic realm="GitHub"' });
  }
  if (repository === undefined || !hasPermission(token, 'contents:read')) {
    return refuse(response, 404, 'Repository not found.');
  }
  if (isPush(request) && (!hasPermission(token, 'contents:write') || repository !== site.repo)) {
    return refuse(response, 403, `Permission to ${site.fullName}.git denied to ${token.user.login}.`);
  }
  return runBackend(repository, token, request, exchange);
}

async function runBackend(
  repository: Repository,
  token: Token,
  request: GitRequest,
  exchange: Parameters<typeof serveGit>[3],
): Promise<number> {
  const { body, headers, method, response } = exchange;
  const child = spawn('git', ['http-backend'], {
    env: {
      ...GIT_ENVIRONMENT,
      GIT_PROJECT_ROOT: repository.directory,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: `/${request.service}`,
      QUERY_STRING: request.query,
      REQUEST_METHOD: method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REMOTE_USER: token.user.login,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined); // the program may end before it has read everything
  child.stdin.end(body);
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const answer = Buffer.concat(chunks);
  const end = answer.indexOf('\r\n\r\n');
  const head = Object.fromEntries(
    answer
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const { status = '200', ...rest } = head;
  response.writeHead(Number.parseInt(status, 10), rest);
  response.end(answer.subarray(end + 4));
  return Number.parseInt(status, 10);
}

function refuse(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): number {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers });
  response.end(`remote: ${text}\n`);
  return status;
}
