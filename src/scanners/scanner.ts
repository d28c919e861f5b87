import type { Severity } from '../core/finding.ts';
import type { SnapshotEntry, StepResult } from '../sandbox/sandbox.ts';
import type { Language } from './languages.ts';
import type { LineStyle } from './line-positions.ts';

/** A command of a scanner; run-scanners.ts adds what is the same for all. */
export interface StepPlan {
  /** Unique over all scanners: the scanner's name, or `<name>-<part>` for a second command. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A file with a known fault that proves a scanner read the folder beside it. Its findings never count. */
export interface Canary {
  /** Relative to /work. */
  readonly path: string;
  readonly content: string;
}

export interface ScanContext {
  /** Languages of the files to be scanned. */
  readonly languages: ReadonlySet<Language>;
  /** Folder of the canaries, `cypherfix-canary-<random>`. */
  readonly canaryFolder: string;
  readonly canaryToken: string;
}

export interface ScanPlan {
  /** Empty: nothing here for this scanner, it is not started. */
  readonly steps: readonly StepPlan[];
  readonly canaries: readonly Canary[];
  /** Configuration of ours, paths relative to /work. */
  readonly files: readonly SnapshotEntry[];
  readonly late?: LateFiles;
}

/** Configuration that hangs on what is sent. */
export interface LateFiles {
  /** Is shown every copy and canary. */
  see(entry: SnapshotEntry): void;
  /** Asked for once, after the last of them. */
  files(): readonly SnapshotEntry[];
}

/** A finding in terms of the job: the path below /work, lines as the tool counts them. */
export interface ToolFinding {
  /** The tool's own id, bare. */
  readonly ruleId: string;
  readonly title: string;
  readonly message: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly cwe: readonly string[];
  readonly help?: string;
  readonly jobPath: string;
  readonly startLine: number;
  readonly endLine: number;
  /** 1-based; the end is exclusive. Absent where the tool gives none that can be trusted. */
  readonly startColumn?: number;
  readonly endColumn?: number;
  /** Replacement of the matched text, when the rule has one. */
  readonly replacement?: string;
  /** Globs on the real path, applied after mapping. */
  readonly paths?: readonly string[];
  readonly notPaths?: readonly string[];
}

export interface ParsedScan {
  readonly findings: readonly ToolFinding[];
  /** Job paths that the tool says it read; undefined when it does not tell and the canary alone proves the run. */
  readonly examined?: ReadonlySet<string>;
  /** Bytes that the tool says it read, where it gives a sum and no names. */
  readonly bytesExamined?: number;
  /** Job path → why the tool could not read all of it. */
  readonly partial: ReadonlyMap<string, string>;
  /** What the reader of the report should know beside that. */
  readonly notices?: readonly string[];
  /** The whole run counts as failed; what was found before still counts. */
  readonly failure?: string;
}

export interface Scanner {
  readonly name: string;
  /** Languages whose shared copies it reads; gitleaks reads every text and has none. */
  readonly languages: readonly Language[];
  readonly lineStyle: LineStyle;
  /** Unit of the columns that it prints. */
  readonly columns: 'utf16' | 'byte';
  plan(context: ScanContext): ScanPlan;
  /** Pure: raw results in, findings out; knows what the exit codes mean. Never throws on rubbish, but says so. */
  parse(results: ReadonlyMap<string, StepResult>): ParsedScan;
}

/** Folders of the snapshot, relative to /work. */
export const FOLDER = {
  /** Copies that all language scanners share. */
  shared: 'src',
  /** Copies with the token `ast-grep-ignore` left in, for all but ast-grep … */
  plain: 'plain',
  /** … and the same files for ast-grep, the token blanked. */
  blanked: 'blanked',
  secrets: 'secrets',
  go: 'go',
  config: 'config',
} as const;

export const inJob = (path: string): string => `/work/${path}`;

/** A path as a tool prints it, made relative to /work. */
export function toJobPath(path: string): string {
  return path.replace(/^\/work\//, '').replace(/^\.\//, '');
}

export const failedScan = (failure: string): ParsedScan => ({ findings: [], partial: new Map(), failure });
