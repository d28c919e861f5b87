import { CypherFixError } from '../core/errors.ts';
import type { HunkParts, PatchRun } from './hunk-lines.ts';
import { type ByteList, createByteList, createLineScanner } from './line-scanner.ts';

/** What a patch says about one file pair. Paths, modes and status come from the raw records, never from here. */
export interface PatchSection {
  readonly hunks: HunkParts[];
  binary: boolean;
  /** From the `index` line: `<old>..<new>`; empty when git prints none (renames and mode changes alone). */
  blobs: string;
  additions: number;
  deletions: number;
}

export interface PatchLimits {
  /** Bytes of hunk lines kept for one file; hunks beyond it have line numbers and no texts. */
  readonly fileBytes: number;
  /** The same for the whole change. */
  readonly changeBytes: number;
}

export interface PatchSplitter {
  push(chunk: Buffer): void;
  /** Throws when the patch ends within a hunk. */
  end(): PatchSection[];
}

type OpenRun = { -readonly [key in keyof PatchRun]: PatchRun[key] };

interface OpenHunk {
  readonly parts: Omit<HunkParts, 'bytes' | 'runs'> & { readonly runs: OpenRun[] };
  oldLeft: number;
  newLeft: number;
  kept: ByteList | null;
}

/**
 * Splits `git diff --patch` output into sections, one a `diff --git` line. Lines inside a hunk are counted, so that no
 * file content passes for a header. Throws on anything unexpected: never a partial result.
 */
export function createPatchSplitter(limits: PatchLimits): PatchSplitter {
  const sections: PatchSection[] = [];
  let hunk: OpenHunk | null = null;
  let fileLeft = limits.fileBytes;
  let changeLeft = limits.changeBytes;

  const closeHunk = (): void => {
    if (hunk === null) return;
    if (hunk.oldLeft !== 0 || hunk.newLeft !== 0) throw broken('a hunk is shorter than its header says');
    fileLeft -= hunk.kept?.length ?? 0;
    changeLeft -= hunk.kept?.length ?? 0;
    sections.at(-1)?.hunks.push({ ...hunk.parts, bytes: hunk.kept?.toBuffer() ?? null });
    hunk = null;
  };

  const takeHunkLine = (open: OpenHunk, section: PatchSection, first: number): void => {
    const type = first === 0x2b ? 'added' : first === 0x2d ? 'deleted' : 'context';
    if (type === 'context' && first !== 0x20) throw broken('a hunk line starts with neither space, plus nor minus');
    if (type !== 'added') open.oldLeft -= 1;
    if (type !== 'deleted') open.newLeft -= 1;
    if (open.oldLeft < 0 || open.newLeft < 0) throw broken('a hunk is longer than its header says');
    if (type === 'added') section.additions += 1;
    if (type === 'deleted') section.deletions += 1;
    const run = open.parts.runs.at(-1);
    if (run?.type === type) run.count += 1;
    else open.parts.runs.push({ type, count: 1, noNewline: false });
  };

  const takeHeader = (line: Buffer): void => {
    const text = line.toString('latin1');
    if (text.startsWith('diff --git ')) {
      closeHunk();
      sections.push({ hunks: [], binary: false, blobs: '', additions: 0, deletions: 0 });
      fileLeft = limits.fileBytes;
      return;
    }
    const section = sections.at(-1);
    if (section === undefined) throw broken(`it starts with ${JSON.stringify(text.slice(0, 80))}`);
    if (text.startsWith('@@ ')) {
      closeHunk();
      hunk = openHunk(line);
    } else if (hunk !== null) throw broken(`unexpected line after a hunk: ${JSON.stringify(text.slice(0, 80))}`);
    else if (text.startsWith('Binary files ')) section.binary = true;
    else if (text.startsWith('index ')) section.blobs = text.slice('index '.length).split(' ')[0] ?? '';
  };

  const keep = (open: OpenHunk, line: Buffer | null): void => {
    if (open.kept === null) return;
    const needed = open.kept.length + (line?.length ?? 0) + 1;
    if (line === null || needed > fileLeft || needed > changeLeft) open.kept = null;
    else open.kept.addLine(line);
  };

  const lines = createLineScanner(Math.min(limits.fileBytes, limits.changeBytes), (line, first) => {
    const section = sections.at(-1);
    if (hunk !== null && section !== undefined && (hunk.oldLeft > 0 || hunk.newLeft > 0) && first !== 0x5c) {
      takeHunkLine(hunk, section, first);
      keep(hunk, line);
    } else if (hunk !== null && first === 0x5c) {
      const run = hunk.parts.runs.at(-1);
      if (run === undefined) throw broken('a hunk starts with a note about a missing newline');
      run.noNewline = true;
      // A run ends with the line that lacks the newline.
      keep(hunk, line);
    } else if (line === null) throw broken('a header is too long');
    else takeHeader(line);
  });

  return {
    push: lines.push,
    end() {
      lines.end();
      closeHunk();
      return sections;
    },
  };
}

function openHunk(line: Buffer): OpenHunk {
  const match = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?/.exec(line.toString('latin1'));
  if (match === null) throw broken(`bad hunk header ${JSON.stringify(line.toString('utf8').slice(0, 80))}`);
  const oldLines = Number(match[2] ?? 1);
  const newLines = Number(match[4] ?? 1);
  const section = line.toString('utf8', match[0].length);
  const parts = { oldStart: Number(match[1]), oldLines, newStart: Number(match[3]), newLines, section, runs: [] };
  return { parts, oldLeft: oldLines, newLeft: newLines, kept: createByteList() };
}

function broken(why: string): CypherFixError {
  return new CypherFixError('internal', `git's patch could not be read: ${why}`);
}
