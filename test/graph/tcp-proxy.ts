import { connect, createServer, type Socket } from 'node:net';

/** A way to the server that can fail. */
export interface TcpProxy {
  readonly uri: string;
  /** Ends every connection at once; new ones are welcome. */
  drop(): void;
  /** Ends every connection, and each new one, until `open`. */
  close(): void;
  open(): void;
  /** The server still hears, but its answers are lost, and the connections end after `ms`. */
  loseAnswers(ms: number): void;
  stop(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  let isDeaf = false;
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer(client => {
    if (!isOpen) {
      client.destroy();
      return;
    }
    const upstream = connect(targetPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', data => upstream.write(data));
    upstream.on('data', data => {
      if (!isDeaf) client.write(data);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    uri: `bolt://127.0.0.1:${address.port}`,
    drop,
    close() {
      isOpen = false;
      drop();
    },
    open() {
      isOpen = true;
    },
    loseAnswers(ms) {
      isDeaf = true;
      setTimeout(() => {
        drop();
        isDeaf = false;
      }, ms);
    },
    async stop() {
      drop();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
