import type { Guard } from './guard.ts';
import type { ShownChange, ShownFileChange } from './shown-change.ts';

/** Characters of the diff that a prompt holds; what is beyond is there for get_diff. */
export const MAX_DIFF_CHARS = 150_000;
const MAX_LISTED_FILES = 1_000;
/** A file's beginning alone is not worth showing below this. */
const LEAST_PART_CHARS = 2_000;

/** One line a changed file. */
export function renderSummary({ files, left }: ShownChange, guard: Guard): string {
  const shown = files.map(({ path, file }) => `${file.status} +${file.additions} -${file.deletions} ${path}`);
  const rest = left.map(({ path, reason }) => `not shown: ${guard.cleanLine('path', path)} (${reason})`);
  const rows = [...shown, ...rest];
  const more = rows.length > MAX_LISTED_FILES ? [`... [${rows.length - MAX_LISTED_FILES} more files]`] : [];
  return ['changed files:', ...rows.slice(0, MAX_LISTED_FILES), ...more].join('\n');
}

export interface RenderedDiff {
  readonly text: string;
  readonly maxChars: number;
  /** Files that the text holds whole. */
  readonly whole: readonly ShownFileChange[];
  /** Files that it holds in part or not at all. */
  readonly cut: readonly ShownFileChange[];
}

/** The diff in its order as far as it fits; a file that does not fit whole is cut at a line and says so. */
export function renderDiff({ files }: ShownChange, maxChars = MAX_DIFF_CHARS): RenderedDiff {
  const parts: string[] = [];
  const whole: ShownFileChange[] = [];
  const cut: ShownFileChange[] = [];
  const missing: string[] = [];
  let left = maxChars;
  for (const file of files) {
    const fits = file.text.length <= left;
    (fits ? whole : cut).push(file);
    if (fits) parts.push(file.text);
    else if (left >= LEAST_PART_CHARS) parts.push(cutAtLine(file.text, left));
    else missing.push(file.path);
    left -= Math.min(left, file.text.length);
  }
  if (missing.length > 0) parts.push(`... [not shown for length, use get_diff: ${missing.join(', ').slice(0, 4_000)}]`);
  return { text: parts.join('\n'), maxChars, whole, cut };
}

function cutAtLine(text: string, maxChars: number): string {
  const end = text.lastIndexOf('\n', maxChars);
  const cut = text.slice(end < 0 ? maxChars : end + 1);
  return `${text.slice(0, end < 0 ? maxChars : end)}\n... [${cut.split('\n').length} more lines, use get_diff or read_file]`;
}
