import { toMessage } from '../core/errors.ts';
import { redact, SecretRegistry } from '../core/secrets.ts';
import { GraphError, readErrorCode, readGraphFailure } from './graph-failure.ts';

/** What a message about the connection may name: never the password. */
export interface ConnectTarget {
  /** `host:port` of the URI, or what stands for it. */
  readonly address: string;
  readonly database: string;
  readonly password: string;
}

/** The failure of a connection attempt in words, with what to do. */
export function toConnectError(error: unknown, target: ConnectTarget): GraphError {
  if (error instanceof GraphError) return error;
  const { message, hint, failure = readGraphFailure(error) } = explain(error, target);
  const secrets = new SecretRegistry().add(target.password);
  return new GraphError(failure, redact(message, secrets), { hint, cause: error });
}

/** An answer that is no Bolt this driver speaks: from an older Neo4j, or from something else. */
export function tooOld(version: string, address: string): GraphError {
  return new GraphError('old-server', `Neo4j at ${address} is ${version}, which is too old or not Neo4j`, {
    hint: 'Neo4j 5.26 or later is needed',
  });
}

interface Explanation {
  readonly message: string;
  readonly hint: string;
  readonly failure?: 'old-server';
}

function explain(error: unknown, { address, database }: ConnectTarget): Explanation {
  const code = readErrorCode(error);
  const text = toWholeMessage(error);
  switch (code) {
    case 'Neo.ClientError.Security.CredentialsExpired':
      return {
        message: `Neo4j at ${address} wants the password to be changed first`,
        hint: 'change the initial password of this user in Neo4j',
      };
    case 'Neo.ClientError.Security.AuthenticationRateLimit':
      return {
        message: `Neo4j at ${address} refuses log-ins for a while after too many wrong passwords`,
        hint: 'wait a few seconds, and check NEO4J_USER and NEO4J_PASSWORD',
      };
    case 'Neo.ClientError.Database.DatabaseNotFound':
      return {
        message: `Neo4j at ${address} has no database '${database}'`,
        hint: 'check the name of the database',
      };
  }
  if (code.startsWith('Neo.ClientError.Security.')) {
    return {
      message: `Neo4j at ${address} refused the user name or the password (${code.slice(code.lastIndexOf('.') + 1)})`,
      hint: 'check NEO4J_USER and NEO4J_PASSWORD',
    };
  }
  if (/responded HTTP/.test(text)) {
    return {
      message: `${address} answers HTTP, not Bolt`,
      hint: "NEO4J_URI names the port of Neo4j's web interface; Bolt is usually at 7687",
    };
  }
  // A server that speaks none of the offered versions answers 0.0, which the driver does not know.
  if (/protocol version/i.test(text)) {
    return {
      message: `${address} speaks no Bolt version that this program knows: it is too old, or not Neo4j`,
      hint: 'Neo4j 5.26 or later is needed',
      failure: 'old-server',
    };
  }
  if (/certificate|self.signed|unable to verify|UNABLE_TO|CERT_|altname|ERR_TLS|EPROTO|SSL/i.test(text)) {
    return {
      message: `Neo4j at ${address} cannot be reached by TLS: ${causeOf(text)}`,
      hint: "with a private certificate authority, set NODE_EXTRA_CA_CERTS to the file of its certificate; the name in NEO4J_URI must be one of the server's certificate",
    };
  }
  return {
    message: `Neo4j at ${address} cannot be reached: ${causeOf(text)}`,
    hint: 'check NEO4J_URI (and that its scheme, with or without +s, fits the server), the network, and that the server runs',
  };
}

/** With the messages of its causes: over a routing address, the first one says only that no router is left. */
function toWholeMessage(error: unknown): string {
  const messages: string[] = [];
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
    messages.push(toMessage(at));
    at = at instanceof Error ? at.cause : undefined;
  }
  return messages.join(' ');
}

/** The driver's message is advice first and the cause last. */
const causeOf = (text: string): string => (/Caused by: (.*)$/.exec(text)?.[1] ?? text).slice(0, 300);
