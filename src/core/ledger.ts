/** How one file of the change was accounted for (decision 11): examined by tools, or skipped with the reason. */
export interface LedgerFile {
  readonly path: string;
  readonly status: string;
  readonly previousPath?: string;
  readonly examinedBy: readonly string[];
  /** Tools that took the file and could not parse it. */
  readonly partial?: readonly { readonly tool: string; readonly reason: string }[];
  /** Reviewers' findings of earlier runs that stand in it and that no reviewer judged anew. */
  readonly carried?: number;
  readonly skipped?: string;
}

export interface Ledger {
  readonly files: readonly LedgerFile[];
  /** False only when a changed file that some scanner takes was examined by none, or a required scanner failed. */
  readonly complete: boolean;
}

export type ScannerStatus = 'ok' | 'failed' | 'timed-out' | 'skipped';

export interface ScannerRun {
  readonly name: string;
  readonly version: string;
  readonly status: ScannerStatus;
  readonly filesExamined: number;
  readonly findings: number;
  readonly durationMs: number;
  readonly message?: string;
}
