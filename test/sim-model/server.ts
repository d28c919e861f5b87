import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

export interface Loopback {
  /** `http://127.0.0.1:<port>`, or `https://localhost:<port>` with a certificate. */
  readonly url: string;
  readonly port: number;
  /** Ends every connection that is still open, hanging answers too. */
  close(): Promise<void>;
}

export type Handle = (request: IncomingMessage, response: ServerResponse, body: Buffer) => Promise<void>;

/** A server on loopback that hands on each request once its body is whole; a client that goes before that is forgotten. */
export async function startLoopback(handle: Handle, certificate?: Certificate): Promise<Loopback> {
  const take = (request: IncomingMessage, response: ServerResponse) => {
    readBody(request).then(
      body => handle(request, response, body),
      () => response.destroy(),
    );
  };
  const server =
    certificate === undefined
      ? createServer(take)
      : createTlsServer({ key: certificate.key, cert: certificate.pem }, take);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: certificate === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    port,
    close: async () => {
      if (!server.listening) return;
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The headers as one plain record, several values joined as HTTP joins them. */
export function toHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
