import type { Severity } from '../core/finding.ts';
import { REVIEWER_NAMES } from '../core/open-finding.ts';

export const REVIEWERS = REVIEWER_NAMES;
export type ReviewerName = (typeof REVIEWERS)[number];

/** A scanner's finding as reviewers are told of it. */
export interface ScannerBrief {
  readonly id: string;
  readonly tool: string;
  readonly ruleId: string;
  readonly severity: Severity;
  readonly path: string;
  readonly startLine: number;
  readonly title: string;
  readonly message: string;
}

/** A reviewer's finding of an earlier run that is still open; its reviewer is asked whether the change mends it. */
export interface OpenFinding {
  readonly id: string;
  readonly reviewer: ReviewerName;
  readonly path: string;
  readonly category: string;
  readonly title: string;
  readonly quote: string;
}

/** Where a quote stands: at one place in a hunk, in the file outside of that, or nowhere at the head. */
export type AnchorPlace = 'hunk' | 'file' | 'none';

export interface ReviewerFinding {
  /** `sec-1`, `cor-2`, `sty-1`: of this run, for reflection; the lasting id comes from the fingerprint. */
  readonly id: string;
  readonly origin: 'reviewer';
  /** The reviewer. */
  readonly tool: ReviewerName;
  /** Category and CWE: `sql-injection/CWE-89`, or the category alone. */
  readonly ruleId: string;
  readonly category: string;
  readonly title: string;
  readonly message: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly cwe: readonly string[];
  readonly path: string;
  readonly place: AnchorPlace;
  /** Why it is not at one place in a hunk. */
  readonly placeReason?: string;
  /** Lines of the head; null where the quote has no place of its own. */
  readonly startLine: number | null;
  readonly endLine: number | null;
  /** The file's own text at the place, else what the model quoted. */
  readonly matchedText: string;
  /** What the model quoted, redacted. */
  readonly quote: string;
  readonly suggestion?: string;
  readonly evidence: readonly string[];
  /** Reviewers whose findings were merged into this one. */
  readonly mergedFrom: readonly { readonly reviewer: ReviewerName; readonly id: string }[];
}

export interface ScannerNote {
  readonly id: string;
  readonly reviewer: ReviewerName;
  readonly verdict: 'confirm' | 'dispute';
  readonly note: string;
}

export interface ResolvedFinding {
  readonly id: string;
  readonly reviewer: ReviewerName;
  readonly reason: string;
}

export interface ReviewerReport {
  readonly name: string;
  readonly model: string;
  readonly status: 'ok' | 'limited' | 'failed' | 'stub';
  readonly calls: number;
  readonly message?: string;
}

export interface Dimensions {
  readonly correctness: number;
  readonly groundedness: number;
  readonly actionability: number;
  readonly signalToNoise: number;
}

/** The report's part `review` (contract). */
export interface ReviewReport {
  /** Null where no judge spoke; never a gate reason. */
  readonly score: number | null;
  readonly threshold: number;
  readonly dimensions: Dimensions | null;
  readonly revisions: number;
  readonly summary: string;
  readonly budgetLimited: boolean;
  readonly reviewers: readonly ReviewerReport[];
  readonly dropped: readonly { readonly quote: string; readonly reason: string }[];
  readonly disputes: readonly { readonly id: string; readonly note: string }[];
  readonly injection: Readonly<Record<string, number>>;
}

export interface ReviewOutcome {
  readonly findings: readonly ReviewerFinding[];
  readonly scannerNotes: readonly ScannerNote[];
  readonly resolved: readonly ResolvedFinding[];
  readonly review: ReviewReport;
  /** Why the AI review is incomplete; each makes the conclusion at best neutral. */
  readonly failures: readonly string[];
  /** Files whose diff the reviewers who finished had before them. */
  readonly examined: readonly { readonly reviewer: ReviewerName; readonly paths: readonly string[] }[];
  /** Changed files that no model saw, with the reason. */
  readonly notShown: readonly { readonly path: string; readonly reason: string }[];
}
