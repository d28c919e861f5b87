import { ApiError } from '../api-error.ts';
import type { Site } from '../site.ts';
import type { Token } from '../tokens.ts';

/** Writes that notify somebody or show on a page: what GitHub's secondary limit counts. */
const CONTENT = new Set([
  'pulls/create-review',
  'pulls/create-review-comment',
  'pulls/create-reply-for-review-comment',
  'issues/create-comment',
  'graphql/addPullRequestReviewThreadReply',
]);
const MINUTE_MS = 60_000;
const HOUR_S = 3_600;

/** Counts a request; fails when the hour's quota or the minute's writes are used up. */
export function countRequest(site: Site, token: Token, operation: string): void {
  if (operation === 'rate-limit/get') return;
  const now = site.now().getTime();
  if (token.used >= site.settings.hourlyLimit) {
    throw new ApiError(403, { message: `API rate limit exceeded for installation ID ${token.appId}.` });
  }
  token.used += 1;
  if (!CONTENT.has(operation)) return;
  token.writes = token.writes.filter(at => at > now - MINUTE_MS);
  if (token.writes.length >= site.settings.contentPerMinute) {
    const message =
      'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.';
    throw new ApiError(403, { message }, { 'retry-after': '60' });
  }
  token.writes.push(now);
}

/** The headers that every answer of the API carries. */
export function limitHeaders(site: Site, token: Token | undefined, resource: string): Record<string, string> {
  const limit = site.settings.hourlyLimit;
  const used = token?.used ?? 0;
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-used': String(used),
    'x-ratelimit-remaining': String(Math.max(0, limit - used)),
    'x-ratelimit-reset': String(Math.floor(site.now().getTime() / 1000) + HOUR_S),
    'x-ratelimit-resource': resource,
  };
}
