import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import type { ReadResult } from '../core/tree.ts';

// Without O_NONBLOCK the open of a named pipe waits for a writer for ever.
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a regular file under `root` (an absolute real path). No symbolic link on the way is followed: after the open,
 * the kernel is asked where the file really is, so that a folder swapped for a link in between gives `outside`.
 */
export async function readConfined(root: string, path: Buffer, maxBytes: number): Promise<ReadResult> {
  const refused = refusePath(path);
  if (refused !== null) return { status: 'outside', reason: refused };
  const full = Buffer.concat([Buffer.from(root === '/' ? '/' : `${root}/`), path]);
  let handle: FileHandle;
  try {
    handle = await open(full, OPEN_FLAGS);
  } catch (error) {
    return toOpenFailure(error);
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return { status: 'not-a-file', reason: 'not a regular file' };
    if (!(await realPathOf(handle, full)).equals(full)) {
      return { status: 'outside', reason: 'a folder on the way is a symbolic link' };
    }
    return await readUpTo(handle, stat.size, maxBytes);
  } finally {
    await handle.close();
  }
}

/** Bytes of a small regular file of the machine, links followed; null when there is none. Never blocks on a pipe. */
export async function readSmallFile(path: string, maxBytes: number): Promise<Buffer | null> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return null;
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return null;
    const result = await readUpTo(handle, stat.size, maxBytes);
    return result.status === 'ok' ? result.bytes : null;
  } finally {
    await handle.close();
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

async function realPathOf(handle: FileHandle, full: Buffer): Promise<Buffer> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`, { encoding: 'buffer' });
  return realpath(full, { encoding: 'buffer' });
}

async function readUpTo(handle: FileHandle, size: number, maxBytes: number): Promise<ReadResult> {
  if (size > maxBytes) return { status: 'too-large', reason: `${size} bytes, at most ${maxBytes} are read` };
  const buffer = Buffer.alloc(Math.min(size, maxBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
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
