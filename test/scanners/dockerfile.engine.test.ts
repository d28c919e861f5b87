import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox, StepResult } from '../../src/sandbox/sandbox.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import { readRuleFiles } from '../../src/scanners/shipped-pack.ts';
import { RULES_FOLDER } from '../rules/rule-cases.ts';
import { openSandbox, toJob, toStep } from '../sandbox/real-sandbox.ts';
import { scan, statusOf, toLines } from './scan.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const rules = toRulePack(readRuleFiles(RULES_FOLDER)).rules.flatMap(({ id, dockerfile }) =>
  dockerfile === undefined ? [] : [{ id, rule: dockerfile }],
);

/** What the guest's reader of Dockerfiles says of these texts. */
async function examine(texts: readonly string[]): Promise<StepResult | undefined> {
  const snapshot = [
    { path: 'rules.json', content: Buffer.from(JSON.stringify(rules)) },
    ...texts.map((text, at) => ({ path: `files/${at}.dockerfile`, content: Buffer.from(text) })),
  ];
  const argv = ['/opt/cypherfix/guest', 'dockerfile', '/work/rules.json', '/work/files'];
  const job = toJob([[toStep('rules', argv, { timeoutMs: 120_000 })]], { timeoutMs: 150_000 }, snapshot);
  return (await sandbox.run(job, AbortSignal.timeout(150_000))).steps.get('rules');
}

describe('no text of 32 KB keeps a shipped rule busy for so long that the guest gives the file up', () => {
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
  const instructions = ['RUN', 'ENV', 'ARG', 'COPY', 'FROM', 'ADD', 'USER', 'EXPOSE'];
  const length = Math.floor(LENGTH / instructions.length);
  const repeated = fragments.flatMap(fragment => [
    instructions.map(name => `${name} ${fragment.repeat(length / fragment.length)}`).join('\n'),
    `RUN ${fragment.repeat(LENGTH / fragment.length)}`,
  ]);
  // Each start of an expression times each place of its middle times each end: cubic where two parts match the same text.
  const pairs = [
    ['curl ', 'k'],
    ['curl ', '-k'],
    ['wget ', '|sudo '],
    ['chmod ', '-a '],
    ['useradd ', '-p'],
    ['echo ', ' '],
    ['https://a', 'TOKEN'],
  ] as const;
  const paired = pairs.map(
    ([start, run]) => `RUN ${start.repeat(LENGTH / 2 / start.length)}-${run.repeat(LENGTH / 2 / run.length)}!`,
  );

  test('fragments over and over, and in pairs', async () => {
    const texts = [...repeated, ...paired];
    const result = await examine(texts);
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    const { files, refused } = JSON.parse(result?.stdout.toString() ?? '');
    expect(refused).toBeUndefined();
    expect(files).toHaveLength(texts.length);
    expect(files.filter((file: { error?: string }) => file.error !== undefined)).toEqual([]);
  });
});

test('an expression that only JavaScript takes fails the scanner by name, and the other rules still find', async () => {
  const toRule = (id: string, matches: string): string =>
    `id: ${id}\nlanguage: dockerfile\nmessage: m\nrule: { instruction: RUN, matches: '${matches}' }\n` +
    'metadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: Do. }\n';
  const text = [toRule('of-javascript', '(?<$>curl)'), toRule('of-both', 'curl')].join('---\n');
  const files = { Dockerfile: 'FROM a\nRUN curl x\n' };
  const result = await scan(sandbox, files, { rulePack: toRulePack([{ name: 'own.yml', text }]) });
  expect(toLines(result.findings)).toContain('ast-grep of-both Dockerfile:2');
  expect(statusOf(result, 'ast-grep')).toMatch(/^failed: Dockerfile rules that cannot be used: of-javascript: /);
});
