import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDockerAddress, readTlsFiles } from '../../src/sandbox/docker-address.ts';

const TLS = { certPath: '/certs' };

test.each([
  ['unix:///var/run/docker.sock', undefined, { kind: 'unix', socketPath: '/var/run/docker.sock' }],
  ['tcp://127.0.0.1:2375', undefined, { kind: 'tcp', host: '127.0.0.1', port: 2375, tls: undefined }],
  ['tcp://localhost', undefined, { kind: 'tcp', host: 'localhost', port: 2375 }],
  ['tcp://[::1]:99', undefined, { kind: 'tcp', host: '::1', port: 99 }],
  ['tcp://build.example.org:2376', TLS, { kind: 'tcp', host: 'build.example.org', port: 2376, tls: TLS }],
  ['tcp://build.example.org', TLS, { kind: 'tcp', port: 2376 }],
])('%s is taken', (text, tls, expected) => {
  expect(parseDockerAddress(text, tls)).toMatchObject(expected);
});

test.each([
  ['ssh://user@host', undefined, 'not supported'],
  ['npipe:////./pipe/docker_engine', undefined, 'not supported'],
  ['http://127.0.0.1:2375', undefined, 'not supported'],
  ['fd://', undefined, 'not supported'],
  ['docker.sock', undefined, 'not an address'],
  ['unix://docker.sock', undefined, 'not an absolute path'],
  ['tcp://build.example.org:2375', undefined, 'needs TLS'],
  ['tcp://127.0.0.1.example.org:2375', undefined, 'needs TLS'],
  ['tcp://user:secret@127.0.0.1:2375', undefined, 'only host and port'],
  ['tcp://127.0.0.1:2375/v1.41', undefined, 'only host and port'],
])('%s is refused', (text, tls, reason) => {
  expect(() => parseDockerAddress(text, tls)).toThrow(reason);
  try {
    parseDockerAddress(text, tls);
  } catch (error) {
    expect(error).toMatchObject({ code: 'usage', hint: expect.stringContaining('unix://') });
    expect(String(error)).not.toContain('secret');
  }
});

test('a missing certificate file is named', async () => {
  const certPath = await mkdtemp(join(tmpdir(), 'cypherfix-tls-'));
  await writeFile(join(certPath, 'ca.pem'), 'ca');
  await writeFile(join(certPath, 'cert.pem'), 'cert');
  await expect(readTlsFiles({ certPath })).rejects.toMatchObject({
    code: 'missing',
    message: `${certPath}/key.pem cannot be read`,
  });
  await writeFile(join(certPath, 'key.pem'), 'key');
  expect(String((await readTlsFiles({ certPath })).key)).toBe('key');
});
