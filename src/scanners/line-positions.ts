/** What a tool takes for the end of a line. Git and GitHub count line feeds only. */
export type LineStyle = 'git' | 'python' | 'javascript';

const SEPARATOR: Readonly<Record<Exclude<LineStyle, 'git'>, RegExp>> = {
  python: /\r\n|\r|\n/g,
  javascript: /\r\n|[\r\n\u2028\u2029]/g,
};

/** What ends a line for some tool and not for git; few texts hold any. */
const OTHER_ENDS = /[\r\u2028\u2029]/;

/** Offsets at which the lines of a text begin, as the tool counts them. */
export function lineStarts(text: string, style: LineStyle): number[] {
  const starts = [0];
  if (style === 'git' || !OTHER_ENDS.test(text)) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    return starts;
  }
  for (const match of text.matchAll(SEPARATOR[style])) starts.push(match.index + match[0].length);
  return starts;
}

/** 1-based line that holds the offset. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** Offset of a 1-based line and column (in UTF-16 units); clamped to the text. */
export function offsetAt(text: string, starts: readonly number[], line: number, column: number): number {
  const index = Math.min(Math.max(line, 1), starts.length) - 1;
  const start = starts[index] ?? 0;
  const end = starts[index + 1] ?? text.length;
  return Math.min(start + Math.max(column, 1) - 1, end);
}
