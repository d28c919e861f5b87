import type { Exchange } from '../exchange.ts';

export const API_VERSION = '2026-10-21';
export const OAUTH_BETA = 'oauth-2025-04-20';
export const FEDERATION_BETA = 'oidc-federation-2026-04-01';

/** What is wrong with the headers of a request that an API key or a federated token should carry. */
export function checkHeaders(exchange: Exchange, betas: readonly string[]): string[] {
  const { headers } = exchange;
  const complaints: string[] = [];
  if (headers['anthropic-version'] !== API_VERSION) {
    complaints.push(
      `anthropic-version: header is ${headers['anthropic-version'] ?? 'missing'}, expected ${API_VERSION}`,
    );
  }
  if (headers['x-api-key'] !== undefined)
    complaints.push('x-api-key: this version sends authorization: Bearer instead');
  if (exchange.method === 'POST' && !isJson(headers['content-type'])) {
    complaints.push(`content-type: ${headers['content-type'] ?? 'missing'}, expected application/json`);
  }
  for (const beta of listBetas(exchange)) {
    if (!betas.includes(beta)) {
      complaints.push(`anthropic-beta: Unexpected value(s) \`${beta}\` for the \`anthropic-beta\` header.`);
    }
  }
  return complaints;
}

export function listBetas(exchange: Exchange): string[] {
  return (exchange.headers['anthropic-beta'] ?? '')
    .split(',')
    .map(beta => beta.trim())
    .filter(beta => beta !== '');
}

/** The Bearer token, or null. */
export function readBearer(exchange: Exchange): string | null {
  return /^Bearer (\S+)$/.exec(exchange.headers['authorization'] ?? '')?.[1] ?? null;
}

export function isJson(type: string | undefined): boolean {
  return /^application\/json\s*(;|$)/.test(type ?? '');
}
