import type { FileReader } from './file-reader.ts';
import { findQuote, type NumberedLine, type Occurrence } from './find-quote.ts';
import type { AnchorPlace } from './outcome.ts';
import type { ShownChange, ShownFileChange, ShownHunkLine } from './shown-change.ts';
import { confinePath } from './tools/confine-path.ts';

/** The place of a quoted text, found by code. */
export interface Anchor {
  readonly path: string;
  readonly place: AnchorPlace;
  readonly reason?: string;
  readonly startLine: number | null;
  readonly endLine: number | null;
  /** The file's own text of these lines; null where there is no place. */
  readonly text: string | null;
}

export interface AnchorContext {
  readonly shown: ShownChange;
  readonly reader: FileReader;
  readonly isIgnored: (path: string) => boolean;
}

/**
 * Finds the one place in a hunk at which the quote stands; among several, the one that the change added. Else the quote's
 * place in the file, else none: a quote that the head does not hold. A path from before a move counts as the new one.
 */
export async function anchorQuote(context: AnchorContext, writtenPath: string, quote: string): Promise<Anchor> {
  const { shown, reader, isIgnored } = context;
  const confined = confinePath(writtenPath.replaceAll('\\', '/'));
  const named = confined.status === 'ok' ? confined.path : '';
  const change = shown.files.find(({ file, path }) => [file.path, path].includes(named)) ?? findMoved(shown, named);
  const path = change?.file.path ?? named;
  const inHunk = change === undefined ? null : findInHunks(change, quote);
  if (inHunk !== null) return { path, ...inHunk };
  if (path === '' || isIgnored(path)) return nowhere(path, 'the finding names no file that models may read');
  const file = await reader.read(path, change?.file.rawPath);
  if (file.status === 'failed') return nowhere(path, 'the head has no such file');
  const lines = file.lines.shown.map((text, at) => ({ line: at + 1, text }));
  const [first, second] = findQuote(quote, lines);
  if (first === undefined) return nowhere(path, 'the quoted text is not in the file');
  if (second !== undefined) return { ...inFile(path, 'the quoted text stands at several places of the file') };
  const text = file.lines.raw.slice(first.startLine - 1, first.endLine).join('\n');
  return { ...inFile(path, 'the quoted text stands outside the diff'), ...first, text };
}

const findMoved = (shown: ShownChange, path: string): ShownFileChange | undefined =>
  shown.files.find(({ file }) => file.previousPath === path && path !== '');

const nowhere = (path: string, reason: string): Anchor => ({
  path,
  place: 'none',
  reason,
  startLine: null,
  endLine: null,
  text: null,
});
const inFile = (path: string, reason: string): Anchor => ({ ...nowhere(path, reason), place: 'file' });

type Fit = Occurrence & { readonly lines: readonly ShownHunkLine[]; readonly added: boolean };

/** Null when no hunk holds the quote. */
function findInHunks(change: ShownFileChange, quote: string): Omit<Anchor, 'path'> | null {
  const fits = change.hunks.flatMap(hunk => fitsIn(hunk, quote));
  const added = fits.filter(fit => fit.added);
  const [fit, ...others] = added.length > 0 ? added : fits;
  if (fit === undefined) return null;
  if (others.length > 0) {
    const reason = `the quoted text stands at ${others.length + 1} places of the diff`;
    return { place: 'file', reason, startLine: null, endLine: null, text: null };
  }
  const { startLine, endLine } = fit;
  return { place: 'hunk', startLine, endLine, text: fit.lines.map(line => line.raw).join('\n') };
}

function fitsIn(hunk: readonly ShownHunkLine[], quote: string): Fit[] {
  const fresh = hunk.filter(line => line.newLine !== undefined);
  const numbered: NumberedLine[] = fresh.map(({ newLine = 0, shown }) => ({ line: newLine, text: shown }));
  return findQuote(quote, numbered).map(({ startLine, endLine }) => {
    const lines = fresh.filter(({ newLine = 0 }) => newLine >= startLine && newLine <= endLine);
    return { startLine, endLine, lines, added: lines.some(line => line.type === 'added') };
  });
}
