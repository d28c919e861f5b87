import type { ReadResult, Tree, TreeEntry } from '../core/tree.ts';
import type { Git } from './git.ts';
import type { ObjectReader } from './object-reader.ts';
import { toKind, toPathFields, toPathKey } from './tree-paths.ts';

/** The tree of a commit (or a tree's id). Listed once, when first asked; files are read through the object reader. */
export function createGitTree(git: Git, objects: ObjectReader, treeish: string): Tree {
  let listing: Promise<Listing> | null = null;
  const list = (): Promise<Listing> => {
    listing ??= listTree(git, treeish);
    return listing;
  };
  return {
    entries: async () => (await list()).entries,
    async read(wanted, maxBytes): Promise<ReadResult> {
      const entry = (await list()).byKey.get(toPathKey(wanted));
      if (entry?.blob === undefined) return { status: 'missing', reason: 'no such file in the tree' };
      return readBlob(objects, { ...entry, blob: entry.blob }, maxBytes);
    },
    // Git and the object reader belong to whoever made them.
    close: async () => {},
  };
}

/** One file's bytes by object id; its size is known, so a longer file is never asked for. */
export async function readBlob(
  objects: ObjectReader,
  entry: { readonly blob: string; readonly size: number; readonly mode?: string },
  maxBytes: number,
): Promise<ReadResult> {
  if (entry.mode === '120000') return { status: 'not-a-file', reason: 'a symbolic link' };
  if (entry.mode === '160000') return { status: 'not-a-file', reason: 'a submodule' };
  if (entry.size > maxBytes) {
    return { status: 'too-large', reason: `${entry.size} bytes, at most ${maxBytes} are read` };
  }
  const object = await objects.read(entry.blob, maxBytes);
  if (object === null) return { status: 'missing', reason: 'the clone lacks the file (a partial clone)' };
  if (object.bytes === null) return { status: 'too-large', reason: `${object.size} bytes` };
  return { status: 'ok', bytes: object.bytes };
}

interface Listing {
  readonly entries: readonly TreeEntry[];
  readonly byKey: ReadonlyMap<string, TreeEntry>;
}

async function listTree(git: Git, treeish: string): Promise<Listing> {
  const entries: TreeEntry[] = [];
  const byKey = new Map<string, TreeEntry>();
  let rest: Buffer = Buffer.alloc(0);
  const take = (chunk: Buffer): void => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, at)) {
      const entry = toEntry(bytes.subarray(at, end));
      entries.push(entry);
      byKey.set(toPathKey(entry), entry);
      at = end + 1;
    }
    rest = Buffer.from(bytes.subarray(at));
  };
  // Sorted by path bytes already: git compares folders as if their names ended in a slash.
  await git.stream(['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', treeish], take);
  return { entries, byKey };
}

// `<mode> <type> <id> <size, padded with spaces>\t<path>`; a submodule has `-` for its size.
function toEntry(record: Buffer): TreeEntry {
  const tab = record.indexOf(9);
  const [mode = '', , blob = '', size = ''] = record.toString('latin1', 0, tab).split(/ +/);
  const names = toPathFields(record.subarray(tab + 1));
  return { ...names, mode, kind: toKind(mode, names.path), size: Number(size) || 0, blob };
}
