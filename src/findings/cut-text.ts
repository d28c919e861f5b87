/** How many texts of each kind were cut. */
export type CapCounts = Record<string, number>;

/** At most `most` code points, the last one then an ellipsis; counts the cut under `kind`. */
export function cutText(text: string, most: number, kind: string, counts: CapCounts): string {
  // A code point has at most two UTF-16 units, so that shorter texts need no counting.
  if (text.length <= most) return text;
  const head = [...text.slice(0, most * 2)];
  if (head.length <= most && text.length <= most * 2) return text;
  counts[kind] = (counts[kind] ?? 0) + 1;
  return `${head.slice(0, most - 1).join('')}…`;
}
