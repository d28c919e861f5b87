/** The first `count` code points; a character outside the basic plane counts as one and is never cut in half. */
export function takeCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** Length in code points. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) {
      length--;
      index++;
    }
  }
  return length;
}

/** Half of a surrogate pair has no UTF-8; hashes take it as a question mark. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '?');
