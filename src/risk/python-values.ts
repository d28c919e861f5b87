import { pythonRepr } from './python-text.ts';

/**
 * Row values come from a graph that several programs write, so a flag may be the text "true" and a number the text
 * "80". These readers follow the reference model: what they cannot read counts as absent, nothing throws.
 */

/** Strings only by the words true, yes and 1; else as Python reads truth: empty lists and objects are false. */
export function isTruthy(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0) return false;
  if (value === true) return true;
  if (typeof value === 'string') {
    const word = lower(value);
    return word === 'true' || word === 'yes' || word === '1';
  }
  return isPresent(value);
}

/** Language truth alone: any non-empty text counts, and so does NaN. */
export function isPresent(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value !== '';
    case 'boolean':
      return value;
    case 'number':
      return value !== 0;
    case 'object':
      return value !== null && (Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0);
    default:
      return value !== undefined;
  }
}

/** The value as text: strings as they are, absent ones empty, the rest as Python's `str` writes them. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'number' && Number.isInteger(value) ? String(value) : pythonRepr(value);
}

/** The value as text, or empty when it is not present by language truth (0 and [] are not). */
export const textOr = (value: unknown): string =>
  typeof value === 'string' ? value : isPresent(value) ? toText(value) : '';

const MAX_WORDS = 4_096;
const lowerWords = new Map<string, string>();

/** Trimmed and in lower case; empty for what is absent. Short words are remembered, since rows repeat them. */
export function lower(value: unknown): string {
  const text = typeof value === 'string' ? value : textOr(value);
  if (text === '') return '';
  if (text.length > 40) return strip(text).toLowerCase();
  let word = lowerWords.get(text);
  if (word === undefined) {
    word = strip(text).toLowerCase();
    if (lowerWords.size >= MAX_WORDS) lowerWords.clear();
    lowerWords.set(text, word);
  }
  return word;
}

// Python's white space: unlike JavaScript's it has the separators 0x1c to 0x1f and 0x85, and not the byte order mark.
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
export const SPACE_CLASS = `[${SPACE}]`;
const LEADING = new RegExp(`^${SPACE_CLASS}+`);
const IS_SPACE = new RegExp(SPACE_CLASS);

/** Without white space at both ends, as Python's `strip` does. */
export function strip(text: string): string {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  if (first > 32 && first < 127 && last > 32 && last < 127) return text;
  let end = text.length;
  while (end > 0 && IS_SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(0, end).replace(LEADING, '');
}

/** Lists without their nulls, a single value as a list of one, nothing as an empty list. */
export function toList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [value];
  return value.includes(null) || value.includes(undefined)
    ? value.filter(item => item !== null && item !== undefined)
    : value;
}

const NUMBER_TEXT = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;

/** A finite number from a number, a boolean or the text of one; undefined for everything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return undefined;
  const text = strip(value);
  if (!NUMBER_TEXT.test(text)) return undefined;
  const number = Number(text.replaceAll('_', ''));
  return Number.isFinite(number) ? number : undefined;
}

/** Cut toward zero; `fallback` for what is no finite number. */
export function toInteger(value: unknown, fallback: number): number {
  const number = toNumber(value);
  return number === undefined ? fallback : Math.trunc(number) + 0;
}
