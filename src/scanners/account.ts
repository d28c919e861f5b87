import type { ScannerRun } from '../core/ledger.ts';
import { type JobFiles, recordOf } from './job-files.ts';
import type { ParsedScan, Scanner } from './scanner.ts';
import type { FileRecord } from './snapshot.ts';

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
}

function accountForScanner(files: JobFiles, { scanner, scan }: Scanned): Sheet {
  const taken = files.records.filter(record => isTaken(record, scanner, files));
  const partial = new Map<FileRecord, string>();
  for (const record of taken) {
    const reason = scanner.languages.flatMap(language => record.limited.get(language) ?? [])[0];
    if (reason !== undefined) partial.set(record, reason);
  }
  for (const [jobPath, reason] of scan.partial) {
    const record = recordOf(jobPath, files)?.record;
    if (record !== undefined) partial.set(record, reason);
  }
  const examined = new Set<FileRecord>();
  if (scan.examined === undefined) {
    if (scan.failure === undefined) for (const record of taken) examined.add(record);
  } else {
    for (const jobPath of scan.examined) {
      const record = recordOf(jobPath, files)?.record;
      if (record !== undefined) examined.add(record);
    }
    if (scan.failure === undefined) {
      for (const record of taken)
        if (!examined.has(record) && !partial.has(record)) partial.set(record, 'left out by the tool without a reason');
    }
  }
  return { taken, examined, partial };
}

function isTaken(record: FileRecord, scanner: Scanner, files: JobFiles): boolean {
  if (scanner.name === 'gitleaks') return record.secrets;
  if (scanner.name === 'gosec') return record.sent.has('go') && files.go !== undefined;
  return scanner.languages.some(language => record.sent.has(language));
}

function toStatus(scan: ParsedScan, { taken, examined, partial }: Sheet): Status {
  const filesExamined = examined.size;
  if (scan.failure !== undefined) {
    return {
      status: scan.failure.startsWith('timed out') ? 'timed-out' : 'failed',
      filesExamined,
      message: scan.failure,
    };
  }
  if (taken.length > 0 && filesExamined === 0 && partial.size === 0)
    return { status: 'failed', filesExamined, message: 'examined none of its files' };
  if (taken.length === 0) return { status: 'skipped', filesExamined, message: 'no such files' };
  return { status: 'ok', filesExamined };
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
