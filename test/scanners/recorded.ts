import { readFileSync } from 'node:fs';
import type { StepResult } from '../../src/sandbox/sandbox.ts';

/** A step's result with the recorded output of a real run, as test/data/scanners holds it. */
export function recorded(name: string, changes: Partial<StepResult> = {}): StepResult {
  const read = (stream: string): Buffer =>
    readFileSync(new URL(`../data/scanners/${name}.${stream}.txt`, import.meta.url));
  return toResult({ stdout: read('stdout'), stderr: read('stderr'), ...changes });
}

export const toResult = (changes: Partial<StepResult> = {}): StepResult => ({
  exitCode: 0,
  signal: null,
  timedOut: false,
  truncated: false,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  durationMs: 1_000,
  ...changes,
});
