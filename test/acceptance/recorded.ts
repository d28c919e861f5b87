import { readFileSync } from 'node:fs';

/** Output of a real runner, recorded on test suites that differ in language but not in what they show. */
export const readRecorded = (name: string): string =>
  readFileSync(new URL(`../data/acceptance/${name}`, import.meta.url), 'utf8');
