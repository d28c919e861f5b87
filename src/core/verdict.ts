import { z } from 'zod';
import { TIERS } from './risk.ts';

/** A person's word on a finding, on its way from the comment to the graph and back as an answer. */

export const VERDICT_WORDS = ['real', 'false-positive', 'reset'] as const;

const MAX_REASON_CHARS = 500;

/** What `resolve` read and checked: the person may write, and the policy names the project of the graph. */
export const VerdictOrder = z.strictObject({
  /** Of the issue or pull request where it was said. */
  number: z.int().positive(),
  /** The whole fingerprint, or its beginning as people see it. */
  fingerprint: z.string().regex(/^[0-9a-f]{8,64}$/),
  verdict: z.enum(VERDICT_WORDS),
  /** Untrusted; may be empty. */
  reason: z.string().max(MAX_REASON_CHARS),
  /** Login of who said it. */
  by: z.string().min(1),
  userId: z.string().min(1),
  projectId: z.string().min(1),
});
export type VerdictOrder = z.infer<typeof VerdictOrder>;

export const VERDICT_STATUSES = ['recorded', 'unknown', 'ambiguous', 'busy', 'unavailable'] as const;

/** What came of it; `message` says why it was not recorded. */
export const VerdictResult = z.strictObject({
  fingerprint: z.string().regex(/^[0-9a-f]{8,64}$/),
  verdict: z.enum(VERDICT_WORDS),
  by: z.string(),
  status: z.enum(VERDICT_STATUSES),
  message: z.string().exactOptional(),
  /** The finding on the default branch (`default`) and in pull requests (`pr/7`); tiers are null where nothing was ranked yet. */
  scopes: z.array(
    z.strictObject({
      scope: z.string(),
      before: z.enum(TIERS).nullable(),
      tier: z.enum(TIERS).nullable(),
      score: z.number().nullable(),
    }),
  ),
});
export type VerdictResult = z.infer<typeof VerdictResult>;

export const cutReason = (reason: string): string => reason.slice(0, MAX_REASON_CHARS);

/** How an answer calls it. */
export const VERDICT_NAMES = { real: 'real', 'false-positive': 'a false positive', reset: 'not judged' } as const;
