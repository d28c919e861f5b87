import parseDiff from 'parse-diff';
import type { Hunk, HunkLine } from '../core/change.ts';
import { CypherFixError } from '../core/errors.ts';

/** Consecutive lines of one type. `noNewline` belongs to the last of them. */
export interface LineRun {
  readonly type: HunkLine['type'];
  count: number;
  noNewline: boolean;
}

export interface HunkParts {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly section: string;
  readonly runs: readonly LineRun[];
  /** The hunk's lines as git printed them; null where they were too long to keep. */
  readonly bytes: Buffer | null;
}

/**
 * A hunk whose lines are parsed each time they are asked for, so that a change of a million lines costs its bytes and no
 * more. `lines` is an enumerable accessor: spreading or serialising a hunk gives plain lines.
 */
export function toHunk(parts: HunkParts): Hunk {
  const { oldStart, oldLines, newStart, newLines, section } = parts;
  let last: WeakRef<readonly HunkLine[]> | null = null;
  return {
    oldStart,
    oldLines,
    newStart,
    newLines,
    section,
    get lines() {
      const lines = last?.deref() ?? (parts.bytes === null ? toTextlessLines(parts) : parseLines(parts, parts.bytes));
      last = new WeakRef(lines);
      return lines;
    },
  };
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
