import { isUtf8 } from 'node:buffer';
import type { FileKind } from '../core/change.ts';

/** A path as core values hold it: text, and the bytes beside it where text cannot hold them. */
export function toPathFields(bytes: Buffer): { readonly path: string; readonly rawPath?: string } {
  const path = bytes.toString('utf8');
  return isUtf8(bytes) ? { path } : { path, rawPath: bytes.toString('base64') };
}

/** The bytes of a path. */
export function toPathBytes(entry: { readonly path: string; readonly rawPath?: string }): Buffer {
  return entry.rawPath === undefined ? Buffer.from(entry.path) : Buffer.from(entry.rawPath, 'base64');
}

const BINARY_NAME =
  /\.(png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|so|dylib|dll|exe|o|a|wasm|pyc|woff2?|ttf|otf|eot|mp[34]|m4a|mov|avi|webm|ogg|wav|flac|psd|sqlite3?|db)$/i;

/** What a file holds, judged by its mode and name alone. */
export function toKind(mode: string, path: string): FileKind {
  if (mode === '120000') return 'symlink';
  if (mode === '160000') return 'submodule';
  return BINARY_NAME.test(path) ? 'binary' : 'text';
}
