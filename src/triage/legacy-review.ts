import { createHash } from 'node:crypto';
import { renderLegacyEvidence } from '../risk/evidence.ts';
import type { FindingRow } from '../risk/row.ts';
import { wellFormed } from '../risk/text.ts';
import type { Stored, StoredReview } from './stored.ts';

export const LEGACY_PROMPT_VERSION = 'review-v1';

/**
 * A review of model v3.1, which named its evidence by another hash, as one of today's evidence; null where it is none or
 * its evidence has changed since. Its multiplier had no quote, so it is dropped.
 */
export function adoptLegacyReview(stored: Stored, row: FindingRow, evidenceHash: string): StoredReview | null {
  const { review } = stored;
  if (review === null || review.evidenceHash !== '' || review.channel === 'mcp') return null;
  if (stored.evidenceHash === '' || evidenceHash === '') return null;
  if (legacyHash(review.model, renderLegacyEvidence(row)) !== stored.evidenceHash) return null;
  return { ...review, impactMultiplier: 1, impactQuote: '', evidenceHash, promptVersion: LEGACY_PROMPT_VERSION };
}

/** The hash by which model v3.1 named evidence: of prompt, model and evidence together. */
export const legacyHash = (model: string, bundle: string): string =>
  createHash('sha256')
    .update(wellFormed(`${LEGACY_PROMPT_VERSION}\0${model}\0${bundle}`), 'utf8')
    .digest('hex')
    .slice(0, 40);
