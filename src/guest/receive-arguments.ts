import { readFileSync, writeSync } from 'node:fs';

const STANDARD_INPUT = 0;
/** Where a waiting program says that it is ready. */
const SIGN = 3;

/** Says that the program is ready, and waits for the arguments and working directory of its step (warm-programs.ts). */
export function receiveArguments(): readonly string[] {
  writeSync(SIGN, '.');
  const { cwd, argv } = JSON.parse(readFileSync(STANDARD_INPUT, 'utf8')) as { cwd: string; argv: string[] };
  process.chdir(cwd);
  return argv;
}
