import { mkdtemp } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';

export interface RecordedCall {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

export interface FakeDaemon {
  readonly socketPath: string;
  /** Listens on a port of loopback instead, and gives it. */
  listenOnPort(): Promise<number>;
  readonly calls: RecordedCall[];
  close(): Promise<void>;
}

type Answer = { status?: number; json?: unknown } | 'never';

/**
 * A Docker Engine at the protocol's level, on a unix socket in a folder of its own: `answers` by "METHOD /path" (without
 * the query). `onAttach` gets the raw stream after the upgrade.
 */
export async function startFakeDaemon(
  answers: Record<string, Answer | ((call: RecordedCall) => Answer)>,
  onAttach?: (stream: Duplex) => void,
): Promise<FakeDaemon> {
  const socketPath = join(await mkdtemp(join(tmpdir(), 'cypherfix-daemon-')), 'docker.sock');
  const calls: RecordedCall[] = [];
  const streams = new Set<Duplex>();
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void text(request).then(body => {
      const call = { method: request.method ?? '', url: request.url ?? '', body };
      calls.push(call);
      const answer = answers[`${call.method} ${call.url.split('?')[0]}`] ?? {
        status: 404,
        json: { message: 'page not found' },
      };
      const { status = 200, json } = toFixed(answer, call);
      if (status === 0) return;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(json === undefined ? undefined : JSON.stringify(json));
    });
  });
  server.on('upgrade', (request, stream: Duplex) => {
    calls.push({ method: request.method ?? '', url: request.url ?? '', body: '' });
    streams.add(stream);
    stream.on('error', () => {});
    stream.write(
      'HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n',
    );
    onAttach?.(stream);
  });
  await new Promise<void>(resolve => server.listen(socketPath, resolve));
  return {
    socketPath,
    async listenOnPort() {
      await new Promise(resolve => server.close(resolve));
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port;
    },
    calls,
    async close() {
      for (const stream of streams) stream.destroy();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function toFixed(
  answer: Answer | ((call: RecordedCall) => Answer),
  call: RecordedCall,
): { status?: number; json?: unknown } {
  const fixed = typeof answer === 'function' ? answer(call) : answer;
  return fixed === 'never' ? { status: 0 } : fixed;
}
