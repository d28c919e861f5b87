// `npm run conformance -- FILE.jsonl[.gz]`: runs recorded pairs against the score model. The last line is
// `N passed, N failed`; the exit status is 1 when any failed, 64 for a file that cannot be read as pairs.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BadPairs, checkPair, type Pair, parsePairs } from './recorded.ts';

/** Differences shown in full; beyond these only the counts say more. */
const MAX_SHOWN = 50;

const DEFAULT_FILE = new URL('../data/vectors/triage-v3.2.jsonl.gz', import.meta.url).pathname;

const files = process.argv.slice(2);
process.exitCode = files.length > 1 ? refuse('one file at a time: conformance FILE.jsonl[.gz]') : run(files[0]);

function run(argument: string | undefined): number {
  // npm runs scripts at the top of the project; the path is meant from where it was typed.
  const file = argument === undefined ? DEFAULT_FILE : resolve(process.env['INIT_CWD'] ?? '.', argument);
  let pairs: Pair[];
  try {
    pairs = parsePairs(readFileSync(file));
  } catch (error) {
    const isOurs = error instanceof BadPairs;
    return refuse(isOurs ? `${file}: ${error.message}` : `${file} cannot be read: ${(error as Error).message}`);
  }
  const failures = pairs.flatMap(pair => {
    const difference = checkPair(pair);
    return difference === undefined ? [] : [`line ${pair.line} (${pair.fn}): ${difference}`];
  });
  for (const failure of failures.slice(0, MAX_SHOWN)) process.stdout.write(`${failure}\n`);
  if (failures.length > MAX_SHOWN) process.stdout.write(`… and ${failures.length - MAX_SHOWN} more\n`);
  process.stdout.write(`${pairs.length - failures.length} passed, ${failures.length} failed\n`);
  return failures.length === 0 ? 0 : 1;
}

function refuse(message: string): number {
  process.stderr.write(`conformance: ${message}\n`);
  return 64;
}
