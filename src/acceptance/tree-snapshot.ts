import type { Tree, TreeEntry } from '../core/tree.ts';
import type { SnapshotEntry } from '../sandbox/sandbox.ts';

/** Folder of the head tree below /work. */
export const TREE_FOLDER = 'repo';

/** What of a tree goes into the sandbox, and what cannot. */
export interface TreePlan {
  readonly entries: readonly TreeEntry[];
  readonly bytes: number;
  /** Plain sentences on what the sandbox does not get. */
  readonly notices: readonly string[];
}

/** Links, submodules and names that are no text cannot be sent; files for which `isLeft` holds are not to be. */
export async function planTree(tree: Tree, isLeft: (path: string) => boolean): Promise<TreePlan> {
  const entries: TreeEntry[] = [];
  const left = { links: 0, submodules: 0, names: 0, results: 0 };
  let bytes = 0;
  for (const entry of await tree.entries()) {
    if (entry.kind === 'symlink') left.links++;
    else if (entry.kind === 'submodule') left.submodules++;
    else if (entry.rawPath !== undefined || entry.path.split('/').includes('.git')) left.names++;
    else if (isLeft(entry.path)) left.results++;
    else {
      entries.push(entry);
      bytes += entry.size;
    }
  }
  return { entries, bytes, notices: toNotices(left) };
}

/** The files one after the other; one that cannot be read is left out and told to `onUnread`. */
export async function* copyTree(
  tree: Tree,
  { entries }: TreePlan,
  onUnread: (path: string, reason: string) => void,
): AsyncGenerator<SnapshotEntry> {
  // The folder must be there even when the tree is empty.
  if (entries.length === 0) yield { path: `${TREE_FOLDER}/.keep`, content: Buffer.alloc(0) };
  for (const entry of entries) {
    const read = await tree.read(entry, MAX_FILE_BYTES);
    if (read.status !== 'ok') onUnread(entry.path, read.reason);
    else yield { path: `${TREE_FOLDER}/${entry.path}`, content: read.bytes, executable: entry.mode === '100755' };
  }
}

const MAX_FILE_BYTES = 256 * 1024 * 1024;

function toNotices(left: Readonly<Record<'links' | 'submodules' | 'names' | 'results', number>>): string[] {
  const say = (count: number, one: string, many: string) =>
    count === 0 ? [] : [`tests ran without ${count === 1 ? `1 ${one}` : `${count} ${many}`} of the tree`];
  return [
    ...say(left.links, 'symbolic link', 'symbolic links'),
    ...say(left.submodules, 'submodule', 'submodules'),
    ...say(left.names, 'file whose name cannot be sent', 'files whose names cannot be sent'),
    ...say(left.results, 'committed test result', 'committed test results'),
  ];
}
