import { takeCodePoints } from '../risk/text.ts';

/** JSON of the value that `make` gives, with texts of a length at which the whole fits into `max` characters. */
export function fitJson(make: (textLength: number) => unknown, max: number): string {
  let json = '';
  for (const length of [1_000, 300, 100, 30, 0]) {
    json = JSON.stringify(make(length));
    if (json.length <= max) return json;
  }
  throw new Error(`${json.length} characters of JSON are over the limit of ${max}`);
}

/** JSON of the longest beginning of a list that fits into `max` characters. */
export function fitJsonList(items: readonly unknown[], max: number): string {
  const parts: string[] = [];
  let length = 2;
  for (const item of items) {
    const json = JSON.stringify(item);
    length += json.length + 1;
    if (length > max) break;
    parts.push(json);
  }
  return `[${parts.join(',')}]`;
}

/** A list of texts, each cut, at most `count` of them. */
export const fitTexts = (texts: readonly string[], count: number, length: number): string[] =>
  texts.slice(0, count).map(text => takeCodePoints(text, length));
