// `npm run detect -- --labels FILE DIR`: runs the scanners over a folder as `review --dir DIR --all` does and scores the
// findings against labelled lines. Prints one JSON object. Exit status: 0 scored, 64 usage or a bad label, 69/70 as review.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const USAGE = 'usage: npm run detect -- --labels FILE.jsonl[.gz] DIR';

/** Weaknesses that tools name by different numbers for the same fault: one family agrees with each of its members. */
const FAMILIES = [
  [77, 78, 88],
  [22, 23, 36, 73, 99],
  [79, 80, 116],
  [94, 95, 96],
  [259, 321, 522, 798],
  [326, 327, 328, 916],
  [330, 338],
  [400, 730, 1333],
];

function refuse(message) {
  process.stderr.write(`detect: ${message}\n${USAGE}\n`);
  process.exit(64);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options: { labels: { type: 'string' } }, allowPositionals: true });
    if (values.labels === undefined || positionals.length !== 1) refuse('needs --labels FILE and one folder');
    return { labels: values.labels, folder: positionals[0] };
  } catch (error) {
    return refuse(error.message);
  }
}

function readLabels(file) {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch {
    refuse(`${file} cannot be read`);
  }
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const label = parseLabel(line);
    if (label === null)
      refuse(`${file}:${index + 1}: not a label {"path","line","kind":"vulnerable"|"safe","cwe"?,"endLine"?}`);
    return [label];
  });
}

function parseLabel(line) {
  try {
    const label = JSON.parse(line);
    const valid =
      typeof label.path === 'string' &&
      Number.isInteger(label.line) &&
      label.line > 0 &&
      ['vulnerable', 'safe'].includes(label.kind);
    return valid ? { ...label, cwe: toNumber(label.cwe) } : null;
  } catch {
    return null;
  }
}

const toNumber = cwe => (cwe === undefined || cwe === null ? null : Number(String(cwe).replace(/^CWE-/i, '')));

function scan(folder) {
  const work = mkdtempSync(join(tmpdir(), 'cypherfix-detect-'));
  try {
    const output = join(work, 'report.json');
    const { status } = spawnSync(
      process.execPath,
      [join(root, 'dist/index.js'), 'review', '--dir', folder, '--all', '--format', 'json', '--output', output],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (![0, 1, 2].includes(status)) process.exit(status ?? 70);
    return JSON.parse(readFileSync(output, 'utf8'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const familyOf = number => FAMILIES.find(family => family.includes(number)) ?? [number];
const agrees = (finding, cwe) => cwe !== null && finding.cwe.some(id => familyOf(cwe).includes(toNumber(id)));

/** Findings whose range covers the labelled lines or the line after them. */
function toHits(label, byPath) {
  const last = (label.endLine ?? label.line) + 1;
  return (byPath.get(label.path) ?? []).filter(finding => finding.startLine <= last && finding.endLine >= label.line);
}

const share = (part, whole) => (whole === 0 ? null : Number((part / whole).toFixed(4)));

function score(labels, findings) {
  const byPath = Map.groupBy?.(findings, f => f.path) ?? groupByPath(findings);
  const rows = labels.map(label => {
    const hits = toHits(label, byPath);
    return { label, hits, agreeing: hits.filter(finding => agrees(finding, label.cwe)) };
  });
  const rate = (kind, pick, only = rows) => {
    const of = only.filter(({ label }) => label.kind === kind);
    return share(of.filter(row => pick(row)).length, of.length);
  };
  const both = (pick, only) => ({ recall: rate('vulnerable', pick, only), falseAlarmRate: rate('safe', pick, only) });
  const tools = [...new Set(findings.flatMap(finding => finding.tools))].sort();
  const weaknesses = [...new Set(labels.map(label => label.cwe).filter(cwe => cwe !== null))].sort((a, b) => a - b);
  return {
    ...both(({ hits }) => hits.length > 0),
    agreeingCwe: both(({ agreeing }) => agreeing.length > 0),
    labels: {
      vulnerable: labels.filter(l => l.kind === 'vulnerable').length,
      safe: labels.filter(l => l.kind === 'safe').length,
    },
    findings: findings.length,
    byCwe: Object.fromEntries(
      weaknesses.map(cwe => [
        `CWE-${cwe}`,
        both(
          ({ hits }) => hits.length > 0,
          rows.filter(({ label }) => label.cwe === cwe),
        ),
      ]),
    ),
    byTool: Object.fromEntries(
      tools.map(tool => [tool, both(({ hits }) => hits.some(finding => finding.tools.includes(tool)))]),
    ),
    missed: rows
      .filter(({ label, hits }) => label.kind === 'vulnerable' && hits.length === 0)
      .map(({ label }) => `${label.path}:${label.line}`)
      .slice(0, 200),
    falseAlarms: rows
      .filter(({ label, hits }) => label.kind === 'safe' && hits.length > 0)
      .map(({ label, hits }) => `${label.path}:${label.line} ${hits.map(f => `${f.tool}/${f.ruleId}`).join(' ')}`)
      .slice(0, 200),
  };
}

function groupByPath(findings) {
  const groups = new Map();
  for (const finding of findings) groups.set(finding.path, [...(groups.get(finding.path) ?? []), finding]);
  return groups;
}

const { labels, folder } = readArguments();
const known = readLabels(labels);
const report = scan(folder);
process.stdout.write(
  `${JSON.stringify({ ...score(known, report.findings), complete: report.ledger.complete }, null, 2)}\n`,
);
