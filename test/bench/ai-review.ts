// `npm run bench ai-review`: the built program against the simulated Messages API, as a process of its own, since the
// simulator has to answer while the review runs. Arguments: our own root, the repository under review, number of runs.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseReport, type Report } from '../../src/core/report.ts';
import { startAnthropic } from '../sim-model/anthropic.ts';
import type { Exchange } from '../sim-model/exchange.ts';
import type { Rule } from '../sim-model/script.ts';

const [root = '', repo = '', runs = '5'] = process.argv.slice(2);
const KEY = 'sk-ant-test';
const PACE = { firstByteAfterMs: 100, totalMs: 2_000 };
const REVIEWERS = ['security', 'correctness', 'style'];
const ROLES = Object.fromEntries([...REVIEWERS, 'reflection', 'judge'].map(role => [role, `# Your duty: ${role}`]));

const read = (path: string) => ({ name: 'read_file', input: { path, start_line: null, end_line: null } });
const search = (pattern: string) => ({
  name: 'search_code',
  input: { pattern, path_glob: null, fixed: true, ignore_case: null },
});
const finding = {
  category: 'Error handling',
  cwe: null,
  severity: 'low',
  confidence: 0.6,
  path: 'py/smtplib.py',
  quote: 'import socket',
  title: 'A reset is not told from a refusal',
  rationale: 'Both end in the same message.',
  suggestion: null,
  evidence: [],
};
const quality = { correctness: 0.8, groundedness: 0.8, actionability: 0.8, signal_to_noise: 0.8 };
/** Security looks twice, correctness three times at once and once more, style answers; reflection looks once. */
const SCRIPT: Rule[] = [
  { when: { role: 'security', turn: [1, 2] }, answer: { calls: [read('py/smtplib.py'), search('login')] } },
  {
    when: { role: 'correctness', turn: 1 },
    answer: { calls: [read('py/tarfile.py'), read('web/merge.ts'), search('close')] },
  },
  { when: { role: 'correctness' }, answer: { json: { findings: [finding], scanner: [], resolved: [], notes: '' } } },
  { when: { role: 'reflection', turn: 1 }, answer: { calls: [read('py/smtplib.py')] } },
  { when: { role: 'judge' }, answer: { json: { dimensions: quality, score: 0.8, rationale: 'As it is.' } } },
];

interface Measured {
  readonly wallMs: number;
  readonly sandboxMs: number;
  readonly chainMs: number;
  readonly ratio: number;
  /** Milliseconds from the first answer's beginning to the requests of the second and the third reviewer. */
  readonly followMs: number;
  readonly cacheShare: number;
  readonly report: Report;
}

async function measure(folder: string): Promise<Measured> {
  const api = await startAnthropic({ roles: ROLES, script: SCRIPT, pace: PACE, key: KEY });
  const output = join(folder, 'report.json');
  const config = join(folder, 'policy.yml');
  writeFileSync(config, 'ai: { budget_usd: 20 }\n');
  const argv = [
    'review',
    '--repo',
    repo,
    '--base',
    'HEAD~1',
    '--format',
    'json',
    '--output',
    output,
    '--config',
    config,
  ];
  const from = performance.now();
  await run([join(root, 'dist/index.js'), ...argv, '--ai'], { ANTHROPIC_API_KEY: KEY, MODEL_BASE_URL: api.url });
  const wallMs = performance.now() - from;
  await api.close();
  const report = parseReport(JSON.parse(readFileSync(output, 'utf8')));
  const sandboxMs = (report.sandbox?.runs ?? []).reduce((sum, one) => sum + one.durationMs, 0);
  const chainMs = toChain(api.journal.prompts());
  const [first, ...others] = REVIEWERS.map(role => api.journal.prompts(role)[0]);
  const followMs = Math.max(...others.map(one => (one?.at ?? Number.NaN) - (first?.startedAt ?? Number.NaN)));
  const { cacheRead = 0, cacheWrite = 0, input = 0 } = others[0]?.usage ?? {};
  const cacheShare = cacheRead / (cacheRead + cacheWrite + input);
  return { wallMs, sandboxMs, chainMs, ratio: (wallMs - sandboxMs) / chainMs, followMs, cacheShare, report };
}

/** The longest chain of calls that had to wait for each other: a reviewer's, reflection's, the judge's. */
function toChain(prompts: readonly Exchange[]): number {
  const lasting = (role: string) =>
    prompts.filter(one => one.role === role).reduce((sum, one) => sum + ((one.endedAt ?? one.at) - one.at), 0);
  const first = prompts.find(one => one.role === REVIEWERS[0]);
  const begun = (first?.startedAt ?? 0) - (first?.at ?? 0);
  const reviewers = REVIEWERS.map((role, at) => (at === 0 ? 0 : begun) + lasting(role));
  return Math.max(...reviewers) + lasting('reflection') + lasting('judge');
}

function run(argv: readonly string[], env: Record<string, string>): Promise<void> {
  const { PATH = '', HOME = '', CYPHERFIX_HOME } = process.env;
  const home = CYPHERFIX_HOME === undefined ? {} : { CYPHERFIX_HOME };
  const child = spawn('node', argv, { env: { PATH, HOME, ...home, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', status =>
      status === 0 || status === 1 ? resolve() : reject(new Error(`review ended with status ${status}`)),
    );
  });
}
/** The middle one. */
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const round = (value: number, digits = 3): number => Number(value.toFixed(digits));
const emit = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const folder = mkdtempSync(join(tmpdir(), 'cypherfix-bench-ai-'));
try {
  await measure(folder);
  const all: Measured[] = [];
  for (let turn = 0; turn < Number(runs); turn++) all.push(await measure(folder));
  const of = (value: (one: Measured) => number) => median(all.map(value));
  const ratio = of(one => one.ratio);
  const middle = all.find(one => one.ratio === ratio);
  emit({
    id: 'ai-review',
    measure: 'review of 20 files with models, wall time without that of the sandbox ÷ the longest chain of calls',
    value: round(ratio),
    unit: 'ratio',
    goal: '≤ 1.08',
    raw: {
      ratios: all.map(one => round(one.ratio)),
      wallMs: round(
        of(one => one.wallMs),
        0,
      ),
      sandboxMs: round(
        of(one => one.sandboxMs),
        0,
      ),
      chainMs: round(
        of(one => one.chainMs),
        0,
      ),
      timings: middle?.report.timings,
    },
  });
  emit({
    id: 'ai-review-follow',
    measure: "from the first answer's beginning to the requests of the other reviewers ÷ the length of a call",
    value: round(of(one => one.followMs) / PACE.totalMs),
    unit: 'ratio',
    goal: '≤ 0.1',
    raw: { followMs: all.map(one => round(one.followMs, 0)) },
  });
  emit({
    id: 'ai-review-cache',
    measure: "part of the second reviewer's first prompt that comes from the cache",
    value: round(of(one => one.cacheShare)),
    unit: 'share',
    goal: '≥ 0.95',
    raw: { cost: middle?.report.cost },
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
