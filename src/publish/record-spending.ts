import type { GitHub } from '../github/client.ts';
import type { RepositoryName } from '../github/repository-name.ts';
import { updateReview } from '../github/reviews.ts';
import { decodeState, replaceState } from '../render/state-marker.ts';
import { fetchPast } from './fetch-past.ts';

export interface Spending {
  readonly repository: RepositoryName;
  readonly number: number;
  readonly trustedBots: readonly string[];
  /** What models cost in this run, in dollars. */
  readonly usd: number;
}

/**
 * Adds what a run cost to the newest review of our own, in its hidden state alone, where the run itself publishes no
 * review: pushes that overtake each other must not make the pull request's budget endless. Returns false where there is
 * no review to keep it.
 */
export async function recordSpending(gh: GitHub, spending: Spending): Promise<boolean> {
  const { repository, number, trustedBots, usd } = spending;
  const past = await fetchPast(gh, repository, number, trustedBots);
  const review = past.reviews.findLast(one => one.byViewer && decodeState(one.body) !== null);
  const state = review === undefined ? null : decodeState(review.body);
  if (review === undefined || state === null) return false;
  const body = replaceState(review.body, { ...state, spentUsd: past.spentUsd + usd });
  await updateReview(gh, repository, number, review.id, body);
  return true;
}
