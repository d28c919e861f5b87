import { type Dirent, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { CypherFixError } from '../core/errors.ts';
import type { Tree, TreeEntry } from '../core/tree.ts';
import { isGitFolderName, readConfined } from './confined-read.ts';
import { toRealFolder } from './find-repository.ts';
import { toKind, toPathBytes, toPathFields } from './tree-paths.ts';

/**
 * A plain folder as a tree: every file below it, git's own folders left out. Links are listed and never followed; pipes,
 * sockets and devices are no files and not listed.
 */
export async function createFolderTree(folder: string): Promise<Tree> {
  const root = await toRealFolder(folder);
  let listing: Promise<readonly TreeEntry[]> | null = null;
  return {
    entries() {
      listing ??= listFolder(root);
      return listing;
    },
    read: async (entry, maxBytes) => readConfined(root, toPathBytes(entry), maxBytes),
    close: async () => {},
  };
}

async function listFolder(root: string): Promise<TreeEntry[]> {
  const found: { bytes: Buffer; entry: TreeEntry }[] = [];
  const folders: Buffer[] = [Buffer.alloc(0)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const prefix = folder.length === 0 ? folder : Buffer.concat([folder, SLASH]);
    for (const item of await readFolder(root, folder)) {
      if (isGitFolderName(item.name.toString('latin1'))) continue;
      const bytes = Buffer.concat([prefix, item.name]);
      if (item.isDirectory()) folders.push(bytes);
      else if (item.isFile() || item.isSymbolicLink()) {
        const entry = toEntry(root, bytes);
        if (entry !== null) found.push({ bytes, entry });
      }
    }
  }
  return found.sort((a, b) => a.bytes.compare(b.bytes)).map(({ entry }) => entry);
}

const SLASH = Buffer.from('/');

async function readFolder(root: string, folder: Buffer): Promise<Dirent<Buffer>[]> {
  try {
    return await readdir(toFullPath(root, folder), { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    const name = JSON.stringify(folder.toString('utf8') || '.');
    throw new CypherFixError('usage', `cannot list the folder ${name}`, { cause: error });
  }
}

// Synchronous: 50,000 promises cost more than the calls themselves; the loop yields at each folder.
function toEntry(root: string, bytes: Buffer): TreeEntry | null {
  const stat = lstatSync(toFullPath(root, bytes), { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const { path, rawPath } = toPathFields(bytes);
  const mode = stat.isSymbolicLink() ? '120000' : stat.mode & 0o100 ? '100755' : '100644';
  const entry = { path, mode, kind: toKind(mode, path), size: stat.size };
  return rawPath === undefined ? entry : { ...entry, rawPath };
}

function toFullPath(root: string, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(root === '/' ? '/' : `${root}/`), path]);
}
