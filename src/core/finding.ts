import type { FindingRisk } from './risk.ts';

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** 0 for critical to 4 for info; sorts the worst first. */
export const severityRank = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** The more severe of two. */
export const worstSeverity = (a: Severity, b: Severity): Severity => (severityRank(a) <= severityRank(b) ? a : b);

/** A finding as a scanner's parser or a reviewer gives it: real path and lines, nothing decided yet. */
export interface RawFinding {
  readonly tool: string;
  /** The tool's own id, bare (G204, S602, B602, aws-access-token). */
  readonly ruleId: string;
  readonly title: string;
  /** Untrusted text. */
  readonly message: string;
  readonly severity: Severity;
  /** 0..1 */
  readonly confidence: number;
  /** `CWE-79` form, upper case. */
  readonly cwe: readonly string[];
  readonly path: string;
  /** 1-based, in the file as it stands at the head. */
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn?: number;
  readonly endColumn?: number;
  /** The matched text as it stands in the file; fingerprints use it, reports show it redacted. */
  readonly matchedText: string;
  readonly help?: string;
  /** Commit that added the matched text, for a secret found in history only. */
  readonly commit?: string;
  /** Replacement that a rule offers; positions are 1-based lines. */
  readonly fix?: { readonly edits: readonly FixEdit[] };
  /** Set for a model's finding; `tool` is then the reviewer. */
  readonly origin?: 'reviewer';
  /** Where the text that a reviewer quotes stands: in a hunk, elsewhere in the file, or nowhere (the lines mean nothing). */
  readonly anchor?: 'hunk' | 'file' | 'none';
  /** Why it is not in a hunk. */
  readonly anchorReason?: string;
  /** What a reviewer would do about it. Untrusted text. */
  readonly suggestion?: string;
  /** What a reviewer quotes, of the file as models see it: secrets masked. */
  readonly quote?: string;
  /** The fingerprint of the open thread that an earlier run began for it. */
  readonly knownAs?: string;
  /** No reviewer reported it in this run; an earlier one did, and what it quotes still stands. */
  readonly carried?: boolean;
}

/** A reviewer's finding weighs in the gate from this confidence on, and only with its place in a hunk. */
const LEAST_CONFIDENCE = 0.5;

/** True for what may decide about a change: every scanner's finding, and a model's that is sure and has its place. */
export const isGrounded = ({ origin, anchor, confidence }: RawFinding): boolean =>
  origin !== 'reviewer' || (anchor === 'hunk' && confidence >= LEAST_CONFIDENCE);

export interface FixEdit {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly replacement: string;
}

export const PLACEMENTS = ['inline', 'body', 'summary'] as const;
export type Placement = (typeof PLACEMENTS)[number];

export interface MergedFrom {
  readonly tool: string;
  readonly ruleId: string;
  readonly id: string;
}

/** One reviewer's report of a finding. */
export interface Reviewed {
  readonly reviewer: string;
  readonly ruleId: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly cwe: readonly string[];
  readonly title: string;
  /** The beginning of what it quotes, secrets masked. */
  readonly quote: string;
}

/** A finding after merging, fingerprinting and placing; the report's form (contract). */
export interface Finding {
  /** First 8 hex digits of the fingerprint, longer on collision. */
  readonly id: string;
  readonly fingerprint: string;
  readonly origin: 'scanner' | 'reviewer';
  readonly tool: string;
  readonly ruleId: string;
  readonly title: string;
  readonly message: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly cwe: readonly string[];
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn?: number;
  readonly endColumn?: number;
  /** Redacted. */
  readonly snippet: string;
  /** Every tool that reported it, the primary one first. */
  readonly tools: readonly string[];
  readonly help?: string;
  readonly introduced: boolean;
  readonly carried?: boolean;
  /** A reviewer's own word, for the run after this one: also where a scanner speaks for the finding. */
  readonly reviewed?: Reviewed;
  readonly placement: Placement;
  readonly placementReason?: string;
  readonly suppressed?: { readonly reason: string; readonly until?: string };
  readonly suggestion?: string;
  readonly fix?: { readonly edits: readonly FixEdit[]; readonly verified: boolean };
  readonly risk: FindingRisk | null;
  readonly mergedFrom: readonly MergedFrom[];
}
