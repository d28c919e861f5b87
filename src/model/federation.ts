import type { Fetch } from './watchdog.ts';

/** What GitHub and Anthropic need to trade a workflow's identity for a short-lived token, instead of a key. */
export interface FederationSettings {
  readonly ruleId: string;
  readonly organizationId: string;
  readonly workspaceId: string | null;
  readonly serviceAccountId: string | null;
  readonly audience: string;
  /** ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN, present with the permission `id-token: write`. */
  readonly requestUrl: string;
  readonly requestToken: string;
}

export const DEFAULT_AUDIENCE = 'https://api.anthropic.com';

/** Asks GitHub for the workflow's identity token; errors name the step, never a token. */
export function createIdentityTokenProvider(settings: FederationSettings, fetch: Fetch): () => Promise<string> {
  return async () => {
    const url = new URL(settings.requestUrl);
    url.searchParams.set('audience', settings.audience);
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${settings.requestToken}`, accept: 'application/json' },
    });
    if (!response.ok) throw new Error(`GitHub's identity token was refused with status ${response.status}`);
    const body = (await response.json()) as { value?: unknown } | null;
    if (typeof body?.value !== 'string' || body.value === '') throw new Error('GitHub gave no identity token');
    return body.value;
  };
}
