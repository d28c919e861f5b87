import type { GitHub } from '../github/client.ts';
import type { RepositoryName } from '../github/repository-name.ts';
import { listReviewThreads } from '../github/review-threads.ts';
import { listReviews, type Review } from '../github/reviews.ts';
import { decodeState } from '../render/state-marker.ts';
import { toOwnThreads } from './own-threads.ts';
import { isOwn } from './ownership.ts';
import type { Past } from './plan-review.ts';

/** Reads what our earlier runs left on a pull request; markers count in our own writing alone. */
export async function fetchPast(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
  trustedBots: readonly string[],
): Promise<Past> {
  const reviews = await listReviews(gh, repository, number);
  const own = reviews.filter(review => isOurReview(review, trustedBots));
  const threads = await listReviewThreads(gh, repository, number);
  return { ...toPastState(own), reviews, review: own.at(-1) ?? null, threads: toOwnThreads(threads, trustedBots) };
}

const isOurReview = (review: Review, trustedBots: readonly string[]): boolean =>
  review.state === 'COMMENTED' && isOwn(review, trustedBots) && REVIEW_MARKER.test(review.body);

const REVIEW_MARKER = /<!-- cypherfix:v1 review head=[0-9a-f]{40,64}\b/;

/** Fingerprints that a review shows in its body, as its own hidden state says. */
export function shownInBody(review: Review): ReadonlySet<string> {
  const findings = decodeState(review.body)?.findings ?? [];
  return new Set(findings.filter(f => f.placement === 'body').map(f => f.fingerprint));
}

function toPastState(own: readonly Review[]): Omit<Past, 'reviews' | 'review' | 'threads'> {
  const states = own.map(review => decodeState(review.body));
  const newest = states.at(-1) ?? null;
  const isWhole = newest !== null && newest.omitted === 0;
  return {
    shownInBody: new Set(own.flatMap(review => [...shownInBody(review)])),
    isBodyPartial: states.some(state => state === null || state.omitted > 0),
    lastSeen: isWhole ? new Set(newest.findings.map(f => f.fingerprint)) : null,
    // Each review holds the sum so far: where one cannot be read, an earlier one still bounds it from below.
    spentUsd: Math.max(0, ...states.map(state => state?.spentUsd ?? 0)),
    acceptanceHead: states.findLast(state => state?.acceptanceHead)?.acceptanceHead ?? null,
  };
}
