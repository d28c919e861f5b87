import type { FileChange, Hunk, HunkLine } from '../core/change.ts';
import type { FileReader, ShownLines } from './file-reader.ts';
import type { Guard } from './guard.ts';

/** A line of a hunk as a model sees it. */
export interface ShownHunkLine {
  readonly type: HunkLine['type'];
  readonly newLine?: number;
  readonly shown: string;
  readonly raw: string;
}

export interface ShownFileChange {
  readonly file: FileChange;
  /** The path as a model sees it. */
  readonly path: string;
  readonly hunks: readonly (readonly ShownHunkLine[])[];
  /** Header and hunks. */
  readonly text: string;
}

/** The part of a change that models read, and what they do not read with the reason. */
export interface ShownChange {
  readonly files: readonly ShownFileChange[];
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

export interface ShownChangeOptions {
  readonly files: readonly FileChange[];
  readonly isIgnored: (path: string) => boolean;
  readonly maxFiles: number;
  readonly reader: FileReader;
  readonly guard: Guard;
}

/** Hunks as models read them: cleaned, secrets masked by the look of the whole file and not of the hunk alone. */
export async function showChange(options: ShownChangeOptions): Promise<ShownChange> {
  const files: ShownFileChange[] = [];
  const left: { path: string; reason: string }[] = [];
  for (const file of options.files) {
    const reason = whyLeft(file, options, files.length);
    if (reason !== null) left.push({ path: file.path, reason });
    else files.push(await showFile(file, options));
  }
  return { files, left };
}

function whyLeft(file: FileChange, { isIgnored, maxFiles }: ShownChangeOptions, taken: number): string | null {
  if (isIgnored(file.path)) return 'the policy keeps it from models';
  if (file.kind !== 'text') return `a ${file.kind}`;
  return taken >= maxFiles ? `more than ${maxFiles} files` : null;
}

async function showFile(file: FileChange, { reader, guard }: ShownChangeOptions): Promise<ShownFileChange> {
  const path = guard.cleanLine('path', file.path);
  const head = file.status === 'deleted' ? null : await reader.read(file.path, file.rawPath);
  const lines = head?.status === 'ok' ? head.lines : null;
  const hunks = file.hunks.map(hunk => showHunk(hunk, lines, guard));
  const from = file.previousPath === undefined ? '' : `, from ${guard.cleanLine('path', file.previousPath)}`;
  const header = `=== ${path} (${file.status}, +${file.additions} -${file.deletions}${from})`;
  const bodies = hunks.map((hunk, at) => [toHunkHeader(file.hunks[at], guard), ...hunk.map(toRow)].join('\n'));
  return { file, path, hunks, text: [header, ...bodies].join('\n') };
}

/** New lines come from the cleaned file, old ones are cleaned together; so are new ones that the file holds otherwise. */
function showHunk(hunk: Hunk, head: ShownLines | null, guard: Guard): ShownHunkLine[] {
  const side = (takes: (line: HunkLine) => boolean) => {
    let shown: readonly string[] | null = null;
    const clean = () => guard.clean('code', hunk.lines.filter(takes).map(textOf).join('\n')).split('\n');
    return (at: number) => {
      // Most hunks never ask for one of the sides, and cleaning is most of the work.
      shown ??= clean();
      return shown[at] ?? '';
    };
  };
  const old = side(line => line.type !== 'added');
  const fresh = side(line => line.type !== 'deleted');
  let [oldAt, newAt] = [0, 0];
  return hunk.lines.map(line => {
    const raw = textOf(line);
    const { type, newLine } = line;
    if (type !== 'added') oldAt += 1;
    if (type === 'deleted' || newLine === undefined) return { type, shown: old(oldAt - 1), raw };
    const at = newAt++;
    const shown = head?.raw[newLine - 1] === raw ? (head.shown[newLine - 1] ?? '') : fresh(at);
    return { type, newLine, shown, raw };
  });
}

function toHunkHeader(hunk: Hunk | undefined, guard: Guard): string {
  if (hunk === undefined) return '@@';
  const { oldStart, oldLines, newStart, newLines, section } = hunk;
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@ ${guard.cleanLine('code', section)}`.trimEnd();
}

const SIGNS = { added: '+', deleted: '-', context: ' ' } as const;
const toRow = ({ type, shown }: ShownHunkLine): string => SIGNS[type] + shown;
const textOf = (line: HunkLine): string => withoutReturn(line.text);
const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);
