import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openSandbox, toStep } from '../sandbox/real-sandbox.ts';

/**
 * What the published packages say to some texts, without anything left out of them: the message where no parser takes a
 * text, else a line a finding. `sandbox/npm/scanners/compare.mjs` compares far more of them whenever the image is built.
 */
const Recorded = z.object({
  eslint: z.string(),
  texts: z.array(z.string()),
  found: z.array(z.record(z.string(), z.union([z.string(), z.array(z.string())]))),
});
const Said = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      error: z.string().optional(),
      messages: z.array(
        z.object({
          ruleId: z.string(),
          line: z.number(),
          column: z.number(),
          endLine: z.number().default(0),
          endColumn: z.number().default(0),
        }),
      ),
    }),
  ),
});
const recorded = Recorded.parse(
  JSON.parse(readFileSync(new URL('../data/scanners/eslint-packages.json', import.meta.url), 'utf8')),
);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

test.each([
  ['the start-up snapshot', {}],
  // With variables of its own the step is started plainly.
  ['the bundle', { OWN: '1' }],
])('%s of the image finds what the packages find', async (_, env) => {
  const expected = recorded.found.flatMap((outcomes, index) =>
    Object.entries(outcomes).map(([extension, outcome]) => [`/work/code/${index}.${extension}`, outcome] as const),
  );
  const snapshot = expected.map(([path], at) => ({
    path: path.replace('/work/', ''),
    content: Buffer.from(recorded.texts[Math.floor(at / 3)] ?? ''),
  }));
  const argv = ['/usr/bin/node', '/opt/eslint/lint.mjs', '/work/code'];
  const { steps, failure } = await sandbox.run(
    {
      purpose: 'test',
      imageClass: 'scanners',
      snapshot,
      phases: [[toStep('eslint', argv, { env, timeoutMs: 60_000, maxStdoutBytes: 1_000_000 })]],
      limits: { memoryMb: 1024, cpus: 2, timeoutMs: 120_000, maxOutputBytes: 2_000_000 },
    },
    AbortSignal.timeout(120_000),
  );
  expect(failure).toBeUndefined();
  expect(steps.get('eslint')).toMatchObject({ exitCode: 0, timedOut: false, truncated: false });
  const { files } = Said.parse(JSON.parse(steps.get('eslint')?.stdout.toString() ?? ''));
  const said = files.map(({ file, error, messages }) => [
    file,
    error ?? messages.map(m => `${m.ruleId} ${m.line} ${m.column} ${m.endLine} ${m.endColumn}`),
  ]);
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(expected));
});
