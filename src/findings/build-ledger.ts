import type { Change, FileChange } from '../core/change.ts';
import type { Ledger, LedgerFile, ScannerRun } from '../core/ledger.ts';

export interface LedgerInput {
  readonly change: Change;
  readonly scanners: readonly ScannerRun[];
  /** Tool → paths that it takes. A file that no tool takes may stay unexamined. */
  readonly taken: ReadonlyMap<string, ReadonlySet<string>>;
  /** Tool → paths that it read. */
  readonly examined: ReadonlyMap<string, ReadonlySet<string>>;
  /** Tool → path → why the tool could not read all of it. */
  readonly partial?: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Path → why it was kept from the scanners. */
  readonly skipped?: ReadonlyMap<string, string>;
}

/**
 * Accounts for every file of the change: examined by which tools, or skipped with the reason. Complete unless a file
 * that some tool takes was examined by none, or a scanner that had to run did not (contract).
 */
export function buildLedger(input: LedgerInput): Ledger {
  const takers = toolsByPath(input.taken);
  const readers = toolsByPath(input.examined);
  const partials = partialsByPath(input.partial ?? new Map());
  let missed = false;
  const files = input.change.files.map((file): LedgerFile => {
    const examinedBy = (readers.get(file.path) ?? []).sort();
    const takenBy = takers.get(file.path) ?? [];
    const partial = partials.get(file.path) ?? [];
    const isMissed = examinedBy.length === 0 && takenBy.length > 0 && file.status !== 'deleted';
    missed ||= isMissed;
    const skipped =
      examinedBy.length > 0 ? undefined : (input.skipped?.get(file.path) ?? reasonUnexamined(file, takenBy, partial));
    return {
      path: file.path,
      status: file.status,
      ...(file.previousPath === undefined ? {} : { previousPath: file.previousPath }),
      examinedBy,
      ...(partial.length === 0 ? {} : { partial }),
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

function toolsByPath(paths: ReadonlyMap<string, ReadonlySet<string>>): Map<string, string[]> {
  const tools = new Map<string, string[]>();
  for (const [tool, files] of paths) {
    for (const path of files) {
      const known = tools.get(path);
      if (known === undefined) tools.set(path, [tool]);
      else known.push(tool);
    }
  }
  return tools;
}

function partialsByPath(partial: ReadonlyMap<string, ReadonlyMap<string, string>>): Map<string, Partial[]> {
  const byPath = new Map<string, Partial[]>();
  for (const [tool, reasons] of [...partial].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const [path, reason] of reasons) byPath.set(path, [...(byPath.get(path) ?? []), { tool, reason }]);
  }
  return byPath;
}

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
