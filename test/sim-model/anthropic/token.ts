import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { FEDERATION_BETA, isJson, listBetas, OAUTH_BETA } from './headers.ts';

/** The rule by which GitHub's identity tokens are exchanged for an access token. */
export interface Federation {
  readonly ruleId: string;
  readonly organizationId: string;
  readonly workspaceId?: string;
  readonly serviceAccountId?: string;
  /** Default `https://api.anthropic.com`. */
  readonly audience?: string;
  /** What the identity token's `sub` must be; default anything. */
  readonly subject?: string;
  /** Life of the access token in seconds; default 3,600. */
  readonly expiresIn?: number;
}

const Exchanged = z.strictObject({
  grant_type: z.literal('urn:ietf:params:oauth:grant-type:jwt-bearer'),
  assertion: z.string().max(16 * 1024),
  federation_rule_id: z.string(),
  organization_id: z.string(),
  service_account_id: z.string().optional(),
  workspace_id: z.string().optional(),
});

export type TokenAnswer =
  | { readonly kind: 'violation'; readonly complaints: string[] }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'granted' };

/** Judges a token exchange: the form of the request, then whether the rule lets this identity in. */
export function judgeExchange(exchange: Exchange, federation: Federation | undefined): TokenAnswer {
  const complaints: string[] = [];
  for (const beta of [OAUTH_BETA, FEDERATION_BETA]) {
    if (!listBetas(exchange).includes(beta)) complaints.push(`anthropic-beta: ${beta} is missing`);
  }
  if (!isJson(exchange.headers['content-type'])) complaints.push('content-type: expected application/json');
  if (exchange.headers['authorization'] !== undefined) complaints.push('authorization: the exchange itself needs none');
  const parsed = Exchanged.safeParse(exchange.body);
  if (!parsed.success) {
    return {
      kind: 'violation',
      complaints: [...complaints, ...parsed.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`)],
    };
  }
  if (complaints.length > 0) return { kind: 'violation', complaints };
  const reason = findRefusal(parsed.data, federation);
  return reason === null ? { kind: 'granted' } : { kind: 'refused', reason };
}

function findRefusal(asked: z.infer<typeof Exchanged>, federation: Federation | undefined): string | null {
  if (federation === undefined) return 'no federation rule matches';
  if (asked.federation_rule_id !== federation.ruleId) return 'unknown federation rule';
  if (asked.organization_id !== federation.organizationId) return 'unknown organization';
  if (asked.workspace_id !== federation.workspaceId) return 'the rule needs another workspace';
  if (asked.service_account_id !== federation.serviceAccountId) return 'the rule needs another service account';
  const claims = readClaims(asked.assertion);
  if (claims === null) return 'the assertion is no JWT';
  if (claims['aud'] !== (federation.audience ?? 'https://api.anthropic.com')) return 'wrong audience';
  if (federation.subject !== undefined && claims['sub'] !== federation.subject) return 'wrong subject';
  return null;
}

/** The claims of a JWT, unverified: tests sign with nothing. */
function readClaims(jwt: string): Record<string, unknown> | null {
  const parts = jwt.split('.');
  if (parts.length !== 3) return null;
  try {
    return JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  } catch {
    // Three parts, but the middle one is no JSON: just as little a JWT.
    return null;
  }
}

/** An identity token such as GitHub's issuer gives, without a real signature. */
export function forgeIdentityToken(claims: Record<string, unknown> = {}): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const standard = { iss: 'https://token.actions.githubusercontent.com', aud: 'https://api.anthropic.com' };
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ ...standard, ...claims })}.${encode('unsigned')}`;
}
