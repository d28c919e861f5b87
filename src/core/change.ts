/** What happened to a path between the merge base and the head. `copied` only labels; placement ignores copies. */
export type ChangeStatus = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type-changed';

/** What the head (or, for a deletion, the base) holds at the path. */
export type FileKind = 'text' | 'binary' | 'symlink' | 'submodule';

export interface HunkLine {
  readonly type: 'context' | 'added' | 'deleted';
  /** Line number in the old file; absent for added lines. 1-based. */
  readonly oldLine?: number;
  /** Line number in the new file; absent for deleted lines. 1-based. */
  readonly newLine?: number;
  /** Text without its end of line; a carriage return before the newline is kept. */
  readonly text: string;
  /** True when the file ends here without a newline. */
  readonly noNewline?: boolean;
}

/** Consecutive lines of one type. */
export interface LineRun {
  readonly type: HunkLine['type'];
  readonly count: number;
}

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** The text after the second `@@`, often the enclosing function. */
  readonly section: string;
  /** Where reading them costs something, `runs` tells their types without it. */
  readonly lines: readonly HunkLine[];
  readonly runs?: readonly LineRun[];
}

export interface FileChange {
  /** POSIX, relative to the repository, bytes decoded as UTF-8 (invalid sequences become U+FFFD). */
  readonly path: string;
  /** The path's bytes in base64, only where they are not valid UTF-8. */
  readonly rawPath?: string;
  readonly previousPath?: string;
  readonly status: ChangeStatus;
  readonly kind: FileKind;
  /** Six octal digits; `000000` where the side does not exist. */
  readonly oldMode: string;
  readonly newMode: string;
  /** Full object ids; all zeros where the side does not exist or is not stored yet (working tree). */
  readonly oldBlob: string;
  readonly newBlob: string;
  readonly additions: number;
  readonly deletions: number;
  readonly hunks: readonly Hunk[];
}

/** A change: from `mergeBaseSha` to `headSha` (absent for a working tree or a plain folder). */
export interface Change {
  /** Tip of the base branch, where policy comes from. */
  readonly baseSha?: string;
  readonly mergeBaseSha?: string;
  readonly headSha?: string;
  /** True when every tracked file is reviewed and not a diff; `files` then lists them all as added, without hunks. */
  readonly wholeTree: boolean;
  readonly files: readonly FileChange[];
}

/** New-side line ranges of each hunk, both ends inclusive; hunks that only delete have none. */
export function rightRanges(file: FileChange): { start: number; end: number }[] {
  return file.hunks.filter(h => h.newLines > 0).map(h => ({ start: h.newStart, end: h.newStart + h.newLines - 1 }));
}

/** True when GitHub takes a comment on these new-side lines: both ends inside one hunk. */
export function isCommentable(file: FileChange, startLine: number, endLine: number): boolean {
  return startLine <= endLine && rightRanges(file).some(r => startLine >= r.start && endLine <= r.end);
}

/** New-side numbers of the lines that the change added or altered. */
export function addedLines(file: FileChange): Set<number> {
  const lines = new Set<number>();
  for (const hunk of file.hunks) {
    let next = firstNewLine(hunk);
    for (const { type, count } of runsOf(hunk)) {
      if (type === 'added') for (let line = next; line < next + count; line++) lines.add(line);
      if (type !== 'deleted') next += count;
    }
  }
  return lines;
}

/** Number that the hunk's first line has, or would have, in the new file. */
export const firstNewLine = (hunk: Hunk): number => (hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart);

/** Types of a hunk's lines, run by run. */
export const runsOf = (hunk: Hunk): readonly LineRun[] =>
  hunk.runs ?? hunk.lines.map(({ type }) => ({ type, count: 1 }));
