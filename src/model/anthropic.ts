import type Anthropic from '@anthropic-ai/sdk';
import type { ClientOptions } from '@anthropic-ai/sdk';
import type { SecretRegistry } from '../core/secrets.ts';
import { toAnswer, toMessageParams, toUsage } from './anthropic-messages.ts';
import { type AttemptAnswer, type Meter, markStarted, type Provider } from './attempt.ts';
import { toFailure } from './failure.ts';
import type { FederationSettings } from './federation.ts';
import { createIdentityTokenProvider } from './federation.ts';
import type { ModelRequest } from './model.ts';
import type { Fetch } from './watchdog.ts';

export const ANTHROPIC_URL = 'https://api.anthropic.com';

/** How a provider is reached: the rest of the program's choices, without its key. */
export interface Connection {
  /** Null for the provider's own address. */
  readonly baseUrl: string | null;
  readonly fetch: Fetch;
  /** Aborts what outlives a call, the exchange of tokens. */
  readonly lifetime: AbortSignal;
  readonly secrets: SecretRegistry;
  readonly now: () => number;
}

export type AnthropicCredential =
  | { readonly kind: 'key'; readonly apiKey: string }
  | { readonly kind: 'federation'; readonly settings: FederationSettings };

/** Options of every client built on Anthropic's SDK: no retries, no logs, no traces, nothing from the environment. */
export const quietOptions = (connection: Connection) =>
  ({
    fetch: connection.fetch as NonNullable<ClientOptions['fetch']>,
    maxRetries: 0,
    logLevel: 'off',
    logger: { error() {}, warn() {}, info() {}, debug() {} },
    openTelemetry: false,
    webhookKey: null,
  }) satisfies ClientOptions;

/** Anthropic's own API. The SDK is loaded at the first call. */
export function anthropicProvider(credential: AnthropicCredential, connection: Connection): Provider {
  const baseURL = connection.baseUrl ?? ANTHROPIC_URL;
  const connect = async () => {
    const { default: Client } = await import('@anthropic-ai/sdk');
    const common = { ...quietOptions(connection), baseURL };
    if (credential.kind === 'key') return new Client({ ...common, apiKey: credential.apiKey });
    const { oidcFederationProvider } = await import('@anthropic-ai/sdk/lib/credentials/oidc-federation');
    const { settings } = credential;
    const limited = exchangeFetch(connection);
    const credentials = oidcFederationProvider({
      baseURL,
      federationRuleId: settings.ruleId,
      organizationId: settings.organizationId,
      ...(settings.workspaceId === null ? {} : { workspaceId: settings.workspaceId }),
      ...(settings.serviceAccountId === null ? {} : { serviceAccountId: settings.serviceAccountId }),
      identityTokenProvider: createIdentityTokenProvider(settings, limited),
      fetch: limited as NonNullable<ClientOptions['fetch']>,
    });
    return new Client({ ...common, credentials });
  };
  const provider = () => messagesProvider('Anthropic', connect, id => id, connection);
  return credential.kind === 'key' ? provider() : renewing(provider);
}

/**
 * A token that served calls and is refused later was revoked or has run out early: a new client exchanges the job's
 * identity once more. The SDK would do so only with a retry of its own left.
 */
function renewing(connect: () => Provider): Provider {
  let current = { provider: connect(), served: false };
  return {
    prepare: () => current.provider.prepare(),
    async attempt(request, signal, meter) {
      const used = current;
      const answer = await used.provider.attempt(request, signal, meter);
      if (answer.status === 'ok') used.served = true;
      if (answer.status === 'ok' || answer.kind !== 'unauthorized' || !used.served || meter.started) return answer;
      // Calls side by side meet the refusal together; the first of them brings the new client.
      if (current === used) current = { provider: connect(), served: false };
      return current.provider.attempt(request, signal, meter);
    },
  };
}

/** The part of a client that is used; Bedrock's has no more than this in common with Anthropic's own. */
interface MessagesClient {
  readonly messages: Pick<Anthropic['messages'], 'stream'>;
}

/** A provider that speaks the Messages protocol through a client of the SDK's shape; `toId` gives its own model id. */
export function messagesProvider(
  name: string,
  connect: () => Promise<MessagesClient>,
  toId: (model: string) => string,
  connection: Pick<Connection, 'secrets' | 'now'>,
): Provider {
  let client: Promise<MessagesClient> | null = null;
  return {
    async prepare() {
      client ??= connect();
      await client;
    },
    async attempt(request, signal, meter) {
      client ??= connect();
      try {
        return await streamMessage(await client, request, toId(request.model), signal, meter);
      } catch (error) {
        return toFailure(error, name, connection.secrets, connection.now());
      }
    },
  };
}

async function streamMessage(
  client: MessagesClient,
  request: ModelRequest,
  model: string,
  signal: AbortSignal,
  meter: Meter,
): Promise<AttemptAnswer> {
  const stream = client.messages.stream(toMessageParams(request, model), { signal });
  stream.on('streamEvent', (_, message) => {
    meter.usage = toUsage(message.usage);
    markStarted(request, meter);
  });
  return toAnswer(await stream.finalMessage());
}

const EXCHANGE_MS = 15_000;

/** The SDK's exchange of tokens obeys no signal of a call, so it gets an end of its own. */
function exchangeFetch({ fetch, lifetime }: Connection): Fetch {
  return (url, init) => fetch(url, { ...init, signal: AbortSignal.any([lifetime, AbortSignal.timeout(EXCHANGE_MS)]) });
}
