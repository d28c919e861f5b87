import { CypherFixError } from '../core/errors.ts';
import type { AwsCredential } from './bedrock.ts';
import type { FederationSettings } from './federation.ts';

export type ProviderName = 'anthropic' | 'bedrock' | 'openrouter' | 'openai_compat' | 'openai';

/** Keys and identities as the edge of the program read them; null for what is not configured. */
export interface ModelCredentials {
  readonly anthropicApiKey: string | null;
  readonly federation: FederationSettings | null;
  readonly openaiApiKey: string | null;
  readonly openrouterApiKey: string | null;
  readonly aws: AwsCredential | null;
}

export const NO_CREDENTIALS: ModelCredentials = {
  anthropicApiKey: null,
  federation: null,
  openaiApiKey: null,
  openrouterApiKey: null,
  aws: null,
};

/** The provider that a model id of the policy stands for. */
export function chooseProvider(model: string): ProviderName {
  if (model.startsWith('claude-')) return 'anthropic';
  const prefix = /^(bedrock|openrouter|openai_compat)\/./.exec(model)?.[1];
  if (prefix !== undefined) return prefix as ProviderName;
  if (/^(?:bedrock|openrouter|openai_compat)\/?$|\s|^$/.test(model)) {
    throw new CypherFixError('usage', `'${model}' is no model id`, {
      hint: 'claude-…, bedrock/…, openrouter/…, openai_compat/…, or an id of OpenAI',
    });
  }
  return 'openai';
}

/** What is missing to call the provider, as a sentence for people; null when nothing is. */
export function missingCredential(provider: ProviderName, credentials: ModelCredentials): string | null {
  switch (provider) {
    case 'anthropic':
      return credentials.anthropicApiKey === null && credentials.federation === null
        ? 'no anthropic-api-key is set, nor an identity federation'
        : null;
    case 'bedrock':
      return hasAws(credentials.aws) ? null : 'no AWS credentials are set';
    case 'openrouter':
      return credentials.openrouterApiKey === null ? 'no openrouter-api-key is set' : null;
    case 'openai_compat':
    case 'openai':
      return credentials.openaiApiKey === null ? 'no openai-api-key is set' : null;
  }
}

/**
 * Which provider the input `model-base-url` serves: the only one in use. Throws CypherFixError('usage') when two are, or
 * when openai_compat has none.
 */
export function checkBaseUrl(providers: ReadonlySet<ProviderName>, baseUrl: string | null): void {
  if (baseUrl === null && providers.has('openai_compat')) {
    throw new CypherFixError('usage', 'a model openai_compat/… needs the input model-base-url');
  }
  if (baseUrl !== null && providers.size > 1) {
    const names = [...providers].sort().join(' and ');
    throw new CypherFixError('usage', `the input model-base-url cannot serve two providers (${names})`, {
      hint: 'use models of one provider, or leave model-base-url out',
    });
  }
}

function hasAws(aws: AwsCredential | null): boolean {
  return aws !== null && (aws.bearerToken !== null || (aws.accessKeyId !== null && aws.secretAccessKey !== null));
}
