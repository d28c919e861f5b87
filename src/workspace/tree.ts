import type { ReadResult, Tree, TreeEntry } from '../core/tree.ts';
import type { Git } from './git.ts';
import type { ObjectReader } from './object-reader.ts';
import { toKind, toPathBytes, toPathFields } from './tree-paths.ts';
import { createTreeWalk } from './tree-walk.ts';

/** The tree of a commit (or a tree's id). Listed once, when first asked; single files are found without a listing. */
export function createGitTree(git: Git, objects: ObjectReader, treeish: string): Tree {
  const walk = createTreeWalk(objects, treeish);
  let listing: Promise<readonly TreeEntry[]> | null = null;
  return {
    entries() {
      listing ??= listTree(git, treeish);
      return listing;
    },
    async read(wanted, maxBytes): Promise<ReadResult> {
      const item = await walk.find(toPathBytes(wanted));
      if (item === null) return { status: 'missing', reason: 'no such file in the tree' };
      if (item.mode === '40000') return { status: 'not-a-file', reason: 'a folder' };
      if (item.mode === '120000') return { status: 'not-a-file', reason: 'a symbolic link' };
      if (item.mode === '160000') return { status: 'not-a-file', reason: 'a submodule' };
      return readBlob(objects, item.id, maxBytes);
    },
    // Git and the object reader belong to whoever made them.
    close: async () => {},
  };
}

/** One file's bytes by object id. */
export async function readBlob(objects: ObjectReader, blob: string, maxBytes: number): Promise<ReadResult> {
  const object = await objects.read(blob, maxBytes);
  if (object === null) return { status: 'missing', reason: 'the clone lacks the file (a partial clone)' };
  if (object.bytes === null) {
    return { status: 'too-large', reason: `${object.size} bytes, at most ${maxBytes} are read` };
  }
  return { status: 'ok', bytes: object.bytes };
}

async function listTree(git: Git, treeish: string): Promise<readonly TreeEntry[]> {
  const entries: TreeEntry[] = [];
  let rest: Buffer = Buffer.alloc(0);
  const take = (chunk: Buffer): void => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, at)) {
      entries.push(toEntry(bytes.subarray(at, end)));
      at = end + 1;
    }
    rest = Buffer.from(bytes.subarray(at));
  };
  // Sorted by path bytes already: git compares folders as if their names ended in a slash.
  await git.stream(['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', treeish], take);
  return entries;
}

// `<mode> <type> <id> <size, padded with spaces>\t<path>`; a submodule has `-` for its size. Each part is cut from the
// bytes: parts of one string would keep all of it in memory, fifty thousand times.
function toEntry(record: Buffer): TreeEntry {
  const tab = record.indexOf(9);
  const typeEnd = record.indexOf(0x20, 7);
  const idEnd = record.indexOf(0x20, typeEnd + 1);
  const mode = record.toString('latin1', 0, 6);
  const { path, rawPath } = toPathFields(record.subarray(tab + 1));
  // Not by spreading the names: V8 would give each of fifty thousand objects a shape of its own, 240 bytes long.
  const entry = {
    path,
    mode: MODES.get(mode) ?? mode,
    kind: toKind(mode, path),
    size: Number(record.toString('latin1', idEnd + 1, tab)) || 0,
    blob: record.toString('latin1', typeEnd + 1, idEnd),
  };
  return rawPath === undefined ? entry : { ...entry, rawPath };
}

const MODES = new Map(['100644', '100755', '120000', '160000'].map(mode => [mode, mode]));
