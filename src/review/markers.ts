/**
 * Marks data for a model. The boundary is random, so that no text written before this run can close its own block; what
 * merely looks like a marker is made unlike one.
 */

/** A block of data. `label` is ours, `content` has been cleaned. */
export function markData(label: string, content: string, boundary: string): string {
  return `<untrusted-${boundary} source="${label}">\n${content}\n</untrusted-${boundary}>`;
}

/** Text in which nothing reads as one of our markers or as a turn of a chat. Doing it twice changes nothing more. */
export function neutraliseMarkers(text: string, boundary: string): string {
  return text
    .replaceAll(boundary, '[boundary]')
    .replace(MARKER, found => `(${found.slice(1)}`)
    .replace(CHAT_TOKEN, found => `(${found.slice(1)}`);
}

/** A letter and what looks like it. */
const LETTERS: Readonly<Record<string, string>> = {
  u: 'uUｕＵυս∪',
  n: 'nNｎＮոп',
  t: 'tTｔＴτт†',
  r: 'rRｒＲг',
  s: 'sSｓＳѕ5$',
  e: 'eEｅＥеЕ3',
  d: 'dDｄＤԁ',
};
const WORD = [...'untrusted'].map(letter => `[${LETTERS[letter]}]`).join('');
const MARKER = new RegExp(`[<＜﹤‹〈⟨《«˂][\\s/／∕⁄\\\\]{0,8}${WORD}`, 'gu');

/** Control tokens of chat templates, which servers of open models may take at their word. */
const CHAT_TOKEN = /<(?:\|[\w .-]{1,40}\|>|<\/?SYS>>)|\[\/?INST\]|<\/?(?:start|end)_of_turn>/gi;
