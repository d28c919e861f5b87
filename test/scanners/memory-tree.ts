import type { HistoricBlob, History, Tree, TreeEntry } from '../../src/core/tree.ts';
import type { ScanFile } from '../../src/scanners/snapshot.ts';

export type Files = Readonly<Record<string, string | Buffer>>;

const toBytes = (content: string | Buffer): Buffer => (typeof content === 'string' ? Buffer.from(content) : content);

/** A tree in memory; a value that begins with `-> ` is a symbolic link. */
export function createMemoryTree(files: Files): Tree {
  return {
    entries: async () => Object.entries(files).map(([path, content]) => toEntry(path, content)),
    read: async ({ path }, maxBytes) => {
      const content = files[path];
      if (content === undefined) return { status: 'missing', reason: 'no such file' };
      if (isLink(content)) return { status: 'not-a-file', reason: 'a symbolic link' };
      const bytes = toBytes(content);
      if (bytes.length > maxBytes) return { status: 'too-large', reason: `${bytes.length} bytes` };
      return { status: 'ok', bytes };
    },
    close: async () => {},
  };
}

export function toScanFiles(files: Files): ScanFile[] {
  return Object.entries(files).map(([path, content]) => ({
    path,
    kind: isLink(content) ? 'symlink' : 'text',
    status: 'added',
  }));
}

/** A history of versions, each added by a commit of its own name. */
export function createMemoryHistory(versions: readonly { path: string; commit: string; content: string }[]): History {
  const blobs = versions.map(
    ({ path, commit, content }, index): HistoricBlob => ({
      blob: `blob-${index}`,
      path,
      commit,
      size: content.length,
    }),
  );
  return {
    commits: [...new Set(versions.map(version => version.commit))],
    blobs,
    read: async blob => {
      const version = versions[blobs.findIndex(known => known.blob === blob.blob)];
      return version === undefined
        ? { status: 'missing', reason: 'no such blob' }
        : { status: 'ok', bytes: Buffer.from(version.content) };
    },
  };
}

const isLink = (content: string | Buffer): boolean => typeof content === 'string' && content.startsWith('-> ');

function toEntry(path: string, content: string | Buffer): TreeEntry {
  const kind = isLink(content) ? 'symlink' : 'text';
  return { path, mode: kind === 'symlink' ? '120000' : '100644', kind, size: toBytes(content).length };
}
