import { z } from 'zod';
import { SEVERITIES } from './finding.ts';

/** Who reviews; a reviewer's findings are of its name as a scanner's are of the tool's. */
export const REVIEWER_NAMES = ['security', 'correctness', 'style'] as const;

/** Most characters of a quote that the next run looks for. */
export const MAX_QUOTE_CHARS = 300;
export const MAX_TITLE_CHARS = 200;
const MAX_PATH_CHARS = 4_096;

/** A reviewer's finding as the hidden marker of its own inline comment keeps it for later runs. */
export const FindingMark = z.strictObject({
  reviewer: z.enum(REVIEWER_NAMES),
  /** Repository path at the head that was reviewed. */
  path: z.string().min(1).max(MAX_PATH_CHARS),
  /** 1-based first line there. */
  line: z.int().positive(),
  category: z.string().min(1).max(100),
  cwe: z
    .string()
    .regex(/^CWE-\d{1,6}$/)
    .nullable(),
  severity: z.enum(SEVERITIES),
  /** 0 to 1 */
  confidence: z.number().min(0).max(1),
  title: z.string().max(MAX_TITLE_CHARS),
  /** The beginning of the quoted text, secrets masked. */
  quote: z.string().min(1).max(MAX_QUOTE_CHARS),
  introduced: z.boolean(),
});
export type FindingMark = z.infer<typeof FindingMark>;

/** A reviewer's finding whose thread on the pull request is open. */
export const OpenAiFinding = FindingMark.extend({
  /** The thread's: it stays the finding's for as long as the thread is open. */
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
});
export type OpenAiFinding = z.infer<typeof OpenAiFinding>;

/** The beginning of a quote as markers keep it; no half of a surrogate pair. */
export const cutQuote = (quote: string): string => quote.slice(0, MAX_QUOTE_CHARS).replace(/[\uD800-\uDBFF]$/, '');

/** Open findings that a run looks at, the worst first. */
export const MAX_OPEN_FINDINGS = 200;
