import type { AiSetup } from '../analysis/ai-review.ts';
import { CypherFixError } from '../core/errors.ts';
import { SecretRegistry } from '../core/secrets.ts';
import type { AwsCredential } from '../model/bedrock.ts';
import {
  chooseProvider,
  type ModelCredentials,
  missingCredential,
  type ProviderName,
} from '../model/choose-provider.ts';
import type { ProxySettings } from '../model/dispatcher.ts';
import { DEFAULT_AUDIENCE, type FederationSettings } from '../model/federation.ts';
import { findPrices } from '../model/prices.ts';
import type { Policy } from '../policy/schema.ts';
import type { Inputs } from '../runner/inputs.ts';

/** How this run may reach models. */
export interface ModelAccess {
  readonly credentials: ModelCredentials;
  readonly baseUrl: string | null;
  readonly proxies: ProxySettings;
  /** A federation is configured, and the job has no identity to show for it. */
  readonly lacksIdentity: boolean;
  /** Most milliseconds that a silent server is waited for, where a person chose fewer than the 60,000 of every run. */
  readonly patienceMs: number | null;
}

/** Where keys stand: `review --ai` reads variables that are named like the action's inputs. */
const KEY_VARIABLES = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'] as const;
const AWS_SECRETS = ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;
/** What the SDKs would add to every request by themselves. */
const EXTRA_HEADERS = ['ANTHROPIC_CUSTOM_HEADERS', 'OPENAI_CUSTOM_HEADERS'] as const;
const INPUT_KEYS = KEY_VARIABLES.map(name => `INPUT_${name}`);
const IDENTITY = { url: 'ACTIONS_ID_TOKEN_REQUEST_URL', token: 'ACTIONS_ID_TOKEN_REQUEST_TOKEN' } as const;

/**
 * Reads the variables of a local run and takes the secrets among them out of the environment: no child gets them. Throws
 * CypherFixError('usage') for a CYPHERFIX_MODEL_PATIENCE_S that is no number of seconds.
 */
export function takeLocalAccess(env: NodeJS.ProcessEnv): ModelAccess {
  const [anthropicApiKey, openaiApiKey, openrouterApiKey] = KEY_VARIABLES.map(name => read(env, name));
  const access = {
    credentials: {
      anthropicApiKey: anthropicApiKey ?? null,
      federation: null,
      openaiApiKey: openaiApiKey ?? null,
      openrouterApiKey: openrouterApiKey ?? null,
      aws: readAws(env),
    },
    baseUrl: read(env, 'MODEL_BASE_URL'),
    proxies: readProxies(env),
    lacksIdentity: false,
    patienceMs: readPatience(env),
  };
  forget(env, [...KEY_VARIABLES, ...AWS_SECRETS, ...EXTRA_HEADERS]);
  return access;
}

/**
 * The same for the action's inputs. The job's identity is read only where federation is configured. Throws
 * CypherFixError('usage') for half a federation.
 */
export function takeActionAccess(env: NodeJS.ProcessEnv, inputs: Inputs): ModelAccess {
  const federation = readFederation(env, inputs);
  const access = {
    credentials: {
      anthropicApiKey: inputs.anthropicApiKey,
      federation,
      openaiApiKey: inputs.openaiApiKey,
      openrouterApiKey: inputs.openrouterApiKey,
      aws: readAws(env),
    },
    baseUrl: inputs.modelBaseUrl,
    proxies: readProxies(env),
    lacksIdentity: federation === null && inputs.federationRuleId !== null,
    patienceMs: null,
  };
  forget(env, [...INPUT_KEYS, ...AWS_SECRETS, ...EXTRA_HEADERS, IDENTITY.token, IDENTITY.url]);
  return access;
}

/** Whether anything is configured to reach a model with. AWS credentials serve many ends, so they count for Bedrock alone. */
export function hasCredential({ credentials, lacksIdentity }: ModelAccess, policy: Policy): boolean {
  if (lacksIdentity) return true;
  const { anthropicApiKey, federation, openaiApiKey, openrouterApiKey, aws } = credentials;
  if ([anthropicApiKey, federation, openaiApiKey, openrouterApiKey].some(one => one !== null)) return true;
  return aws !== null && modelsOf(policy).some(model => chooseProvider(model) === 'bedrock');
}

/** Every secret of the access, for masking. */
export function toSecretRegistry({ credentials, proxies }: ModelAccess): SecretRegistry {
  const { anthropicApiKey, federation, openaiApiKey, openrouterApiKey, aws } = credentials;
  const registry = new SecretRegistry();
  const keys = [anthropicApiKey, openaiApiKey, openrouterApiKey, federation?.requestToken];
  const awsSecrets = [aws?.bearerToken, aws?.secretAccessKey, aws?.sessionToken];
  const passwords = [proxies.httpsProxy, proxies.httpProxy].map(url =>
    url !== null && URL.canParse(url) ? new URL(url).password : null,
  );
  for (const value of [...keys, ...awsSecrets, ...passwords]) registry.add(value ?? undefined);
  return registry;
}

