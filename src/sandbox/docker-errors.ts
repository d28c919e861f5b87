import { CypherFixError, toMessage } from '../core/errors.ts';
import type { DockerAddress } from './docker-address.ts';

/** What a failed call to an engine means for people: who must act, and what they can do. */
export function toEngineError(what: string, address: DockerAddress, error: unknown): CypherFixError {
  if (error instanceof CypherFixError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The same codes come from files, such as an archive that is not there.
  const unreachable = syscall === 'connect' || syscall === 'getaddrinfo';
  if (unreachable && code === 'EACCES') {
    return new CypherFixError('permission', `no permission to use the Docker Engine at ${address.text}`, {
      hint: "add this user to the socket's group, or run as root",
      cause: error,
    });
  }
  if (unreachable) {
    return new CypherFixError('missing', `no Docker Engine answers at ${address.text}`, {
      hint: 'run: npm run setup',
      cause: error,
    });
  }
  return new CypherFixError('sandbox', `${what} failed: ${toMessage(error)}`, {
    hint: 'run: node dist/index.js doctor',
    cause: error,
  });
}
