/**
 * What a text must contain for something to match in it, letters of either case alike: one of these words, or all or any
 * of other needs. Null: nothing that is known.
 */
export type Need = { readonly words: readonly string[] } | { readonly all: readonly Need[] } | AnyNeed | null;
type AnyNeed = { readonly any: readonly Need[] };

/** Shorter words are in nearly every file. */
const MIN_WORD_CHARS = 3;
/** What an expression may stand for is listed up to here. */
const MAX_WORDS = 96;
const MAX_CLASS_CHARS = 6;

/** A part of an expression: every text that it can match, in lower case, or what such a text contains. */
type Part = { readonly texts: readonly string[] } | { readonly need: Need };

/** What every match of a regular expression (Rust's syntax) contains; null where the expression is not understood. */
export function neededByRegex(source: string): Need {
  try {
    const parser = { source, at: 0 };
    const part = readAlternatives(parser);
    return parser.at === source.length ? needOf(part) : null;
  } catch (error) {
    if (error instanceof NotUnderstood) return null;
    throw error;
  }
}

export function neededAll(needs: readonly Need[]): Need {
  const known = needs.filter(need => need !== null);
  return known.length > 1 ? { all: known } : (known[0] ?? null);
}

export function neededAny(needs: readonly Need[]): Need {
  if (needs.some(need => need === null)) return null;
  return needs.length === 1 ? (needs[0] ?? null) : { any: needs };
}

class NotUnderstood extends Error {}

interface Parser {
  readonly source: string;
  at: number;
}

const ANYTHING: Part = { need: null };
const NOTHING: Part = { texts: [''] };

function needOf(part: Part): Need {
  return 'texts' in part ? neededWord(part.texts) : part.need;
}

/** One of these; a text with another one in it says no more than that one. */
function neededWord(texts: readonly string[]): Need {
  if (texts.some(text => text.length < MIN_WORD_CHARS)) return null;
  const words = [...new Set(texts)].filter(text => !texts.some(other => other !== text && text.includes(other)));
  return { words };
}

function readAlternatives(parser: Parser): Part {
  const parts = [readSequence(parser)];
  while (parser.source[parser.at] === '|') {
    parser.at++;
    parts.push(readSequence(parser));
  }
  if (parts.length === 1) return parts[0] ?? NOTHING;
  const texts = parts.flatMap(part => ('texts' in part ? part.texts : []));
  const isListed = parts.every(part => 'texts' in part) && texts.length <= MAX_WORDS;
  return isListed ? { texts } : { need: neededAny(parts.map(needOf)) };
}

function readSequence(parser: Parser): Part {
  const needs: Need[] = [];
  let texts: readonly string[] = [''];
  let isListed = true;
  while (parser.at < parser.source.length && !'|)'.includes(parser.source[parser.at] ?? '')) {
    const part = readRepeated(parser);
    if ('texts' in part && texts.length * part.texts.length <= MAX_WORDS) {
      texts = texts.flatMap(text => part.texts.map(next => text + next));
      continue;
    }
    isListed = false;
    needs.push(neededWord(texts));
    if ('need' in part) needs.push(part.need);
    texts = 'texts' in part ? part.texts : [''];
  }
  return isListed ? { texts } : { need: neededAll([...needs, neededWord(texts)]) };
}

function readRepeated(parser: Parser): Part {
  let part = readAtom(parser);
  for (;;) {
    const sign = readSign(parser);
    if (sign === '') return part;
    // After another sign it means as few as possible, which changes nothing for what is matched.
    if (parser.source[parser.at] === '?') parser.at++;
    if (sign === '?' && 'texts' in part) part = { texts: ['', ...part.texts] };
    else part = sign === '+' || /^\{0*[1-9]/.test(sign) ? { need: needOf(part) } : ANYTHING;
  }
}

function readSign(parser: Parser): string {
  const char = parser.source[parser.at] ?? '';
  if (char === '' || !'*+?{'.includes(char)) return '';
  const sign =
    char === '{' ? (/^\{\d+(?:,\d*)?\}/.exec(parser.source.slice(parser.at, parser.at + 24))?.[0] ?? '') : char;
  parser.at += sign.length;
  return sign;
}

function readAtom(parser: Parser): Part {
  const char = parser.source[parser.at++] ?? '';
  if (char === '(') return readGroup(parser);
  if (char === '[') return readClass(parser);
  if (char === '\\') return readEscape(parser);
  if (char === '.') return ANYTHING;
  if (char === '^' || char === '$') return NOTHING;
  if ('*+?{'.includes(char)) throw new NotUnderstood();
  return toLiteral(char);
}

/** A char that is not of ASCII has a case of its own. */
const toLiteral = (char: string): Part => (char < '\x7f' ? { texts: [char.toLowerCase()] } : ANYTHING);

function readGroup(parser: Parser): Part {
  if (parser.source[parser.at] === '?') {
    const [head, flags, end] = /^\?(?:P?<\w+>|([imsuU-]*)([:)]))/.exec(parser.source.slice(parser.at)) ?? [];
    // Without `x` the flags change case, line ends and greed alone, or turn off the characters beyond ASCII.
    if (head === undefined) throw new NotUnderstood();
    parser.at += head.length;
    if (flags !== undefined && end === ')') return NOTHING;
  }
  const part = readAlternatives(parser);
  if (parser.source[parser.at++] !== ')') throw new NotUnderstood();
  return part;
}

function readEscape(parser: Parser): Part {
  const char = parser.source[parser.at++] ?? '';
  // `\<` and `\>` are the ends of a word.
  if (/^[bBAz<>]$/.test(char)) return parser.source[parser.at] === '{' ? notUnderstood() : NOTHING;
  if (/^[wWdDsS]$/.test(char)) return ANYTHING;
  if (/^[nrt]$/.test(char)) return toLiteral({ n: '\n', r: '\r', t: '\t' }[char] ?? '');
  return /^[!-/:-@[-`{-~ ]$/.test(char) ? toLiteral(char) : notUnderstood();
}

/** A class of a few characters is each of them; of a longer or an odd one nothing is known but where it ends. */
function readClass(parser: Parser): Part {
  const [text, body = ''] = /^((?:\\[^pPxuU]|[^\\[\]])+)\]/.exec(parser.source.slice(parser.at)) ?? [];
  if (text === undefined) throw new NotUnderstood();
  parser.at += text.length;
  if (body.startsWith('^') || /&&|--|~~|\\[\w]/.test(body) || /[^\\]-./.test(body)) return ANYTHING;
  const chars = [...new Set(body.replace(/\\(.)/gs, '$1').toLowerCase())];
  const literals = chars.map(toLiteral);
  if (chars.length > MAX_CLASS_CHARS || literals.some(part => 'need' in part)) return ANYTHING;
  return { texts: chars };
}

function notUnderstood(): never {
  throw new NotUnderstood();
}
