import type { Change, ChangeStatus, FileChange, FileKind } from '../core/change.ts';
import { CypherFixError } from '../core/errors.ts';
import type { TreeEntry } from '../core/tree.ts';
import type { Git } from './git.ts';
import { toHunk } from './hunk-lines.ts';
import { createPatchSplitter, type PatchLimits, type PatchSection } from './patch-splitter.ts';
import { createRawDiffParser, type RawRecord } from './raw-diff.ts';
import { toKind, toPathFields } from './tree-paths.ts';

const LIMITS: PatchLimits = { fileBytes: 4 * 1024 * 1024, changeBytes: 64 * 1024 * 1024 };

// Renames as GitHub shows them; everything that settings could change is said.
const DIFF = ['diff', '--raw', '-z', '-M', '-l0', '--no-abbrev', '--full-index', '--no-ext-diff', '--no-textconv'];
const FORMAT = [
  '--no-color',
  '--submodule=short',
  '--ignore-submodules=none',
  '--diff-algorithm=myers',
  '--no-relative',
];
const PATCH = ['--patch', '--unified=3', '--inter-hunk-context=0', '--indent-heuristic', '--src-prefix=a/'];

export interface ChangeCommits {
  readonly baseSha?: string | undefined;
  readonly mergeBaseSha: string;
  /** A commit, or the tree of a work tree's snapshot. */
  readonly head: string;
  /** Absent for a work tree. */
  readonly headSha?: string | undefined;
}

/**
 * The change from the merge base to the head, as `git diff -M -l0` computes it from objects alone. Line texts are kept up
 * to 4 MiB of diff a file and 64 MiB a change; hunks beyond have their ranges, line types and numbers, and empty texts.
 * Anything that cannot be read is an error, never a part of the change.
 */
export async function readChange(git: Git, commits: ChangeCommits, limits: PatchLimits = LIMITS): Promise<Change> {
  const { baseSha, mergeBaseSha, head, headSha } = commits;
  let copying: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  const lookForCopies = (records: readonly RawRecord[]): void => {
    if (mayHoldCopies(records)) copying = readCopies(git, mergeBaseSha, head);
    // Awaited below; the patch may fail first.
    copying.catch(() => {});
  };
  const { records, sections } = await readDiff(git, mergeBaseSha, head, { ...limits, onRecords: lookForCopies });
  const copies = await copying;
  return {
    ...(baseSha === undefined ? {} : { baseSha }),
    mergeBaseSha,
    ...(headSha === undefined ? {} : { headSha }),
    wholeTree: false,
    files: pair(records, sections).map(([record, own]) => toFileChange(record, own, copies)),
  };
}

/** Every file of a tree as added, without hunks: what a review of the whole tree looks at. */
export function toWholeTreeChange(
  entries: readonly TreeEntry[],
  commits: { readonly baseSha?: string | undefined; readonly headSha?: string | undefined },
): Change {
  // One text and one list for all of fifty thousand files.
  const absentBlob = '0'.repeat(entries[0]?.blob?.length ?? 40);
  const hunks: FileChange['hunks'] = [];
  const files = entries.map(({ path, rawPath, kind, mode, blob = absentBlob }): FileChange => {
    return {
      path,
      ...(rawPath === undefined ? {} : { rawPath }),
      status: 'added',
      kind,
      oldMode: '000000',
      newMode: mode,
      oldBlob: absentBlob,
      newBlob: blob,
      additions: 0,
      deletions: 0,
      hunks,
    };
  });
  const { baseSha, headSha } = commits;
  return {
    ...(baseSha === undefined ? {} : { baseSha }),
    ...(headSha === undefined ? {} : { headSha }),
    wholeTree: true,
    files,
  };
}

