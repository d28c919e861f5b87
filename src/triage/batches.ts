/** Cuts a list into batches of at most `most` items whose sizes add up to at most `room`; an item alone may be larger. */
export function toBatches<T>(items: readonly T[], most: number, room: number, sizeOf: (item: T) => number): T[][] {
  const batches: T[][] = [];
  let size = 0;
  for (const item of items) {
    const last = batches.at(-1);
    const own = sizeOf(item);
    if (last === undefined || last.length >= most || size + own > room) {
      batches.push([item]);
      size = own;
    } else {
      last.push(item);
      size += own;
    }
  }
  return batches;
}
