import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_COST } from '../../src/core/report.ts';
import { draft, judgement, NOTHING_FOUND } from '../review/scripted-model.ts';
import { startAnthropic } from '../sim-model/anthropic.ts';
import type { Simulator } from '../sim-model/site.ts';
import { readCases } from './cases.ts';
import { type Reviewed, type RoleScore, score } from './score.ts';
import { renderTable } from './table.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const KEY = 'sk-ant-test';
const CASES = ['security-path-traversal-py', 'style-copied-helper-py'];
const ROLES = Object.fromEntries(
  ['security', 'correctness', 'style', 'reflection', 'judge'].map(role => [role, `# Your duty: ${role}`]),
);
const cases = readCases(join(REPOSITORY, 'test/data/eval'));
const folder = mkdtempSync(join(tmpdir(), 'eval-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the set', () => {
  test('has at least twelve faults of all three roles in several languages, and twins that differ from them', () => {
    const faults = cases.flatMap(item => item.faults);
    expect(faults.length).toBeGreaterThanOrEqual(12);
    for (const role of ['security', 'correctness', 'style']) {
      expect(faults.filter(fault => fault.role === role).length, role).toBeGreaterThanOrEqual(4);
    }
    expect(new Set(faults.map(({ path }) => path.slice(path.lastIndexOf('.')))).size).toBeGreaterThanOrEqual(6);
    for (const { name, base, files } of cases) {
      expect([...files.clean.keys()], name).toEqual([...files.faulty.keys()]);
      for (const [path, clean] of files.clean) {
        expect([name, path, clean]).not.toEqual([name, path, files.faulty.get(path)]);
        expect([name, path, clean]).not.toEqual([name, path, base.get(path)]);
      }
    }
  });

  test.each([
    ['a quote that is not there', { quote: 'nowhere' }, 'does not hold "nowhere"'],
    ['a quote that stands twice', { quote: 'x' }, 'stands twice'],
    ['an unknown role', { role: 'beauty' }, 'case.json'],
    ['a file that is not there', { path: 'b.py' }, 'does not hold'],
  ])('refuses a case with %s', (_, changed, message) => {
    const fault = { role: 'style', path: 'a.py', quote: 'x = x', why: 'so', ...changed };
    writeCase('bad', { title: 'T', body: null, faults: [fault] });
    expect(() => readCases(folder, ['bad'])).toThrow(message);
  });

  test('refuses a name that is none', () => {
    expect(() => readCases(join(REPOSITORY, 'test/data/eval'), ['nope'])).toThrow("no case 'nope'");
    expect(() => readCases(join(folder, 'absent'))).toThrow('cannot be read');
  });
});

function writeCase(name: string, meta: unknown): void {
  for (const [path, content] of [
    ['case.json', JSON.stringify(meta)],
    ['base/a.py', 'x = 0\n'],
    ['faulty/a.py', '\nx = x\n'],
    ['clean/a.py', 'x = 1\n'],
  ] as const) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

describe('the count', () => {
  const planted = (role: 'security' | 'style', path: string, line: number) => ({
    role,
    path,
    line,
    quote: 'q',
    why: `${path} is bad`,
  });
  const item = (name: string, ...faults: ReturnType<typeof planted>[]) => ({
    name,
    title: 'T',
    body: null,
    base: new Map(),
    files: { faulty: new Map(), clean: new Map() },
    faults,
  });
  const finding = (
    tool: 'security' | 'correctness' | 'style',
    path: string,
    startLine: number | null,
    endLine = startLine,
  ) => ({
    tool,
    path,
    startLine,
    endLine,
    title: 'Bad',
    mergedFrom: [] as { reviewer: 'security' | 'correctness' | 'style'; id: string }[],
  });
  const row = (role: string, usd: number) => ({
    ...{ role, model: 'm', usd, calls: 2, inputTokens: 1, outputTokens: 1, cacheReadTokens: 0 },
  });
  const review = (name: string, variant: Reviewed['variant'], findings: Reviewed['findings']): Reviewed => ({
    case: name,
    variant,
    findings,
    failures: [],
    score: 0.8,
    cost: { ...NO_COST, byRole: [row('security', 0.01), row('judge', 0.02)] },
    ms: { security: 1_000, judge: 500 },
  });

  test('tells found from missed, right from wrong, one role from another', () => {
    const merged = { ...finding('style', 'b.js', 8, 12), mergedFrom: [{ reviewer: 'security' as const, id: 'sec-1' }] };
    const result = score(
      [
        item('one', planted('security', 'a.js', 10)),
        item('two', planted('security', 'b.js', 10), planted('style', 'b.js', 90)),
      ],
      [
        review('one', 'faulty', [
          finding('style', 'a.js', 13),
          finding('security', 'a.js', 14),
          finding('security', 'z.js', 10),
        ]),
        review('one', 'clean', [finding('correctness', 'a.js', 10)]),
        review('two', 'faulty', [merged, finding('style', 'b.js', null)]),
        review('two', 'clean', []),
      ],
    );
    expect(result).toMatchObject({ faults: 3, found: 2, recall: 0.6667, findings: 6, right: 2, precision: 0.3333 });
    expect(result).toMatchObject({ falseAlarmRate: 0.5, calls: 16, usd: 0.12, ms: 6_000, incomplete: [] });
    const { security, correctness, style, judge } = result.byRole;
    expect(security).toEqual({
      ...{ faults: 2, found: 1, recall: 0.5, findings: 3, right: 1, precision: 0.3333 },
      ...{ calls: 8, usd: 0.04, ms: 4_000 },
    });
    expect(correctness).toMatchObject({ faults: 0, recall: null, findings: 1, right: 0, precision: 0, calls: 0 });
    expect(style).toMatchObject({ faults: 1, found: 0, recall: 0, findings: 3, right: 2, precision: 0.6667 });
    expect(judge).toEqual({ calls: 8, usd: 0.08, ms: 2_000 });
    expect(result.byCase).toEqual([
      {
        case: 'one',
        missed: [],
        extra: ['security: a.js:14: Bad', 'security: z.js:10: Bad'],
        alarms: ['correctness: a.js:10: Bad'],
      },
      { case: 'two', missed: ['b.js is bad'], extra: ['style: b.js: Bad'], alarms: [] },
    ]);
    const table = renderTable(result, 'nobody');
    expect(table).toContain('answered by nobody');
    expect(table).toMatch(/^security +2 +1 +50 % +3 +1 +33 % +8 +0\.0400 +4\.0$/m);
    expect(table).toMatch(/^all +3 +2 +67 % /m);
    expect(table).toContain('two: b.js is bad');
  });

  test('counts the faults of a review that did not finish as missed, and names it', () => {
    const broken = { ...review('one', 'faulty', []), failures: ['The style reviewer did not finish: refused.'] };
    const result = score([item('one', planted('security', 'a.js', 10))], [broken]);
    expect(result).toMatchObject({ recall: 0, precision: null, falseAlarmRate: null });
    expect(result.incomplete).toEqual(['one (faulty): The style reviewer did not finish: refused.']);
  });
});

describe('npm run eval', { timeout: 180_000 }, () => {
  let api: Simulator;
  beforeAll(async () => {
    api = await startAnthropic({
      roles: ROLES,
      script: [
        // Right in the faulty change, and a false alarm nowhere: the line is in that prompt alone.
        {
          when: { role: 'style' },
          requires: { prompt: '+    units, rest = divmod(abs(order.total), 100)' },
          answer: {
            json: {
              ...NOTHING_FOUND,
              findings: [
                draft({ path: 'mail.py', quote: 'units, rest = divmod(abs(order.total), 100)', title: 'Copied' }),
              ],
            },
          },
        },
        { when: { role: 'judge' }, answer: { json: judgement(0.8) } },
      ],
    });
  });
  afterAll(() => api.close());

  test('counts what models answer, keeps it, and counts the same again without them', async () => {
    const file = join(folder, 'reviews.json');
    const live = await run({ ANTHROPIC_API_KEY: KEY, MODEL_BASE_URL: api.url }, ...only(), '--record', file);
    expect(live.status, live.stderr).toBe(0);
    const counted = JSON.parse(live.stdout);
    expect(counted).toMatchObject({
      recorded: false,
      faults: 2,
      found: 1,
      recall: 0.5,
      findings: 1,
      precision: 1,
      falseAlarmRate: 0,
    });
    expect(counted.answeredBy).toContain(`at ${new URL(api.url).host} (MODEL_BASE_URL)`);
    expect(counted.byRole.style).toMatchObject({ faults: 1, found: 1, recall: 1 });
    expect(counted.usd).toBeGreaterThan(0);
    expect(live.stderr).toContain('security-path-traversal-py: a name such as');
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);

    const asked = api.journal.prompts().length;
    const again = await run({}, ...only(), '--replay', file);
    expect(again.status, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toEqual({
      ...counted,
      recorded: true,
      answeredBy: `a recording of ${counted.answeredBy}`,
    });
    expect(api.journal.prompts()).toHaveLength(asked);

    const other = readFileSync(file, 'utf8').replace(
      /"requestHash": "[0-9a-f]{64}"/,
      `"requestHash": "${'0'.repeat(64)}"`,
    );
    writeFileSync(join(folder, 'other.json'), other);
    const differing = await run({}, ...only(), '--replay', join(folder, 'other.json'));
    expect([differing.status, differing.stdout]).toEqual([70, '']);
    expect(differing.stderr).toMatch(/turn 0 of the role/);
    const missing = await run({}, '--case', 'style-name-lies-go', '--replay', file);
    expect([missing.status, missing.stderr]).toEqual([64, expect.stringContaining('no review of style-name-lies-go')]);
  });

  test('ends with 2 where reviews do not finish', async () => {
    const { status, stdout } = await run(
      { ANTHROPIC_API_KEY: 'sk-ant-wrong', MODEL_BASE_URL: api.url },
      '--case',
      CASES[0] ?? '',
    );
    expect(status).toBe(2);
    const { incomplete, byRole } = JSON.parse(stdout) as { incomplete: string[]; byRole: Record<string, RoleScore> };
    expect(incomplete[0]).toContain('unauthorized');
    expect(byRole['security']?.recall).toBe(0);
  });

  test.each([
    ['no key and no recording', [], 69, /ANTHROPIC_API_KEY is not set.*--replay FILE/s],
    ['both ways', ['--record', 'a', '--replay', 'b'], 64, /do not go together/],
    ['an unknown option', ['--nonsense'], 64, /--nonsense/],
    ['a recording that is none', ['--replay', '/dev/null'], 64, /--replay \/dev\/null/],
  ] as const)('refuses %s', async (_, options, expected, message) => {
    const { status, stdout, stderr } = await run({}, ...options);
    expect([status, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(message);
  });
});

const only = () => CASES.flatMap(name => ['--case', name]);

async function run(env: Record<string, string>, ...options: string[]) {
  const child = spawn('bash', [join(REPOSITORY, 'test/eval/eval.sh'), ...options], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const closed = new Promise<number | null>(done => child.on('close', done));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { status, stdout, stderr };
}
