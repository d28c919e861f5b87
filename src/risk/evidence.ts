import { createHash } from 'node:crypto';
import { SECRET_LABELS } from './classes.ts';
import { type Cap, linesOf } from './evidence-fields.ts';
import { isPresent, isTruthy, lower, strip, toList, toText } from './python-values.ts';
import { redactEvidence } from './redact.ts';
import type { FindingRow } from './row.ts';
import { codePointLength, takeCodePoints, wellFormed } from './text.ts';

export const MAX_BUNDLE_LENGTH = 2_500;

const TOOL_SOURCES: ReadonlySet<string> = new Set(['takeover_scan', 'cache_poisoning']);

/** What a reader of a finding sees of it: lines of `Label: value`, redacted and capped; empty for an empty row. */
export function renderEvidence(row: FindingRow): string {
  const source = lower(row.source);
  const lines = linesOf([
    ['Finding', row.name],
    ['Source', isPresent(row.source) ? row.source : row.label],
    ...fieldsOf(row, source),
  ]);
  return takeCodePoints(redactEvidence(lines), MAX_BUNDLE_LENGTH);
}

/** Lines that model v3.1 did not show. */
const LATER_LINES: ReadonlySet<string> = new Set(['Matcher', 'Fuzzed parameter', 'Request', 'Port', 'Solution type']);

/** The evidence as model v3.1 showed it: fewer lines, nothing masked. Only hashes of old reviews are made of it. */
export function renderLegacyEvidence(row: FindingRow): string {
  let lines = '';
  const fields: readonly Field[] = [
    ['Finding', row.name],
    ['Source', isPresent(row.source) ? row.source : row.label],
    ...fieldsOf(row, lower(row.source)),
  ];
  for (const [label, value, cap] of fields) {
    if (LATER_LINES.has(label) || !isPresent(value)) continue;
    const text = strip(toText(value));
    const isLong = cap !== undefined && codePointLength(text) > cap.length;
    if (text !== '') lines += `${label}: ${isLong ? `${takeCodePoints(text, cap.length)} [...]` : text}\n`;
  }
  return takeCodePoints(lines, MAX_BUNDLE_LENGTH);
}

/** Name of the evidence as it was read: 40 hex digits, empty for empty evidence. */
export const hashEvidence = (bundle: string): string =>
  bundle === '' ? '' : createHash('sha256').update(wellFormed(bundle), 'utf8').digest('hex').slice(0, 40);

type Field = readonly [label: string, value: unknown, cap?: Cap];

function fieldsOf(row: FindingRow, source: string): readonly Field[] {
  if (source === 'nuclei') return templateFields(row);
  if (source === 'gvm' || row.label === 'ExploitGvm') return gvmFields(row);
  if (TOOL_SOURCES.has(source) || source.startsWith('graphql_') || source.startsWith('ai_')) return toolFields(row);
  if (SECRET_LABELS.has(row.label)) return secretFields(row);
  if (row.label === 'JsReconFinding') return scriptFields(row);
  if (row.label === 'MalPackageFinding') return packageFields(row);
  return [
    ['Description', row.description, { length: 1_500 }],
    ['Evidence', row.evidence, { length: 1_500 }],
  ];
}

const templateFields = (row: FindingRow): readonly Field[] => [
  ['Template', row.template_id],
  ['Matched at', row.matched_at],
  ['Matcher', row.matcher_name],
  ['Fuzzed parameter', row.fuzzing_parameter],
  ['Extracted', toList(row.extracted_results).map(toText).join('; '), { length: 500 }],
  ['Request', row.raw_request, { length: 500, http: true }],
  ['Response', row.raw_response, { length: 1_500, http: true }],
];

const gvmFields = (row: FindingRow): readonly Field[] => [
  ['Description', row.description, { length: 1_500 }],
  ['Quality of detection', `${orNone(row.qod)} (${orNone(row.qod_type)})`],
  ['CVEs', toList(row.cve_ids).map(toText).join(', ')],
  ['Port', row.target_port],
  ['Solution type', row.solution_type],
];

const orNone = (value: unknown): string => (value === undefined || value === null ? 'None' : toText(value));

const toolFields = (row: FindingRow): readonly Field[] => [
  ['Evidence', row.evidence, { length: 1_500 }],
  ['Tool verdict', row.verdict],
  ['Confidence tier', row.confidence_tier],
  ['Attack success rate', row.ai_asr],
  ['Judged by', row.ai_oracle_kind],
];

function secretFields(row: FindingRow): readonly Field[] {
  const place = firstOf(row.path, row.location, row.triage_host);
  const value = strip(toText(firstOf(row.matched_text, row.raw_secret, row.secret_value, row.sample)));
  return [
    ['Type', firstOf(row.secret_type, row.detector_name)],
    ['Detector', row.detector_name],
    ['Found in', place],
    ['Validation', isPresent(row.validation_status) ? row.validation_status : 'never tested'],
    ['Value (redacted)', value === '' ? '' : shorten(value)],
    ['Path note', TEST_PATH.test(toText(place).toLowerCase()) ? 'this path looks like a test or example file.' : ''],
  ];
}

const TEST_PATH =
  /\/test\/|\/tests\/|\/spec\/|\/fixture|\/mock|\/example|\/sample|\/__tests__\/|\.test\.|\.spec\.|_test\.|test_|\.example|\.sample|\.dist/;

function shorten(value: string): string {
  const length = codePointLength(value);
  const points = [...value];
  return length <= 8
    ? `${points[0] ?? ''}***(${length} chars)`
    : `${points.slice(0, 4).join('')}...${points.slice(-2).join('')} (${length} chars)`;
}

const scriptFields = (row: FindingRow): readonly Field[] => [
  ['Kind', row.finding_type],
  ['Title', firstOf(row.title, row.name)],
  ['Detail', firstOf(row.detail, row.description), { length: 800 }],
  ['Evidence', row.evidence, { length: 500 }],
  ['Scanner confidence', row.confidence],
];

const packageFields = (row: FindingRow): readonly Field[] => [
  ['Verdict', row.verdict],
  ['Tool', row.source_tool],
  ['Advisory', row.advisory_id],
  ['Detail', firstOf(row.detail, row.description), { length: 1_200 }],
  ['Note', isTruthy(row.soft_error) ? 'the analyser could not read this package.' : ''],
];

const firstOf = (...values: readonly unknown[]): unknown => values.find(isPresent);
