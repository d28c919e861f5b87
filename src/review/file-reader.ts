import type { Tree } from '../core/tree.ts';
import type { Guard } from './guard.ts';

/** A file of the head tree as a model may see it, and as it is; both line by line. */
export interface ShownLines {
  readonly shown: readonly string[];
  /** Without line ends. */
  readonly raw: readonly string[];
}

export type ShownFile =
  | { readonly status: 'ok'; readonly lines: ShownLines }
  | { readonly status: 'failed'; readonly reason: string };

/** Reads files of the head tree once each. Secrets are sought in the whole file, also where a part of it is shown. */
export interface FileReader {
  read(path: string, rawPath?: string): Promise<ShownFile>;
}

export interface FileReaderOptions {
  readonly tree: Tree;
  readonly guard: Guard;
}

const MAX_FILE_BYTES = 2 * 1024 * 1024;
const BINARY_PROBE_BYTES = 8_192;

export function createFileReader({ tree, guard }: FileReaderOptions): FileReader {
  const files = new Map<string, Promise<ShownFile>>();
  const load = async (path: string, rawPath?: string): Promise<ShownFile> => {
    const result = await tree.read(rawPath === undefined ? { path } : { path, rawPath }, MAX_FILE_BYTES);
    if (result.status !== 'ok') return { status: 'failed', reason: result.reason };
    if (result.bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return { status: 'failed', reason: 'a binary file' };
    return { status: 'ok', lines: toShownLines(result.bytes.toString('utf8'), guard) };
  };
  return {
    read(path, rawPath) {
      const known = files.get(path) ?? load(path, rawPath);
      files.set(path, known);
      return known;
    },
  };
}

/** A text's lines, each in both forms. */
export function toShownLines(text: string, guard: Guard): ShownLines {
  const raw = splitLines(text);
  const shown = splitLines(guard.clean('code', raw.join('\n')));
  return { raw, shown: raw.map((_, at) => shown[at] ?? '') };
}

function splitLines(text: string): string[] {
  const lines = text.split('\n').map(line => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
