import type { LinkedIssue } from '../acceptance/criterion.ts';

/** The issues of a change, as far as they could be read. */
export interface LinkedIssues {
  /** Titles and bodies are untrusted. */
  readonly issues: readonly LinkedIssue[];
  /** What could not be read, in plain sentences. */
  readonly notices: readonly string[];
  /** Why the issues are not judged in this run; null where they are. */
  readonly whyNot: string | null;
}

export const NO_ISSUES: LinkedIssues = { issues: [], notices: [], whyNot: null };
