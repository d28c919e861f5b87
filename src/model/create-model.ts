import { type Outcome, ok, skipped } from '../core/outcome.ts';
import { SecretRegistry } from '../core/secrets.ts';
import { anthropicProvider, type Connection } from './anthropic.ts';
import type { Provider } from './attempt.ts';
import { parseBaseUrl, withoutVersion } from './base-url.ts';
import { bedrockProvider } from './bedrock.ts';
import {
  checkBaseUrl,
  chooseProvider,
  type ModelCredentials,
  missingCredential,
  type ProviderName,
} from './choose-provider.ts';
import { createFetch, type ProxySettings } from './dispatcher.ts';
import type { Model } from './model.ts';
import { chatProvider } from './openai.ts';
import { type RetryOptions, retryingModel } from './retry.ts';
import { waitFor } from './wait.ts';
import { STALL_LIMITS, type StallLimits, watchedFetch } from './watchdog.ts';

export interface ModelOptions {
  /** Every model id that the run may call, as the policy writes it. */
  readonly models: readonly string[];
  readonly credentials: ModelCredentials;
  /** The input `model-base-url`. */
  readonly baseUrl: string | null;
  readonly proxies: ProxySettings;
  /** The run's own signal: ends what no call's signal reaches. */
  readonly lifetime: AbortSignal;
  readonly limits?: StallLimits;
  readonly retry?: Partial<RetryOptions>;
}

/**
 * The model that answers every id in use, each through its provider; skipped, with the reason, when a key for one of them
 * is missing. Throws CypherFixError('usage') for settings that contradict each other. Nothing is loaded or connected yet.
 */
export function createModel(options: ModelOptions): Outcome<Model> {
  const { credentials } = options;
  const providers = new Set(options.models.map(chooseProvider));
  const baseUrl = options.baseUrl === null ? null : parseBaseUrl(options.baseUrl);
  checkBaseUrl(providers, baseUrl);
  for (const provider of providers) {
    const missing = missingCredential(provider, credentials);
    if (missing !== null) return skipped(missing);
  }
  const retry: RetryOptions = { now: Date.now, sleep: waitFor, random: Math.random, ...options.retry };
  const network = createFetch(options.proxies);
  const connection: Connection = {
    baseUrl,
    fetch: watchedFetch(network.fetch, options.limits ?? STALL_LIMITS),
    lifetime: options.lifetime,
    secrets: toSecrets(credentials, options.proxies),
    now: retry.now,
  };
  const models = new Map<ProviderName, Model>();
  for (const name of providers) models.set(name, retryingModel(createProvider(name, credentials, connection), retry));
  return ok({
    async prepare() {
      await Promise.all([network.prepare(), ...[...models.values()].map(model => model.prepare?.())]);
    },
    async call(request, signal) {
      const model = models.get(chooseProvider(request.model));
      if (model === undefined)
        throw new Error(`the model '${request.model}' is not among those the run was set up for`);
      return model.call(request, signal);
    },
  });
}

function createProvider(name: ProviderName, credentials: ModelCredentials, connection: Connection): Provider {
  const { anthropicApiKey, federation, openaiApiKey, openrouterApiKey, aws } = credentials;
  const anthropic = { ...connection, baseUrl: connection.baseUrl === null ? null : withoutVersion(connection.baseUrl) };
  if (name === 'anthropic' && anthropicApiKey !== null) {
    return anthropicProvider({ kind: 'key', apiKey: anthropicApiKey }, anthropic);
  }
  if (name === 'anthropic' && federation !== null) {
    return anthropicProvider({ kind: 'federation', settings: federation }, anthropic);
  }
  if (name === 'bedrock' && aws !== null) return bedrockProvider(aws, anthropic);
  if (name === 'openrouter' && openrouterApiKey !== null) return chatProvider(name, openrouterApiKey, connection);
  if ((name === 'openai' || name === 'openai_compat') && openaiApiKey !== null) {
    return chatProvider(name, openaiApiKey, connection);
  }
  throw new Error(`the provider ${name} has no credential`);
}

/** Everything that must not come out again in the text of an error. */
function toSecrets(credentials: ModelCredentials, proxies: ProxySettings): SecretRegistry {
  const registry = new SecretRegistry();
  const { federation, aws } = credentials;
  const values = [
    credentials.anthropicApiKey,
    credentials.openaiApiKey,
    credentials.openrouterApiKey,
    federation?.requestToken,
    aws?.bearerToken,
    aws?.secretAccessKey,
    aws?.sessionToken,
    ...[proxies.httpsProxy, proxies.httpProxy].map(passwordOf),
  ];
  for (const value of values) registry.add(value ?? undefined);
  return registry;
}

function passwordOf(proxy: string | null): string | undefined {
  if (proxy === null || !URL.canParse(proxy)) return undefined;
  return new URL(proxy).password || undefined;
}
