/** A text line with its number. */
export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

export interface Occurrence {
  readonly startLine: number;
  readonly endLine: number;
}

/** Occurrences beyond these are not told apart: two are already too many. */
const MAX_OCCURRENCES = 50;

/**
 * Where a quoted text stands in consecutive lines. White space does not count, first its amount, then its presence; the
 * signs of a diff and the numbers of a listing in front of the quote's lines go. Empty for a quote without a character.
 */
export function findQuote(quote: string, lines: readonly NumberedLine[]): Occurrence[] {
  for (const form of [COLLAPSED, SQUEEZED]) {
    const index = toIndex(lines, form);
    for (const candidate of candidatesOf(quote)) {
      const found = occurrencesOf(form.of(candidate), index);
      if (found.length > 0) return found;
    }
  }
  return [];
}

interface Form {
  readonly of: (text: string) => string;
  /** Stands between two lines. */
  readonly separator: string;
}
const COLLAPSED: Form = { of: text => text.replace(/\s+/g, ' ').trim(), separator: ' ' };
const SQUEEZED: Form = { of: text => text.replace(/\s+/g, ''), separator: '' };

/** The quote as it is, then without what a model may have copied with it. */
function candidatesOf(quote: string): string[] {
  const lines = quote.split('\n');
  const filled = lines.filter(line => line.trim() !== '');
  const strip = (prefix: RegExp): string[] =>
    filled.every(line => prefix.test(line)) ? [lines.map(line => line.replace(prefix, '')).join('\n')] : [];
  return [quote, ...strip(/^\s*\d+\| ?/), ...strip(/^[+ ]/), ...strip(/^\s*\+/)];
}

interface Index {
  readonly text: string;
  /** Offset in the text at which each line begins, and its number. */
  readonly starts: readonly { readonly offset: number; readonly line: number }[];
}

function toIndex(lines: readonly NumberedLine[], { of, separator }: Form): Index {
  const starts: { offset: number; line: number }[] = [];
  const parts: string[] = [];
  let offset = 0;
  for (const { line, text } of lines) {
    const plain = of(text);
    if (plain === '') continue;
    starts.push({ offset, line });
    parts.push(plain);
    offset += plain.length + separator.length;
  }
  return { text: parts.join(separator), starts };
}

function occurrencesOf(wanted: string, { text, starts }: Index): Occurrence[] {
  const found: Occurrence[] = [];
  if (wanted === '') return found;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    found.push({ startLine: lineAt(starts, at), endLine: lineAt(starts, at + wanted.length - 1) });
    if (found.length === MAX_OCCURRENCES) break;
  }
  return found;
}

/** Binary search: the line that holds the offset. */
function lineAt(starts: Index['starts'], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle]?.offset ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return starts[low - 1]?.line ?? 0;
}
