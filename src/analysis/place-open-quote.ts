import { addedLines, type FileChange } from '../core/change.ts';
import type { OpenAiFinding } from '../core/open-finding.ts';
import { MASK, maskLiterals } from '../findings/scrub-secrets.ts';
import type { OpenPlace } from '../findings/settle-open.ts';
import type { FileReader } from '../review/file-reader.ts';
import { findQuote, type NumberedLine, type Occurrence } from '../review/find-quote.ts';
import type { Guard } from '../review/guard.ts';
import { type ShownFileChange, showChange } from '../review/shown-change.ts';

/** What was seen of an open finding's text at the head. */
export type Seen =
  | { readonly status: 'stands'; readonly place: OpenPlace }
  | { readonly status: 'gone'; readonly reason: string }
  /** The file could not be read. */
  | { readonly status: 'unknown'; readonly reason: string };

interface Looking {
  readonly reader: FileReader;
  readonly guard: Guard;
}

/**
 * Where the text that an open finding quotes stands in the file now. Of several places the nearest to the old one counts,
 * those that the change added before all others: a second copy of a faulty text does not hide the first.
 */
export async function placeOpenQuote(
  finding: OpenAiFinding,
  file: FileChange,
  { reader, guard }: Looking,
): Promise<Seen> {
  const { path } = file;
  if (file.kind === 'symlink' || file.kind === 'submodule') return gone(`${path} is a ${file.kind} now`);
  const head = await reader.read(path, file.rawPath);
  if (head.status === 'failed') return { status: 'unknown', reason: head.reason };
  const change = await showChange({ files: [file], isIgnored: () => false, maxFiles: 1, reader, guard });
  const [shown] = change.files;
  const added = addedLines(file);
  const inHunks = shown === undefined ? [] : placesInHunks(shown, finding.quote, added);
  const lines = head.lines.shown.map((text, at) => ({ line: at + 1, text }));
  const places =
    inHunks.length > 0 ? inHunks : search(finding.quote, lines).map(place => ({ ...place, isAdded: false }));
  const best = nearest(places, finding);
  if (best === undefined) return gone(`the text that it quotes is no longer in ${path}`);
  const { startLine, endLine, isAdded } = best;
  const text = head.lines.raw.slice(startLine - 1, endLine).join('\n');
  const anchor = inHunks.length > 0 ? 'hunk' : 'file';
  return { status: 'stands', place: { path, startLine, endLine, anchor, text, isAdded } };
}

type Place = Occurrence & { readonly isAdded: boolean };

function placesInHunks({ hunks }: ShownFileChange, quote: string, added: ReadonlySet<number>): Place[] {
  return hunks.flatMap(hunk => {
    const lines = hunk.flatMap(({ newLine, shown }) => (newLine === undefined ? [] : [{ line: newLine, text: shown }]));
    return search(quote, lines).map(place => ({ ...place, isAdded: touches(place, added) }));
  });
}

/** A quote that shows a masked literal is compared with lines whose literals are masked the same way. */
function search(quote: string, lines: readonly NumberedLine[]): Occurrence[] {
  const found = findQuote(quote, lines);
  if (found.length > 0 || !quote.includes(MASK)) return found;
  return findQuote(
    quote,
    lines.map(({ line, text }) => ({ line, text: maskLiterals(text) })),
  );
}

function nearest(places: readonly Place[], { introduced, line }: OpenAiFinding): Place | undefined {
  const added = introduced ? places.filter(place => place.isAdded) : [];
  const distance = (place: Place): number => Math.abs(place.startLine - line);
  return [...(added.length > 0 ? added : places)].sort((a, b) => distance(a) - distance(b))[0];
}

function touches({ startLine, endLine }: Occurrence, lines: ReadonlySet<number>): boolean {
  for (let line = startLine; line <= endLine; line++) if (lines.has(line)) return true;
  return false;
}

const gone = (reason: string): Seen => ({ status: 'gone', reason });
