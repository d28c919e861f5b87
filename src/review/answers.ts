import { z } from 'zod';
import { SEVERITIES } from '../core/finding.ts';
import { toJsonSchema } from './json-schema.ts';

/**
 * What models answer. Nothing in an answer decides a place, an id or an author: those come from code. Keys that are not
 * listed are dropped; a missing one or a wrong type makes the answer malformed.
 */

const text = z.string();
const severity = z.enum(SEVERITIES);

export const FindingDraft = z.object({
  category: text.describe('kind of fault in a few words, for example sql-injection'),
  cwe: text.nullable().describe('CWE-<number>, null when none fits'),
  severity,
  confidence: z.number().describe('0 to 1'),
  path: text.describe('path of the file from the root of the repository'),
  quote: text.describe('the faulty text, copied exactly from the file at the head, one to ten lines'),
  title: text,
  rationale: text.describe('what goes wrong, when, and with what effect'),
  suggestion: text.nullable().describe('how to mend it, null when there is nothing to say'),
  evidence: z.array(text).describe('what you saw that proves it'),
});
export type FindingDraft = z.infer<typeof FindingDraft>;

export const ReviewerAnswer = z.object({
  findings: z.array(FindingDraft),
  scanner: z.array(
    z.object({
      id: text.describe('id of a scanner finding'),
      verdict: z.enum(['confirm', 'dispute']),
      note: text,
    }),
  ),
  resolved: z.array(z.object({ id: text.describe('id of an earlier finding that the change mends'), reason: text })),
  notes: text.describe('what else the author should know; may be empty'),
});
export type ReviewerAnswer = z.infer<typeof ReviewerAnswer>;

export const Decision = z.object({
  finding_id: text,
  action: z.enum(['keep', 'drop', 'merge']),
  merge_into: text.nullable().describe('id of the finding that stays, for merge'),
  severity: severity.nullable(),
  title: text.nullable(),
  rationale: text.nullable(),
  suggestion: text.nullable(),
  quote: text.nullable().describe('a better copy of the faulty text, null to keep the old one'),
  reason: text,
});
export type Decision = z.infer<typeof Decision>;

export const ReflectionAnswer = z.object({
  decisions: z.array(Decision),
  summary: text.describe('one paragraph for the author of the change'),
});
export type ReflectionAnswer = z.infer<typeof ReflectionAnswer>;

export const JudgeAnswer = z.object({
  dimensions: z.object({
    correctness: z.number().describe('0 to 1: are the findings true'),
    groundedness: z.number().describe('0 to 1: are they proved by the code'),
    actionability: z.number().describe('0 to 1: can the author act on them'),
    signal_to_noise: z.number().describe('0 to 1: is what matters there and noise absent'),
  }),
  score: z.number().describe('0 to 1 for the review as a whole'),
  rationale: text,
});
export type JudgeAnswer = z.infer<typeof JudgeAnswer>;

export const REVIEWER_SCHEMA = toJsonSchema(ReviewerAnswer);
export const REFLECTION_SCHEMA = toJsonSchema(ReflectionAnswer);
export const JUDGE_SCHEMA = toJsonSchema(JudgeAnswer);

/** A share, whatever number the model gave. */
export const toShare = (value: number): number => (Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0);
