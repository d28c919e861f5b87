import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CypherFixError } from '../core/errors.ts';

export type DockerAddress =
  | { readonly kind: 'unix'; readonly socketPath: string; readonly text: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      readonly tls: TlsFiles | undefined;
      readonly text: string;
    };

/** Folder with `ca.pem`, `cert.pem` and `key.pem`, as DOCKER_CERT_PATH names it. */
export interface TlsFiles {
  readonly certPath: string;
}

const HINT =
  'set DOCKER_HOST to unix:///path/to/docker.sock, or to tcp://host:2376 with DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH';

/** Parses DOCKER_HOST. Throws a usage error on ssh and other schemes, and on plain TCP to another machine. */
export function parseDockerAddress(text: string, tls?: TlsFiles): DockerAddress {
  if (text.startsWith('unix://')) {
    const socketPath = text.slice('unix://'.length);
    if (!socketPath.startsWith('/')) throw refuse(text, 'the socket is not an absolute path');
    return { kind: 'unix', socketPath, text };
  }
  if (!URL.canParse(text)) throw refuse(text, 'it is not an address');
  const url = new URL(text);
  if (url.protocol !== 'tcp:' && url.protocol !== 'https:') throw refuse(text, `${url.protocol}// is not supported`);
  if (url.username !== '' || url.password !== '' || !['', '/'].includes(url.pathname)) {
    throw refuse(`${url.protocol}//${url.host}`, 'only host and port may be in it');
  }
  // Whoever reads this traffic reads the source code, and whoever writes it is root on the engine's machine.
  if (tls === undefined && !isLoopback(url.hostname)) throw refuse(text, 'an engine on another machine needs TLS');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { kind: 'tcp', host, port: Number(url.port || (tls === undefined ? 2375 : 2376)), tls, text };
}

/** Reads the three files; a missing one is named. */
export async function readTlsFiles(tls: TlsFiles): Promise<{ ca: Buffer; cert: Buffer; key: Buffer }> {
  const read = async (name: string): Promise<Buffer> => {
    const path = join(tls.certPath, name);
    try {
      return await readFile(path);
    } catch (cause) {
      throw new CypherFixError('missing', `${path} cannot be read`, {
        hint: 'DOCKER_CERT_PATH must hold ca.pem, cert.pem and key.pem',
        cause,
      });
    }
  };
  const [ca, cert, key] = await Promise.all([read('ca.pem'), read('cert.pem'), read('key.pem')]);
  return { ca, cert, key };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function refuse(text: string, reason: string): CypherFixError {
  return new CypherFixError('usage', `DOCKER_HOST=${text} cannot be used: ${reason}`, { hint: HINT });
}
