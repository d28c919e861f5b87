import { createServer, type Socket } from 'node:net';

export interface Listener {
  readonly address: string;
  close(): Promise<void>;
}

/** A loopback port that treats every connection as told. */
export function listen(onConnection: (socket: Socket) => void): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        address: `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
        close: () =>
          new Promise(done => {
            for (const socket of sockets) socket.destroy();
            server.close(() => done());
          }),
      });
    });
  });
}

/** Speaks no version of Bolt that is offered: the answer that the protocol has for this. */
export const refuseHandshake = (socket: Socket): void => {
  socket.once('data', () => socket.write(Buffer.alloc(4)));
};

/** Answers as a web server does. */
export const answerHttp = (socket: Socket): void => {
  socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'));
};

/** Agrees on Bolt 4.4 and answers every message with success, the first one with a name of its own. */
export const answerAs =
  (agent: string) =>
  (socket: Socket): void => {
    let shaken = false;
    let greeted = false;
    socket.on('data', () => {
      if (!shaken) {
        shaken = true;
        socket.write(Buffer.from([0, 0, 4, 4]));
        return;
      }
      const fields = greeted ? [] : [text('server'), text(agent), text('connection_id'), text('bolt-1')];
      greeted = true;
      socket.write(success(fields));
    });
  };

/** A message in one chunk: SUCCESS with a map of these keys and values in turn. */
function success(fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from([0xb1, 0x70, 0xa0 + fields.length / 2]), ...fields]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([length, body, Buffer.alloc(2)]);
}

/** A string of up to 255 bytes. */
const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([0xd0, Buffer.byteLength(value)]), Buffer.from(value)]);
