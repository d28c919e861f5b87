import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SILENT_LOG } from '../../src/core/log.ts';
import { createGitHub, type GitHub, type GitHubOptions } from '../../src/github/client.ts';

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Cut the connection instead of answering. */
  readonly drop?: boolean;
  /** Never answer. */
  readonly hang?: boolean;
}

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that gives prepared answers in order (the last one again and again) and keeps what it was asked. */
export async function startScriptedServer(answers: Answer[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      give(response, (answers.length > 1 ? answers.shift() : answers[0]) ?? {});
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  };
  return { url, seen, answers, close };
}

function give(response: ServerResponse, answer: Answer): void {
  if (answer.hang === true) return;
  if (answer.drop === true) {
    response.destroy();
    return;
  }
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json; charset=utf-8', ...answer.headers });
  response.end(text);
}

/** A client whose waits are recorded and not waited. */
export function createTestGitHub(url: string, options: Partial<GitHubOptions> = {}): { gh: GitHub; waits: number[] } {
  const waits: number[] = [];
  const gh = createGitHub({
    token: 'ghs_test',
    apiUrl: url,
    log: SILENT_LOG,
    signal: new AbortController().signal,
    writeSpacingMs: 0,
    jitter: () => 0,
    sleep: async ms => {
      waits.push(ms);
    },
    ...options,
  });
  return { gh, waits };
}
