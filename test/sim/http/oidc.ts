import { createHmac, randomBytes } from 'node:crypto';
import { apiUrl, type Site } from '../site.ts';

/** What a runner puts into ACTIONS_ID_TOKEN_REQUEST_TOKEN, and the address beside it. */
export interface IdTokenSource {
  url: string;
  token: string;
}

const LIFETIME_S = 300;
const key = randomBytes(32);

export function createIdTokenSource(site: Site): IdTokenSource {
  return { url: `${site.url}/_oidc/token?api-version=2.0`, token: randomBytes(24).toString('hex') };
}

/** A signed token with the claims of a workflow run, for the audience that was asked for. */
export function issueIdToken(site: Site, audience: string): string {
  const issued = Math.floor(site.now().getTime() / 1000);
  const claims = {
    iss: `${site.url}/_oidc`,
    aud: audience,
    sub: `repo:${site.fullName}:pull_request`,
    repository: site.fullName,
    repository_owner: site.fullName.split('/')[0],
    repository_visibility: site.settings.private ? 'private' : 'public',
    job_workflow_ref: `${site.fullName}/.github/workflows/review.yml@refs/heads/${site.settings.defaultBranch}`,
    jti: randomBytes(12).toString('hex'),
    run_url: apiUrl(site, '/actions/runs/1'),
    iat: issued,
    nbf: issued,
    exp: issued + LIFETIME_S,
  };
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ typ: 'JWT', alg: 'HS256' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}
