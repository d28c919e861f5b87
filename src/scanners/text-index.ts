import type { Need } from './needed-text.ts';

/** Runs of four bytes by their hash, three for words of three letters: far more places than a usual file has runs. */
const TABLE_BITS = 18;
const SHIFT = 32 - TABLE_BITS;
const MULTIPLIER = 0x9e3779b1;
const ROUNDS = 255;
const BLOCK_BYTES = 1024;
/** The two characters beyond ASCII that are a letter of ASCII where case does not count. */
const LONG_S = Buffer.from('\u017f');
const KELVIN = Buffer.from('\u212a');

/** Tells what a text may contain; wrong only by saying yes too often. */
export interface TextIndex {
  /** Looks at another text, and forgets the one before. */
  read(text: Buffer): void;
  mayMeet(need: Need): boolean;
}

export function createTextIndex(): TextIndex {
  const table = new Uint8Array(1 << TABLE_BITS);
  const answers = new Map<object, boolean>();
  let round = 0;
  let isAny = false;

  const answer = (need: Exclude<Need, null>): boolean => {
    if ('words' in need) return need.words.some(word => mayContain(table, word, round));
    return 'all' in need ? need.all.every(mayMeet) : need.any.some(mayMeet);
  };

  const mayMeet = (need: Need): boolean => {
    if (need === null || isAny) return true;
    const before = answers.get(need);
    if (before !== undefined) return before;
    const now = answer(need);
    answers.set(need, now);
    return now;
  };

  return {
    read: text => {
      if (round === ROUNDS) table.fill(0);
      round = (round % ROUNDS) + 1;
      answers.clear();
      isAny = text.includes(LONG_S) || text.includes(KELVIN);
      // In one call the engine of JavaScript would go through the first file without having optimized anything.
      for (let from = 0; from < text.length; from += BLOCK_BYTES) mark(table, text, from, round);
    },
    mayMeet,
  };
}

const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

const toPlace = (run: number): number => Math.imul(run, MULTIPLIER) >>> SHIFT;

/** Marks the runs that end in the block. */
function mark(table: Uint8Array, text: Buffer, from: number, round: number): void {
  const end = Math.min(from + BLOCK_BYTES, text.length);
  let run = 0;
  for (let at = Math.max(0, from - 3); at < end; at++) {
    run = (run << 8) | (FOLDED[text[at] as number] as number);
    table[toPlace(run)] = round;
    table[toPlace(run & 0xffffff)] = round;
  }
}

/** `word`: three characters of ASCII or more, none of them a capital. */
function mayContain(table: Uint8Array, word: string, round: number): boolean {
  let run = 0;
  for (let at = 0; at < word.length; at++) {
    run = (run << 8) | word.charCodeAt(at);
    if (at >= 3 && table[toPlace(run)] !== round) return false;
  }
  return word.length > 3 || table[toPlace(run)] === round;
}
