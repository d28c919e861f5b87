import type { ScannerRun } from '../core/ledger.ts';
import { type JobFiles, recordOf } from './job-files.ts';
import type { ParsedScan, Scanner } from './scanner.ts';
import { EMPTY, type FileRecord } from './snapshot.ts';

/** What became of every file, by real path. */
export interface Account {
  /** Path → tools that were given a copy; a file that none was given may stay unexamined. */
  readonly taken: ReadonlyMap<string, readonly string[]>;
  readonly examined: ReadonlyMap<string, readonly string[]>;
  readonly partial: ReadonlyMap<string, readonly { readonly tool: string; readonly reason: string }[]>;
  readonly skipped: ReadonlyMap<string, string>;
}

interface Scanned {
  readonly scanner: Scanner;
  readonly scan: ParsedScan;
  readonly started: boolean;
}

type Status = Pick<ScannerRun, 'status' | 'filesExamined' | 'message'>;

/** Compares the files that each scanner was given with those it read. */
export function accountFor(files: JobFiles, scans: readonly Scanned[]): Account & { statusOf(name: string): Status } {
  const taken = new Map<string, string[]>();
  const examined = new Map<string, string[]>();
  const partial = new Map<string, { tool: string; reason: string }[]>();
  const statuses = new Map<string, Status>();
  for (const scanned of scans) {
    if (!scanned.started) continue;
    const tool = scanned.scanner.name;
    const sheet = accountForScanner(files, scanned);
    for (const record of sheet.taken) push(taken, record.path, tool);
    for (const record of sheet.examined) push(examined, record.path, tool);
    for (const [record, reason] of sheet.partial) push(partial, record.path, { tool, reason });
    statuses.set(tool, toStatus(scanned.scan, sheet));
  }
  const skipped = new Map(
    files.records.flatMap(record => (record.skipped === undefined ? [] : [[record.path, record.skipped] as const])),
  );
  return {
    taken,
    examined,
    partial,
    skipped,
    statusOf: name => statuses.get(name) ?? { status: 'skipped', filesExamined: 0 },
  };
}

interface Sheet {
  readonly taken: readonly FileRecord[];
  readonly examined: ReadonlySet<FileRecord>;
  readonly partial: ReadonlyMap<FileRecord, string>;
  /** How many files the tool neither read nor refused. */
  readonly leftOut: number;
  /** True when it would have been given files but for their being empty. */
  readonly hasEmpty: boolean;
}

function accountForScanner(files: JobFiles, { scanner, scan }: Scanned): Sheet {
  const taken = files.records.filter(record => isTaken(record, scanner, files));
  const examined = examinedBy(files, scan, taken);
  const partial = partialOf(files, scanner, scan);
  const leftOut =
    scan.failure === undefined ? taken.filter(record => !examined.has(record) && !partial.has(record)) : [];
  for (const record of leftOut) partial.set(record, 'left out by the tool without a reason');
  const hasEmpty = files.records.some(record => record.skipped === EMPTY && isFor(record, scanner));
  return { taken, examined, partial, leftOut: leftOut.length, hasEmpty };
}

/** What the tool names, or all that it was given when it names nothing and its run is proved otherwise. */
function examinedBy(files: JobFiles, scan: ParsedScan, taken: readonly FileRecord[]): Set<FileRecord> {
  if (scan.examined === undefined) return new Set(scan.failure === undefined ? taken : []);
  return new Set([...scan.examined].flatMap(jobPath => recordOf(jobPath, files)?.record ?? []));
}

function partialOf(files: JobFiles, scanner: Scanner, scan: ParsedScan): Map<FileRecord, string> {
  const partial = new Map<FileRecord, string>();
  for (const record of files.records) {
    const reason = scanner.languages.flatMap(language => record.limited?.get(language) ?? [])[0];
    if (reason !== undefined) partial.set(record, reason);
  }
  for (const [jobPath, reason] of scan.partial) {
    const record = recordOf(jobPath, files)?.record;
    // Go's package layout holds empty files too; that gosec misses the package clause in one says nothing more.
    if (record !== undefined && record.skipped !== EMPTY) partial.set(record, reason);
  }
  return partial;
}

function isTaken(record: FileRecord, scanner: Scanner, files: JobFiles): boolean {
  if (scanner.name === 'gitleaks') return record.secrets;
  if (scanner.name === 'gosec') return record.sent.includes('go') && files.go !== undefined;
  return scanner.languages.some(language => record.sent.includes(language));
}

function isFor(record: FileRecord, scanner: Scanner): boolean {
  const languages = scanner.name === 'gosec' ? ['go'] : scanner.languages;
  return scanner.name === 'gitleaks' || record.views.some(view => languages.includes(view.language));
}

function toStatus(scan: ParsedScan, { taken, examined, leftOut, hasEmpty }: Sheet): Status {
  const filesExamined = examined.size;
  if (scan.failure !== undefined) {
    return {
      status: scan.failure.startsWith('timed out') ? 'timed-out' : 'failed',
      filesExamined,
      message: scan.failure,
    };
  }
  if (filesExamined === 0 && leftOut > 0)
    return { status: 'failed', filesExamined, message: 'examined none of its files' };
  if (taken.length === 0)
    return { status: 'skipped', filesExamined, message: hasEmpty ? 'only empty files' : 'no such files' };
  return { status: 'ok', filesExamined };
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
