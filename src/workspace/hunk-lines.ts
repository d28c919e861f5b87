import parseDiff from 'parse-diff';
import type { Hunk, HunkLine, LineRun } from '../core/change.ts';
import { CypherFixError } from '../core/errors.ts';

/** `noNewline` belongs to the last of its lines. */
export interface PatchRun extends LineRun {
  readonly noNewline: boolean;
}

export interface HunkParts {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly section: string;
  readonly runs: readonly PatchRun[];
  /** The hunk's lines as git printed them; null where they were too long to keep. */
  readonly bytes: Buffer | null;
}

/**
 * A hunk whose lines are parsed each time they are asked for, so that a change of a million lines costs its bytes and no
 * more. `lines` is an enumerable accessor: spreading or serialising a hunk gives plain lines.
 */
export function toHunk(parts: HunkParts): Hunk {
  const { oldStart, oldLines, newStart, newLines, section, runs, bytes } = parts;
  let last: WeakRef<readonly HunkLine[]> | null = null;
  const hunk: Hunk = {
    oldStart,
    oldLines,
    newStart,
    newLines,
    section,
    get lines() {
      const lines = last?.deref() ?? (bytes === null ? toTextlessLines(parts) : parseLines(parts, bytes));
      last = new WeakRef(lines);
      return lines;
    },
  };
  // Not enumerable: they say nothing that the lines do not.
  Object.defineProperty(hunk, 'runs', { value: runs });
  if (bytes !== null) printed.set(hunk, bytes);
  return hunk;
}

/** What git printed of the hunks made here. */
const printed = new WeakMap<Hunk, Buffer>();

/**
 * False where none of the hunk's lines can match, which is known without reading them one by one. `pattern` matches ASCII
 * within a line.
 */
export function mayMatchLine(hunk: Hunk, pattern: RegExp): boolean {
  const bytes = printed.get(hunk);
  return bytes === undefined || pattern.test(bytes.toString('latin1'));
}

// parse-diff reads hunks by count and numbers their lines rightly. It never sees git's own file headers, of which it
// mistakes several (quoted names, names with ` b/`, binaries, copies): ADR 11.
function parseLines(parts: HunkParts, bytes: Buffer): HunkLine[] {
  const header = `@@ -${parts.oldStart},${parts.oldLines} +${parts.newStart},${parts.newLines} @@`;
  const [file] = parseDiff(`diff --git a/f b/f\n${header}\n${bytes.toString('utf8')}`);
  const lines: HunkLine[] = [];
  for (const change of file?.chunks[0]?.changes ?? []) {
    if (change.content.startsWith('\\')) {
      const previous = lines.pop();
      if (previous !== undefined) lines.push({ ...previous, noNewline: true });
      continue;
    }
    const text = change.content.slice(1);
    if (change.type === 'add') lines.push({ type: 'added', newLine: change.ln, text });
    else if (change.type === 'del') lines.push({ type: 'deleted', oldLine: change.ln, text });
    else lines.push({ type: 'context', oldLine: change.ln1, newLine: change.ln2, text });
  }
  const expected = parts.runs.reduce((sum, run) => sum + run.count, 0);
  if (lines.length !== expected) {
    throw new CypherFixError('internal', `hunk ${header} was read as ${lines.length} lines instead of ${expected}`);
  }
  return lines;
}

function toTextlessLines(parts: HunkParts): HunkLine[] {
  const lines: HunkLine[] = [];
  let oldLine = parts.oldStart;
  let newLine = parts.newStart;
  for (const run of parts.runs) {
    for (let left = run.count; left > 0; left -= 1) {
      const end = left === 1 && run.noNewline ? { noNewline: true } : {};
      if (run.type === 'added') lines.push({ type: 'added', newLine: newLine++, text: '', ...end });
      else if (run.type === 'deleted') lines.push({ type: 'deleted', oldLine: oldLine++, text: '', ...end });
      else lines.push({ type: 'context', oldLine: oldLine++, newLine: newLine++, text: '', ...end });
    }
  }
  return lines;
}
