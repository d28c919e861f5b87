import { createServer } from 'node:http';

export function start(port: number) {
  return createServer((_request, response) => {
    response.end('ok');
  }).listen(port);
}
