import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendSummary, setOutputs } from '../../src/runner/outputs.ts';
import { parseCommandFile } from '../sim/runner-files.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'outputs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeAndRead(outputs: Record<string, string>) {
  const file = join(folder, 'output');
  writeFileSync(file, '');
  setOutputs({ GITHUB_OUTPUT: file }, outputs);
  return parseCommandFile(readFileSync(file, 'utf8'));
}

test('no value can set another output, whatever it holds', () => {
  const hostile = 'x\nend-of-value\ngate<<end-of-value-1\npass\nend-of-value-1\n';
  expect(writeAndRead({ reason: hostile, gate: 'tripped' })).toEqual({ reason: hostile, gate: 'tripped' });
});

test('every value comes back as it was', () => {
  const part = fc.constantFrom('end-of-value', '-1', '-2', '\n', '<<', 'gate=pass', 'x', ' ', '');
  const value = fc.array(part, { maxLength: 12 }).map(parts => parts.join(''));
  fc.assert(
    fc.property(value, value, (first, second) => {
      expect(writeAndRead({ first, second })).toEqual({ first, second });
    }),
  );
});

test('outside a job nothing is written', () => {
  expect(() => setOutputs({}, { gate: 'pass' })).not.toThrow();
  expect(() => appendSummary({ GITHUB_STEP_SUMMARY: '' }, 'text')).not.toThrow();
});
