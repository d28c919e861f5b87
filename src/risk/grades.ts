import { CONFIDENCE_WORDS } from './data/confidence-table.ts';
import { SEVERITY_FLOORS, SEVERITY_IMPACT, UNGRADED_WORDS } from './data/severity-table.ts';
import { strip, toNumber } from './python-values.ts';

/** The severity word of a value: a known word as it is, a number by its band, null for what says nothing. */
export function normaliseSeverity(value: unknown): string | null {
  if (typeof value === 'string') {
    const word = strip(value).toLowerCase();
    if (UNGRADED_WORDS.has(word)) return null;
    if (Object.hasOwn(SEVERITY_IMPACT, word)) return word;
  } else if (typeof value !== 'number') return null;
  const number = toNumber(value);
  if (number === undefined) return null;
  const grade = number > 10 ? number / 10 : number;
  for (const [floor, word] of SEVERITY_FLOORS) if (grade >= floor) return word;
  return grade > 0 ? 'low' : 'info';
}

/** A confidence 0..1 from a word, a share or a percentage; null for what says nothing. */
export function normaliseConfidence(value: unknown): number | null {
  if (typeof value === 'string') {
    const word = strip(value).toLowerCase();
    if (Object.hasOwn(CONFIDENCE_WORDS, word)) return CONFIDENCE_WORDS[word] ?? null;
  } else if (typeof value !== 'number') return null;
  const number = toNumber(value);
  if (number === undefined) return null;
  return number > 1 ? Math.min(1, number / 100) : Math.max(0, number);
}
