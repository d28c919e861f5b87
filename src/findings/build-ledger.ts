import type { Change, FileChange } from '../core/change.ts';
import type { Ledger, LedgerFile, ScannerRun } from '../core/ledger.ts';

export interface LedgerInput {
  readonly change: Change;
  readonly scanners: readonly ScannerRun[];
  /** Path → tools that take it. A file that no tool takes may stay unexamined. */
  readonly taken: ReadonlyMap<string, readonly string[]>;
  /** Path → tools that read it. */
  readonly examined: ReadonlyMap<string, readonly string[]>;
  /** Path → tools that could not read all of it, and why. */
  readonly partial?: ReadonlyMap<string, readonly Partial[]>;
  /** Path → why it was kept from the scanners. */
  readonly skipped?: ReadonlyMap<string, string>;
  /** Path → reviewers that had its diff before them. They complete nothing that a scanner has to examine. */
  readonly reviewed?: ReadonlyMap<string, readonly string[]>;
  /** Path → how many findings of earlier runs are carried there. */
  readonly carried?: ReadonlyMap<string, number>;
}

/**
 * Accounts for every file of the change: examined by which tools, or skipped with the reason. Complete unless a file
 * that some tool takes was examined by none, or a scanner that had to run did not (contract).
 */
export function buildLedger(input: LedgerInput): Ledger {
  let missed = false;
  const files = input.change.files.map((file): LedgerFile => {
    const examinedBy = [...(input.examined.get(file.path) ?? [])].sort();
    const takenBy = input.taken.get(file.path) ?? [];
    const partial = [...(input.partial?.get(file.path) ?? [])].sort((a, b) => (a.tool < b.tool ? -1 : 1));
    const isMissed = examinedBy.length === 0 && takenBy.length > 0 && file.status !== 'deleted';
    missed ||= isMissed;
    // A file may be kept from some scanners and examined by the others: both are said.
    const reviewers = file.status === 'deleted' ? [] : (input.reviewed?.get(file.path) ?? []);
    const isSeen = examinedBy.length > 0 || (reviewers.length > 0 && !isMissed);
    const unexamined = isSeen ? undefined : reasonUnexamined(file, takenBy, partial);
    const skipped = input.skipped?.get(file.path) ?? unexamined;
    const carried = input.carried?.get(file.path) ?? 0;
    return {
      path: file.path,
      status: file.status,
      ...(file.previousPath === undefined ? {} : { previousPath: file.previousPath }),
      examinedBy: [...examinedBy, ...reviewers],
      ...(partial.length === 0 ? {} : { partial }),
      ...(carried === 0 ? {} : { carried }),
      ...(skipped === undefined ? {} : { skipped }),
    };
  });
  return { files, complete: !missed && !input.scanners.some(hasFailed) };
}

/** True for a scanner that had files to take and failed, timed out, or examined none of them. */
export const hasFailed = (run: ScannerRun): boolean =>
  run.status === 'failed' || run.status === 'timed-out' || (run.status === 'ok' && run.filesExamined === 0);

/** Why a run is incomplete, in full sentences; empty for a complete one. */
export function reasonsIncomplete(ledger: Ledger, scanners: readonly ScannerRun[]): string[] {
  const failed = scanners.filter(hasFailed).map(toFailure);
  if (ledger.complete || failed.length > 0) return [...failed, ...missedFiles(ledger, failed.length > 0)];
  const missed = missedFiles(ledger, false);
  return missed.length > 0 ? missed : ['Not every changed file was examined.'];
}

type Partial = { readonly tool: string; readonly reason: string };

function reasonUnexamined(file: FileChange, takenBy: readonly string[], partial: readonly Partial[]): string {
  if (file.status === 'deleted') return 'deleted: the head has no such file';
  if (partial.length > 0) return `${MISSED}: ${partial.map(({ tool, reason }) => `${tool}: ${reason}`).join('; ')}`;
  if (takenBy.length > 0) return `${MISSED}: ${[...takenBy].sort().join(', ')} did not read it`;
  if (file.kind === 'binary') return 'binary file';
  if (file.kind === 'symlink') return 'symbolic link';
  if (file.kind === 'submodule') return 'submodule';
  return 'no scanner takes files of this kind';
}

const MISSED = 'not examined';
const MAX_FILES_NAMED = 5;

/** Files that scanners take and none examined; behind a failed scanner they follow from it and are only counted. */
function missedFiles(ledger: Ledger, explained: boolean): string[] {
  if (explained) return [];
  const missed = ledger.files.filter(file => file.skipped?.startsWith(MISSED));
  const named = missed.slice(0, MAX_FILES_NAMED).map(file => `${file.path} was ${file.skipped}.`);
  const rest = missed.length - named.length;
  return rest > 0 ? [...named, `${rest} more changed files were not examined.`] : named;
}

function toFailure({ name, status, message }: ScannerRun): string {
  const why = message === undefined || message === '' ? '' : `: ${message.replace(/\.$/, '')}`;
  if (status === 'timed-out') return `Scanner ${name} ran out of time${why}.`;
  if (status === 'ok') return `Scanner ${name} examined none of the files it takes${why}.`;
  return `Scanner ${name} failed${why}.`;
}
