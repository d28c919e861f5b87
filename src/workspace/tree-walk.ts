import { CypherFixError } from '../core/errors.ts';
import type { ObjectReader } from './object-reader.ts';

const MAX_TREE_BYTES = 256 * 1024 * 1024;
/** Files are mostly looked for in the order of their paths, so few folders are wanted at a time. */
const MAX_KEPT_FOLDERS = 100;

export interface TreeItem {
  readonly mode: string;
  readonly id: string;
}

/** Finds single paths of a tree by walking its folders, so that a review of twenty files does not list fifty thousand. */
export interface TreeWalk {
  /** Null when the tree has no such path. */
  find(path: Buffer): Promise<TreeItem | null>;
}

export function createTreeWalk(objects: ObjectReader, treeish: string): TreeWalk {
  const folders = new Map<string, Promise<ReadonlyMap<string, TreeItem>>>();
  const open = (id: string): Promise<ReadonlyMap<string, TreeItem>> => {
    const known = folders.get(id) ?? readFolder(objects, id);
    folders.delete(id);
    folders.set(id, known);
    for (const oldest of folders.keys()) {
      if (folders.size <= MAX_KEPT_FOLDERS) break;
      folders.delete(oldest);
    }
    return known;
  };
  return {
    async find(path) {
      let folder = await open(`${treeish}^{tree}`);
      const names = path.toString('latin1').split('/');
      for (const [depth, name] of names.entries()) {
        const item = folder.get(name);
        if (item === undefined || depth === names.length - 1) return item ?? null;
        if (item.mode !== '40000') return null;
        folder = await open(item.id);
      }
      return null;
    },
  };
}

async function readFolder(objects: ObjectReader, id: string): Promise<ReadonlyMap<string, TreeItem>> {
  const object = await objects.read(id, MAX_TREE_BYTES);
  if (object?.type !== 'tree' || object.bytes === null) {
    throw new CypherFixError('git', `the clone lacks the folder listing ${id}`);
  }
  return parseFolder(object.bytes, object.id.length / 2);
}

// `<mode> <name>\0<id>`, the id as bytes, one after another.
function parseFolder(bytes: Buffer, idLength: number): ReadonlyMap<string, TreeItem> {
  const items = new Map<string, TreeItem>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const next = end + 1 + idLength;
    if (space < 0 || end < 0 || next > bytes.length) throw new CypherFixError('git', 'a folder listing is damaged');
    const item = { mode: bytes.toString('latin1', at, space), id: bytes.toString('hex', end + 1, next) };
    items.set(bytes.toString('latin1', space + 1, end), item);
    at = next;
  }
  return items;
}
