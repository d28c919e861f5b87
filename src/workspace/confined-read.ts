import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import type { ReadResult } from '../core/tree.ts';

// Without O_NONBLOCK the open of a named pipe waits for a writer for ever.
const READ_ONLY = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a regular file under `root` (an absolute real path). No symbolic link on the way is followed: after the open,
 * the kernel is asked where the file really is, so that a folder swapped for a link in between gives `outside`.
 * Synchronous: five short calls, where their promises would cost ten times as much over fifty thousand files.
 */
export function readConfined(root: string, path: Buffer, maxBytes: number): ReadResult {
  const refused = refusePath(path);
  if (refused !== null) return { status: 'outside', reason: refused };
  const full = Buffer.concat([Buffer.from(root === '/' ? '/' : `${root}/`), path]);
  let file: number;
  try {
    file = openSync(full, READ_ONLY | constants.O_NOFOLLOW);
  } catch (error) {
    return toOpenFailure(error);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { status: 'not-a-file', reason: 'not a regular file' };
    if (!realPathOf(file, full).equals(full)) {
      return { status: 'outside', reason: 'a folder on the way is a symbolic link' };
    }
    return readUpTo(file, stat.size, maxBytes);
  } finally {
    closeSync(file);
  }
}

/** Bytes of a small regular file of the machine, links followed; null when there is none. Never blocks on a pipe. */
export function readSmallFile(path: string, maxBytes: number): Buffer | null {
  let file: number;
  try {
    file = openSync(path, READ_ONLY);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return null;
    const result = readUpTo(file, stat.size, maxBytes);
    return result.status === 'ok' ? result.bytes : null;
  } finally {
    closeSync(file);
  }
}

/** Git's own folder, which no read of a tree may enter; file systems that ignore case take any spelling. */
export function isGitFolderName(name: string): boolean {
  return name.toLowerCase() === '.git';
}

function refusePath(path: Buffer): string | null {
  if (path.length === 0 || path.includes(0) || path[0] === 0x2f) return 'not a path relative to the tree';
  for (const part of path.toString('latin1').split('/')) {
    if (part === '' || part === '.' || part === '..') return 'not a plain path';
    if (isGitFolderName(part)) return "inside git's own folder";
  }
  return null;
}

function realPathOf(file: number, full: Buffer): Buffer {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${file}`, { encoding: 'buffer' });
  return realpathSync(full, { encoding: 'buffer' });
}

function readUpTo(file: number, size: number, maxBytes: number): ReadResult {
  if (size > maxBytes) return { status: 'too-large', reason: `${size} bytes, at most ${maxBytes} are read` };
  const buffer = Buffer.alloc(size + 1);
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(file, buffer, length, buffer.length - length, length);
    if (count === 0) break;
    length += count;
  }
  if (length > size) return { status: 'too-large', reason: 'the file grew while it was read' };
  return { status: 'ok', bytes: buffer.subarray(0, length) };
}

function toOpenFailure(error: unknown): ReadResult {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return { status: 'missing', reason: 'no such file' };
  if (code === 'ELOOP') return { status: 'not-a-file', reason: 'a symbolic link' };
  if (code === 'ENAMETOOLONG') return { status: 'missing', reason: 'the name is too long' };
  // Sockets answer ENXIO, folders without permission EACCES.
  return { status: 'not-a-file', reason: `cannot be opened (${code || 'unknown error'})` };
}
