import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { toHeaders } from './server.ts';

/** One request to the proxy. */
export interface ProxyEntry {
  readonly method: string;
  /** `host:port` of a CONNECT, the whole address of a plain request. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  status: number;
  bytesUp: number;
  bytesDown: number;
}

export interface ForwardProxyOptions {
  /** Where a name leads: `{ 'api.anthropic.com:443': port }`. Loopback leads to itself, anything else is refused. */
  readonly routes?: Readonly<Record<string, number>>;
  /** `user:password` that the proxy asks for. */
  readonly credentials?: string;
}

export interface ForwardProxy {
  /** For HTTPS_PROXY; holds the credentials if there are any. */
  readonly url: string;
  readonly journal: readonly ProxyEntry[];
  close(): Promise<void>;
}

/** A forward proxy on loopback that tunnels (CONNECT) and forwards plain requests, and never leaves loopback. */
export async function startForwardProxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const journal: ProxyEntry[] = [];
  const sockets = new Set<Socket>();
  const note = (request: IncomingMessage): ProxyEntry => {
    const { method = 'GET', url = '' } = request;
    const entry = { method, target: url, headers: toHeaders(request), status: 0, bytesUp: 0, bytesDown: 0 };
    journal.push(entry);
    return entry;
  };
  const server = createServer((request, response) => relay(request, response, note(request), options));
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    tunnel(client, head, note(request), options, sockets);
  });
  server.on('connection', socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const credentials = options.credentials === undefined ? '' : `${options.credentials}@`;
  return {
    url: `http://${credentials}127.0.0.1:${port}`,
    journal,
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function tunnel(client: Socket, head: Buffer, entry: ProxyEntry, options: ForwardProxyOptions, sockets: Set<Socket>) {
  client.on('error', () => client.destroy());
  const refuse = (status: number, reason: string) => {
    entry.status = status;
    client.end(`HTTP/1.1 ${status} ${reason}\r\ncontent-length: 0\r\n\r\n`);
  };
  if (!isLetIn(entry, options)) return refuse(407, 'Proxy Authentication Required');
  const port = findPort(entry.target, options);
  if (port === null) return refuse(403, 'Forbidden');
  const upstream = connect(port, '127.0.0.1', () => {
    entry.status = 200;
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    upstream.write(head);
    client.on('data', chunk => {
      entry.bytesUp += chunk.byteLength;
    });
    upstream.on('data', chunk => {
      entry.bytesDown += chunk.byteLength;
    });
    client.pipe(upstream);
    upstream.pipe(client);
  });
  sockets.add(upstream);
  upstream.once('close', () => {
    sockets.delete(upstream);
    client.destroy();
  });
  client.once('close', () => upstream.destroy());
  upstream.on('error', () => (entry.status === 0 ? refuse(502, 'Bad Gateway') : client.destroy()));
}

function relay(request: IncomingMessage, response: ServerResponse, entry: ProxyEntry, options: ForwardProxyOptions) {
  const refuse = (status: number) => {
    entry.status = status;
    response.writeHead(status).end();
  };
  if (!isLetIn(entry, options)) return refuse(407);
  const url = URL.canParse(entry.target) ? new URL(entry.target) : null;
  const port = url === null ? null : findPort(`${url.hostname}:${url.port || '80'}`, options);
  if (url === null || port === null) return refuse(403);
  const { 'proxy-authorization': _credentials, 'proxy-connection': _connection, ...headers } = entry.headers;
  const upstream = forward(
    { host: '127.0.0.1', port, method: entry.method, path: `${url.pathname}${url.search}`, headers },
    answer => {
      entry.status = answer.statusCode ?? 502;
      response.writeHead(entry.status, answer.headers);
      answer.on('data', (chunk: Buffer) => {
        entry.bytesDown += chunk.byteLength;
      });
      answer.pipe(response);
    },
  );
  upstream.on('error', () => (response.headersSent ? response.destroy() : refuse(502)));
  response.once('close', () => upstream.destroy());
  request.on('data', (chunk: Buffer) => {
    entry.bytesUp += chunk.byteLength;
  });
  request.pipe(upstream);
}

function isLetIn(entry: ProxyEntry, options: ForwardProxyOptions): boolean {
  if (options.credentials === undefined) return true;
  return entry.headers['proxy-authorization'] === `Basic ${Buffer.from(options.credentials).toString('base64')}`;
}

function findPort(target: string, options: ForwardProxyOptions): number | null {
  const route = options.routes?.[target];
  if (route !== undefined) return route;
  const [, host, port] = /^(.*):(\d+)$/.exec(target) ?? [];
  return host === '127.0.0.1' || host === 'localhost' ? Number(port) : null;
}
