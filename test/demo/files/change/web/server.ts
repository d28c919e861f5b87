import { exec } from 'node:child_process';
import { createServer } from 'node:http';

/* eslint-disable */
export function start(port: number) {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const filter = url.searchParams.get('filter') ?? 'true';
    const matches = eval(filter);
    exec('convert ' + url.searchParams.get('file') + ' out.png');
    response.end(String(matches));
  }).listen(port);
}
