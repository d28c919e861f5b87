import type { Change, FileChange } from '../core/change.ts';
import { CypherFixError } from '../core/errors.ts';
import type { History, ReadResult, Tree } from '../core/tree.ts';
import { createFolderTree } from './folder-tree.ts';
import { readHistory } from './history.ts';
import { createInspection, type Inspection } from './inspection.ts';
import { findMergeBase } from './merge-base.ts';
import type { ObjectReader } from './object-reader.ts';
import { type GitUse, listFilesAt, openSession, readFileAt, type Session } from './open-session.ts';
import { readChange, toWholeTreeChange } from './read-change.ts';
import { findCommit, resolveCommit } from './revisions.ts';
import { createGitTree, readBlob } from './tree.ts';
import { snapshotWorkingTree } from './working-tree.ts';

/** What one review looks at. Trees are read when first asked for. */
export interface Workspace {
  readonly change: Change;
  readonly head: Tree;
  /** Null for a whole tree. */
  readonly mergeBase: Tree | null;
  /** More than one after criss-cross merges; the first is the change's. */
  readonly mergeBases: readonly string[];
  /**
   * What the merge base holds of a changed file, under its old path when it moved; null where it is new (a copy too), a
   * link or a submodule, and for a whole tree. For the twin of a finding.
   */
  readBefore(file: FileChange, maxBytes: number): Promise<ReadResult | null>;
  /** Versions that the commits of the change added, read ahead; null for a whole tree. Uncommitted versions are in `head`. */
  readHistory(): Promise<History | null>;
  /** Searches of the head tree and its history; null for a plain folder and a repository without a commit. */
  readonly inspection: Inspection | null;
  /**
   * A file at the tip of the base branch (without a base at HEAD; in a plain folder nowhere); null when it is absent or no
   * regular file. Throws when it is over 1 MiB.
   */
  readPolicyFile(path: string): Promise<Buffer | null>;
  /** Paths of the files below a folder, at the same place; sorted, empty when there is no such folder. */
  listPolicyFiles(folder: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface LocalOptions extends GitUse {
  readonly repo?: string | undefined;
  readonly base?: string | undefined;
  readonly head?: string | undefined;
  readonly workingTree?: boolean | undefined;
  readonly all?: boolean | undefined;
  /** A plain folder instead of a repository. */
  readonly dir?: string | undefined;
}

/** Opens what the local `review` names. Throws usage errors for what does not exist or does not go together. */
export async function openLocalWorkspace(options: LocalOptions): Promise<Workspace> {
  if (options.dir !== undefined) return openFolder(options.dir);
  const { base, all = false, workingTree = false } = options;
  if (base === undefined && !all) throw new CypherFixError('usage', 'a review needs --base REF, or --all');
  if (workingTree && options.head !== undefined) {
    throw new CypherFixError('usage', '--head and --working-tree do not go together');
  }
  const session = await openSession(options.repo ?? '.', options);
  try {
    const headName = options.head ?? 'HEAD';
    const [baseSha, headSha] = await Promise.all([
      base === undefined ? undefined : resolveCommit(session.objects, base, '--base'),
      // A repository without a commit still has a work tree.
      all && workingTree ? findCommit(session.objects, headName) : resolveCommit(session.objects, headName, '--head'),
    ]);
    const tree = workingTree ? await snapshot(session, options) : headSha;
    if (tree === null) throw new CypherFixError('internal', 'no tree to review');
    const commits = { baseSha, headSha: workingTree || headSha === null ? undefined : headSha };
    if (all) return await openWholeTree(session, tree, { ...commits, policySha: baseSha ?? headSha });
    if (baseSha === undefined || headSha === null) throw new CypherFixError('internal', 'no base or head to compare');
    const mergeBases = await findLocalMergeBases(session, { base: baseSha, head: headSha });
    return await openChange(session, tree, { ...commits, baseSha, mergeBases, historyHead: headSha });
  } catch (error) {
    await session.close();
    throw error;
  }
}

export interface FetchedOptions extends GitUse {
  /** What `fetchPullRequest` or `fetchWholeTree` filled. */
  readonly gitDir: string;
  readonly headSha: string;
  /** Tip of the base branch; for a whole tree the commit that policy comes from, null for the head itself. */
  readonly baseSha: string | null;
  readonly mergeBaseSha: string | null;
  readonly wholeTree: boolean;
}

/** Opens what an earlier step fetched. */
export async function openFetchedWorkspace(options: FetchedOptions): Promise<Workspace> {
  const { headSha, baseSha, mergeBaseSha } = options;
  const session = await openSession(options.gitDir, options);
  try {
    for (const sha of [headSha, baseSha, mergeBaseSha]) {
      if (sha !== null) await resolveCommit(session.objects, sha, 'the fetched change');
    }
    if (options.wholeTree) {
      const commits = { baseSha: baseSha ?? undefined, headSha, policySha: baseSha ?? headSha };
      return await openWholeTree(session, headSha, commits);
    }
    if (baseSha === null || mergeBaseSha === null) {
      throw new CypherFixError('internal', 'a change needs a base and a merge base');
    }
    return await openChange(session, headSha, { baseSha, headSha, mergeBases: [mergeBaseSha], historyHead: headSha });
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function snapshot(session: Session, use: GitUse): Promise<string> {
  if (session.workTree === null)
    throw new CypherFixError('usage', '--working-tree needs a work tree; this repository is bare');
  const { signal, gitBinary, searchPath } = use;
  return snapshotWorkingTree(session.privateDir, session.workTree, { signal, gitBinary, searchPath });
}

async function findLocalMergeBases(session: Session, tips: { base: string; head: string }): Promise<readonly string[]> {
  const answer = await findMergeBase(session.git, tips, session.privateDir.shallow);
  if (answer.status === 'found') return answer.mergeBase.all;
  if (answer.status === 'cut-off') {
    throw new CypherFixError('git', 'the clone is shallow: its history ends before the merge base of base and head', {
      hint: 'Run `git fetch --unshallow` (or `git fetch --deepen=1000`) and try again.',
    });
  }
  throw new CypherFixError('git', `base ${tips.base} and head ${tips.head} share no history`, {
    hint: 'Name a base that the head branched off from, or review everything with --all.',
  });
}

interface ChangeToOpen {
  readonly baseSha: string;
  readonly headSha?: string | undefined;
  readonly mergeBases: readonly string[];
  /** The last commit of the history: the head, or HEAD below a work tree. */
  readonly historyHead: string;
}

async function openChange(session: Session, tree: string, commits: ChangeToOpen): Promise<Workspace> {
  const { git, objects } = session;
  const { baseSha, headSha, mergeBases, historyHead } = commits;
  const [mergeBaseSha = baseSha] = mergeBases;
  // Every review wants it next; another git works on it beside the diff's.
  const history = readHistory(git, objects, { mergeBaseSha, headSha: historyHead });
  history.catch(() => {});
  const change = await readChange(git, { baseSha, mergeBaseSha, head: tree, headSha });
  return {
    change,
    head: createGitTree(git, objects, tree),
    mergeBase: createGitTree(git, objects, mergeBaseSha),
    mergeBases,
    readBefore: (file, maxBytes) => readBefore(objects, file, maxBytes),
    readHistory: () => history,
    inspection: createInspection(git, { tree, commit: historyHead }),
    readPolicyFile: path => readFileAt(session, baseSha, path),
    listPolicyFiles: folder => listFilesAt(session, baseSha, folder),
    close: session.close,
  };
}

// By object id, so that names which are not UTF-8 are no obstacle.
async function readBefore(objects: ObjectReader, file: FileChange, maxBytes: number): Promise<ReadResult | null> {
  if (file.status === 'added' || file.status === 'copied' || !file.oldMode.startsWith('100')) return null;
  return readBlob(objects, file.oldBlob, maxBytes);
}

interface WholeTreeToOpen {
  readonly baseSha: string | undefined;
  readonly headSha: string | undefined;
  readonly policySha: string | null;
}

async function openWholeTree(session: Session, tree: string, commits: WholeTreeToOpen): Promise<Workspace> {
  const { baseSha, headSha, policySha } = commits;
  const head = createGitTree(session.git, session.objects, tree);
  return {
    change: toWholeTreeChange(await head.entries(), { baseSha, headSha }),
    head,
    mergeBase: null,
    mergeBases: [],
    readBefore: async () => null,
    readHistory: async () => null,
    inspection: headSha === undefined ? null : createInspection(session.git, { tree, commit: headSha }),
    readPolicyFile: async path => (policySha === null ? null : readFileAt(session, policySha, path)),
    listPolicyFiles: async folder => (policySha === null ? [] : listFilesAt(session, policySha, folder)),
    close: session.close,
  };
}

async function openFolder(dir: string): Promise<Workspace> {
  const head = await createFolderTree(dir);
  return {
    change: toWholeTreeChange(await head.entries(), {}),
    head,
    mergeBase: null,
    mergeBases: [],
    readBefore: async () => null,
    readHistory: async () => null,
    inspection: null,
    readPolicyFile: async () => null,
    listPolicyFiles: async () => [],
    close: head.close,
  };
}