/** Reads records and patch; `onRecords` gets the records while git still prints the patch. */
async function readDiff(
  git: Git,
  from: string,
  to: string,
  { onRecords, ...limits }: PatchLimits & { readonly onRecords: (records: readonly RawRecord[]) => void },
) {
  const records: RawRecord[] = [];
  const raw = createRawDiffParser(record => records.push(record));
  const patch = createPatchSplitter(limits);
  let inPatch = false;
  const take = (chunk: Buffer): void => {
    const rest = inPatch ? chunk : raw.push(chunk);
    if (rest === null) return;
    if (!inPatch) onRecords(records);
    inPatch = true;
    patch.push(rest);
  };
  await git.stream([...DIFF, ...FORMAT, ...PATCH, '--dst-prefix=b/', '--end-of-options', from, to], take);
  if (!inPatch && !raw.atBoundary) throw new CypherFixError('internal', "git's list of changed files ends early");
  return { records, sections: patch.end() };
}

/** Git looks for the source of a copy among the files that the change touches otherwise. */
const mayHoldCopies = (records: readonly RawRecord[]): boolean =>
  records.some(record => record.status === 'A') && records.some(record => record.status !== 'A');

/**
 * New paths (latin1) that git takes for copies. A copy is a label only: its hunks stay those of an added file. So git may
 * give up on likeness where there are many files; renames, which decide what is shown, have no such limit.
 */
async function readCopies(git: Git, from: string, to: string): Promise<ReadonlySet<string>> {
  const copies = new Set<string>();
  const raw = createRawDiffParser(record => {
    if (record.status === 'C') copies.add(record.newPath.toString('latin1'));
  });
  await git.stream([...DIFF, '-C', '-l400', ...FORMAT, '--diff-filter=C', '--end-of-options', from, to], chunk =>
    raw.push(chunk),
  );
  return copies;
}

type OwnSections = readonly PatchSection[];

/** Gives each record its sections. A change of type is printed as a deletion and an addition, all else as one section. */
function pair(records: readonly RawRecord[], sections: OwnSections): (readonly [RawRecord, OwnSections])[] {
  let at = 0;
  const paired = records.map(record => {
    const own = sections.slice(at, at + (record.status === 'T' ? 2 : 1));
    at += own.length;
    const blobs = own.length === 1 ? own[0]?.blobs : '';
    if (own.length === 0 || (blobs && blobs !== `${record.oldBlob}..${record.newBlob}`)) throw mismatch(record);
    return [record, own] as const;
  });
  if (at !== sections.length) throw new CypherFixError('internal', 'git printed more patches than changed files');
  return paired;
}

function toFileChange(record: RawRecord, sections: OwnSections, copies: ReadonlySet<string>): FileChange {
  const status = toStatus(record, copies);
  const { oldMode, newMode, oldBlob, newBlob } = record;
  const moved = status === 'renamed' ? { previousPath: record.oldPath.toString('utf8') } : {};
  const names = toPathFields(record.newPath);
  return {
    ...names,
    ...moved,
    status,
    kind: toFileKind(status === 'deleted' ? oldMode : newMode, names.path, sections),
    oldMode,
    newMode,
    oldBlob,
    newBlob,
    additions: sections.reduce((sum, section) => sum + section.additions, 0),
    deletions: sections.reduce((sum, section) => sum + section.deletions, 0),
    hunks: sections.flatMap(section => section.hunks.map(toHunk)),
  };
}

const STATUS: Record<string, ChangeStatus> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'type-changed',
};

function toStatus(record: RawRecord, copies: ReadonlySet<string>): ChangeStatus {
  const status = STATUS[record.status];
  if (status === undefined) throw mismatch(record);
  return status === 'added' && copies.has(record.newPath.toString('latin1')) ? 'copied' : status;
}

function toFileKind(mode: string, path: string, sections: OwnSections): FileKind {
  const kind = toKind(mode, path);
  if (kind === 'symlink' || kind === 'submodule') return kind;
  if (sections.some(section => section.binary)) return 'binary';
  // Hunks prove text; without any, only the name can tell.
  return sections.some(section => section.hunks.length > 0) ? 'text' : kind;
}

function mismatch(record: RawRecord): CypherFixError {
  const path = JSON.stringify(record.newPath.toString('utf8'));
  return new CypherFixError('internal', `git's patch and its list of changed files disagree at ${path}`);
}
