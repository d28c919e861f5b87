/**
 * Untrusted text made safe to look at: no terminal control, nothing invisible. Newlines and tabs stay; every other
 * control character becomes its picture, a run of invisible or direction-changing characters becomes `[U+202E]` or
 * `[U+200B and 41 more]`. Doing it twice changes nothing more.
 */
export function toVisibleText(text: string): string {
  return text
    .replace(ANSI, '')
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(CONTROL, toPicture)
    .replace(INVISIBLE, toName)
    .replace(LONE_SURROGATE, '\uFFFD');
}

/** How many characters of the text no reader would see. */
export function countInvisible(text: string): number {
  let count = 0;
  for (const run of text.matchAll(INVISIBLE)) count += [...run[0]].length;
  return count;
}

/**
 * The text without what no reader would see: invisible and direction characters and terminal sequences go, control
 * characters become their picture. Line feeds, and carriage returns before them, stay where they are. Doing it twice
 * changes nothing more.
 */
export function stripInvisible(text: string): string {
  // Lone halves first: parted by an invisible character, two of them would join to one more.
  return text
    .replace(LONE_SURROGATE, '\uFFFD')
    .replace(INVISIBLE, '')
    .replace(ANSI, '')
    .replace(/[\u0085\u2028\u2029]|\r(?!\n|$)/g, ' ')
    .replace(CONTROL, toPicture);
}

/** One line, safe for a terminal: line breaks and tabs become spaces. */
export function toSafeLine(text: string): string {
  return toVisibleText(text).replace(/\s+/g, ' ').trim();
}

/**
 * Lines for a workflow log, from which the runner reads no command: `::` at the start of a line and `##[` anywhere are
 * what it looks for.
 */
export function escapeWorkflowCommand(text: string): string {
  return toVisibleText(text)
    .replace(/^([^\S\n]*):(?=:)/gm, '$1: ')
    .replace(/##(?=\[)/g, '## ');
}

/** The data of a workflow command of our own (`::error::DATA`), on one line. */
export function escapeCommandData(text: string): string {
  return toVisibleText(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

/** The value of a property of a workflow command of our own (`::error file=VALUE::`). */
export function escapeCommandProperty(text: string): string {
  return escapeCommandData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** CSI, OSC and the other escape sequences; a sequence never reaches over the next escape, so this is linear. */
const ANSI =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x9b[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-Z\\^-~]/g;

const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]/g;

/**
 * Zero-width and direction characters, fillers, tags and variation selectors beyond those of emoji. A joiner right
 * after a pictograph belongs to an emoji and stays.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the selectors are meant one by one
  /(?:[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|(?<![\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}\ufe0f])\u200d)+/gu;

const LONE_SURROGATE = /\p{Surrogate}/gu;

function toPicture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\uFFFD';
}

function toName(run: string): string {
  const [first = '', ...more] = [...run];
  const name = `U+${(first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return more.length === 0 ? `[${name}]` : `[${name} and ${more.length} more]`;
}
