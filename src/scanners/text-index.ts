import type { Need } from './needed-text.ts';

/** Runs of four bytes by their hash, three for words of three letters: far more places than a usual file has runs. */
const TABLE_BITS = 19;
const SHIFT = 32 - TABLE_BITS;
const MULTIPLIER = 0x9e3779b1;
const ROUNDS = 255;
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
  const hashesOf = new Map<string, Uint32Array>();
  const answers = new Map<object, boolean>();
  let round = 0;
  let isAny = false;

  const mayContain = (word: string): boolean => {
    let hashes = hashesOf.get(word);
    if (hashes === undefined) {
      hashes = toHashes(word);
      hashesOf.set(word, hashes);
    }
    return hashes.every(hash => table[hash] === round);
  };

  const answer = (need: Exclude<Need, null>): boolean => {
    if ('words' in need) return need.words.some(mayContain);
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
      mark(table, text, round);
    },
    mayMeet,
  };
}

const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

function mark(table: Uint8Array, text: Buffer, round: number): void {
  let run = 0;
  // An iterator takes six times as long.
  for (let at = 0; at < text.length; at++) {
    run = (run << 8) | (FOLDED[text[at] as number] as number);
    table[Math.imul(run, MULTIPLIER) >>> SHIFT] = round;
    table[Math.imul(run & 0xffffff, MULTIPLIER) >>> SHIFT] = round;
  }
}

function toHashes(word: string): Uint32Array {
  const bytes = Buffer.from(word);
  const length = Math.min(bytes.length, 4);
  const hashes = new Uint32Array(bytes.length - length + 1);
  for (let at = 0; at < hashes.length; at++) {
    let run = 0;
    for (const byte of bytes.subarray(at, at + length)) run = (run << 8) | byte;
    hashes[at] = Math.imul(run, MULTIPLIER) >>> SHIFT;
  }
  return hashes;
}
