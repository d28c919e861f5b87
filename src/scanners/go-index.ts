import type { TreeEntry } from '../core/tree.ts';

/** Where a tree has Go. */
export interface GoIndex {
  /** Folder → its Go files. */
  readonly files: ReadonlyMap<string, readonly TreeEntry[]>;
  readonly modules: ReadonlyMap<string, TreeEntry>;
  readonly vendorLists: ReadonlyMap<string, TreeEntry>;
}

export function indexGoFiles(entries: readonly TreeEntry[]): GoIndex {
  const files = new Map<string, TreeEntry[]>();
  const modules = new Map<string, TreeEntry>();
  const vendorLists = new Map<string, TreeEntry>();
  for (const entry of entries) {
    if (entry.kind === 'symlink' || entry.kind === 'submodule') continue;
    const folder = folderOf(entry.path);
    if (entry.path.endsWith('.go')) addTo(files, folder, entry);
    else if (entry.path === 'go.mod' || entry.path.endsWith('/go.mod')) modules.set(folder, entry);
    else if (entry.path === 'vendor/modules.txt' || entry.path.endsWith('/vendor/modules.txt'))
      vendorLists.set(folder, entry);
  }
  return { files, modules, vendorLists };
}

export function groupByFolder<T extends { readonly path: string }>(files: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const file of files) addTo(groups, folderOf(file.path), file);
  return groups;
}

function addTo<T>(groups: Map<string, T[]>, key: string, value: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}

/** '' for the root. */
export const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
