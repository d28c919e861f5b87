import { lower } from '../risk/python-values.ts';
import type { RankedFinding } from './ranked-finding.ts';
import type { StoredReview } from './stored.ts';

/** Names the prompt and the rules of `validateReview`; a review made under another version is made again. */
export const PROMPT_VERSION = 'review-v2';

/** Their findings are facts of a check or of an advisory: there is nothing in the evidence to doubt. */
const NOT_REVIEWED_SOURCES: ReadonlySet<string> = new Set(['security_check', 'osv', 'retirejs']);

export type NotEligible = 'decided_by_person' | 'proven' | 'not_open' | 'source_not_reviewed';

/** Why a finding is not for a model to review; null where it is, if it has evidence. */
export function whyNotEligible({ stored, base, row }: RankedFinding): NotEligible | null {
  if (stored.decision !== null) return 'decided_by_person';
  if (base.inputs.proven) return 'proven';
  if (base.state !== 'open') return 'not_open';
  return NOT_REVIEWED_SOURCES.has(lower(row.source)) ? 'source_not_reviewed' : null;
}

/**
 * Whether a review is to be made: there is none, or one of other evidence, or our own by another model or prompt. A valid
 * one of an external agent is never made again.
 */
export function isReviewDue(review: StoredReview | null, evidenceHash: string, model: string): boolean {
  if (review === null || review.evidenceHash !== evidenceHash) return true;
  if (review.channel === 'mcp') return false;
  return review.model !== model || review.promptVersion !== PROMPT_VERSION;
}
