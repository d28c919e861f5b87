import type { Repository } from './repository.ts';
import type { Side } from './state.ts';

export interface Hunk {
  header: string;
  lines: string[];
  /** Line number on that side to its index in `lines`. */
  LEFT: Map<number, number>;
  RIGHT: Map<number, number>;
  /** Index of the hunk's header among the file's patch lines: what the old `position` counts from. */
  offset: number;
}

export interface DiffFile {
  path: string;
  previousPath?: string;
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'changed';
  blobSha: string;
  additions: number;
  deletions: number;
  binary: boolean;
  patch: string;
  hunks: Hunk[];
}

const STATUS: Record<string, DiffFile['status']> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  T: 'changed',
};
const cache = new WeakMap<Repository, Map<string, DiffFile[]>>();

export function mergeBase(repository: Repository, base: string, head: string): string {
  return repository.git('merge-base', base, head).trim();
}

/** What GitHub shows for a pull request: the three-dot diff, renames found, git's own order. */
export function listDiffFiles(repository: Repository, base: string, head: string): DiffFile[] {
  const known = cache.get(repository) ?? new Map<string, DiffFile[]>();
  cache.set(repository, known);
  const key = `${base}...${head}`;
  const files = known.get(key) ?? readDiff(repository, mergeBase(repository, base, head), head);
  known.set(key, files);
  return files;
}

/** The hunk of `path` that holds `line` on `side`. */
export function findHunk(files: DiffFile[], path: string, side: Side, line: number): Hunk | undefined {
  return files.find(file => file.path === path)?.hunks.find(hunk => hunk[side].has(line));
}

function readDiff(repository: Repository, base: string, head: string): DiffFile[] {
  const raw = repository.git('diff', '-M', '--raw', '-z', '--abbrev=40', base, head).split('\0');
  const patches = repository
    .git('diff', '-M', '--full-index', base, head)
    .split(/^(?=diff --git )/m)
    .filter(section => section !== '');
  const files: DiffFile[] = [];
  for (let at = 0; raw[at]?.startsWith(':'); ) {
    const [, , oldBlob = '', newBlob = '', letter = ''] = (raw[at++] ?? '').split(' ');
    const blobSha = letter === 'D' ? oldBlob : newBlob;
    const first = raw[at++] ?? '';
    const renamedTo = /^[RC]/.test(letter) ? raw[at++] : undefined;
    // A change of type (file to link) is one entry but two sections of the patch.
    const section = patches.splice(0, letter === 'T' ? 2 : 1).join('');
    files.push(toFile({ letter, blobSha, first, renamedTo, section }));
  }
  return files;
}

function toFile(entry: {
  letter: string;
  blobSha: string;
  first: string;
  renamedTo: string | undefined;
  section: string;
}): DiffFile {
  const start = entry.section.search(/^@@ /m);
  const patch = start < 0 ? '' : entry.section.slice(start).replace(/\n$/, '');
  const hunks = toHunks(patch);
  const count = (mark: string) => hunks.flatMap(hunk => hunk.lines).filter(line => line.startsWith(mark)).length;
  return {
    path: entry.renamedTo ?? entry.first,
    ...(entry.renamedTo === undefined ? {} : { previousPath: entry.first }),
    status: STATUS[entry.letter.charAt(0)] ?? 'modified',
    blobSha: entry.blobSha,
    additions: count('+'),
    deletions: count('-'),
    binary: /^Binary files .* differ$/m.test(start < 0 ? entry.section : ''),
    patch,
    hunks,
  };
}

function toHunks(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let left = 0;
  let right = 0;
  for (const [offset, line] of patch.split('\n').entries()) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    const hunk = hunks.at(-1);
    if (header !== null) {
      [left, right] = [Number(header[1]), Number(header[2])];
      hunks.push({ header: line, lines: [], LEFT: new Map(), RIGHT: new Map(), offset });
    } else if (hunk !== undefined) {
      const index = hunk.lines.push(line) - 1;
      if (line.startsWith('+') || line.startsWith(' ')) hunk.RIGHT.set(right++, index);
      if (line.startsWith('-') || line.startsWith(' ')) hunk.LEFT.set(left++, index);
    }
  }
  return hunks;
}
