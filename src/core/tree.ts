import type { FileKind } from './change.ts';

export interface TreeEntry {
  /** POSIX, relative to the tree's root, bytes decoded as UTF-8. */
  readonly path: string;
  /** The path's bytes in base64, only where they are not valid UTF-8. */
  readonly rawPath?: string;
  /** Six octal digits as git writes them: 100644, 100755, 120000 (link), 160000 (submodule). */
  readonly mode: string;
  readonly kind: FileKind;
  /** Bytes; 0 for submodules. */
  readonly size: number;
  /** Object id where the tree comes from git. */
  readonly blob?: string;
}

export type ReadResult =
  | { readonly status: 'ok'; readonly bytes: Buffer }
  | { readonly status: 'missing' | 'not-a-file' | 'outside' | 'too-large'; readonly reason: string };

/** One immutable view of a source tree. Reads never follow a link out of the tree and never execute anything. */
export interface Tree {
  /** Every tracked file (or, for a plain folder, every file), sorted by path bytes. `kind` is text or binary by name only until read. */
  entries(): Promise<readonly TreeEntry[]>;
  /** At most `maxBytes`; a longer file is `too-large` and not read. A symbolic link is `not-a-file`. */
  read(entry: { readonly path: string; readonly rawPath?: string }, maxBytes: number): Promise<ReadResult>;
  close(): Promise<void>;
}

/** A version of a file that some commit between merge base and head added. */
export interface HistoricBlob {
  readonly blob: string;
  readonly path: string;
  readonly commit: string;
  readonly size: number;
}

/** Every blob version that commits in `mergeBase..head` added, merge commits included, and the commits looked at. */
export interface History {
  readonly commits: readonly string[];
  readonly blobs: readonly HistoricBlob[];
  read(blob: HistoricBlob, maxBytes: number): Promise<ReadResult>;
}