/**
 * Sets the models of the policy up; `none` with the reason when a key for one is missing. Throws CypherFixError('usage')
 * for an unknown price and for settings that contradict each other. Connects to nothing.
 */
export async function toAiSetup(
  access: ModelAccess,
  policy: Policy,
  change: { readonly title: string | null; readonly body: string | null },
  lifetime: AbortSignal,
): Promise<AiSetup> {
  const models = modelsOf(policy);
  const prices = findPrices(models, policy.ai.prices);
  const { createModel } = await import('../model/create-model.ts');
  const { credentials, baseUrl, proxies, patienceMs } = access;
  const patience =
    patienceMs === null
      ? {}
      : { limits: { headersMs: patienceMs, idleMs: patienceMs }, retry: { mostWaitMs: patienceMs } };
  const model = createModel({ models, credentials, baseUrl, proxies, lifetime, ...patience });
  if (model.status !== 'ok') return { kind: 'none', reason: access.lacksIdentity ? NO_IDENTITY : model.reason };
  return { kind: 'review', model: model.value, prices, ...change };
}

/** As toAiSetup, for a person who asked with `--ai`: a missing key is an error that names the variable. */
export async function toLocalAiSetup(access: ModelAccess, policy: Policy, lifetime: AbortSignal): Promise<AiSetup> {
  for (const model of modelsOf(policy)) {
    const provider = chooseProvider(model);
    if (missingCredential(provider, access.credentials) === null) continue;
    const variable = VARIABLE_OF[provider];
    throw new CypherFixError('missing', `--ai: ${variable} is not set, which the model ${model} needs`, {
      hint: `set ${variable}, or choose other models in .cypherfix.yml (ai.reviewer_model, ai.judge_model)`,
    });
  }
  return toAiSetup(access, policy, { title: null, body: null }, lifetime);
}

const NO_IDENTITY = 'the identity federation needs the permission `id-token: write` of the job';

const VARIABLE_OF: Readonly<Record<ProviderName, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  openai_compat: 'OPENAI_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
  bedrock: 'AWS_REGION with AWS_BEARER_TOKEN_BEDROCK, or with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,',
};

/** Every model that a review under this policy may ask. */
export const modelsOf = ({ ai }: Policy): string[] => [...new Set([ai.reviewer_model, ai.judge_model])];

function readFederation(env: NodeJS.ProcessEnv, inputs: Inputs): FederationSettings | null {
  const { federationRuleId: ruleId, organizationId, workspaceId, serviceAccountId, oidcAudience } = inputs;
  if (ruleId === null && organizationId === null) return null;
  if (ruleId === null || organizationId === null) {
    throw new CypherFixError('usage', 'anthropic-federation-rule-id and anthropic-organization-id go together');
  }
  const requestUrl = read(env, IDENTITY.url);
  const requestToken = read(env, IDENTITY.token);
  // A fork's run and a job without `id-token: write` have no identity to show.
  if (requestUrl === null || requestToken === null) return null;
  const audience = oidcAudience ?? DEFAULT_AUDIENCE;
  return { ruleId, organizationId, workspaceId, serviceAccountId, audience, requestUrl, requestToken };
}

function readAws(env: NodeJS.ProcessEnv): AwsCredential | null {
  const region = read(env, 'AWS_REGION') ?? read(env, 'AWS_DEFAULT_REGION');
  if (region === null) return null;
  return {
    region,
    bearerToken: read(env, 'AWS_BEARER_TOKEN_BEDROCK'),
    accessKeyId: read(env, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: read(env, 'AWS_SECRET_ACCESS_KEY'),
    sessionToken: read(env, 'AWS_SESSION_TOKEN'),
  };
}

const readProxies = (env: NodeJS.ProcessEnv): ProxySettings => ({
  httpsProxy: read(env, 'HTTPS_PROXY') ?? read(env, 'https_proxy'),
  httpProxy: read(env, 'HTTP_PROXY') ?? read(env, 'http_proxy'),
  noProxy: read(env, 'NO_PROXY') ?? read(env, 'no_proxy'),
});

/** For a person at a terminal; a job always has the full patience, so that no setting of a runner shortens a review. */
function readPatience(env: NodeJS.ProcessEnv): number | null {
  const text = read(env, PATIENCE);
  if (text === null || env['GITHUB_ACTIONS'] === 'true') return null;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= MOST_PATIENCE_S) return seconds * 1_000;
  throw new CypherFixError('usage', `${PATIENCE} is '${text}', not a number of seconds up to ${MOST_PATIENCE_S}`);
}

const PATIENCE = 'CYPHERFIX_MODEL_PATIENCE_S';
const MOST_PATIENCE_S = 60;

function read(env: NodeJS.ProcessEnv, name: string): string | null {
  const value = env[name]?.trim() ?? '';
  return value === '' ? null : value;
}

function forget(env: NodeJS.ProcessEnv, names: readonly string[]): void {
  for (const name of names) delete env[name];
}
