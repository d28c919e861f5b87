import { CypherFixError } from '../core/errors.ts';
import { parseReport, type ReportFinding } from '../core/report.ts';
import { NO_REVIEWS } from '../core/triage.ts';
import { scoreFinding, toCodeFindingRow } from '../risk/code-finding.ts';
import { COLUMNS, type FindingRow } from '../risk/row.ts';
import { countFindings } from './board.ts';
import type { FactsReading } from './facts-file.ts';
import { type JsonText, parseJsonObject, readJsonObjects } from './json-values.ts';
import { groupFindings, type RankedFinding, type RankingContext, rankRow } from './ranked-finding.ts';
import { needsFix, toRemediations } from './remediations.ts';
import { NOTHING_STORED } from './stored.ts';
import { type CutResult, EMPTY_COUNTS, type ResultLimits, toResult, toWarnings } from './triage-result.ts';

export interface ScoreFileInput {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** For messages. */
  readonly fileName: string;
  readonly known: FactsReading;
  readonly limits?: ResultLimits;
}

export interface ScoredFile extends CutResult {
  /** Of one of our reports: its findings, ranked by these facts. */
  readonly findings: readonly ReportFinding[];
  readonly notices: readonly string[];
}

export const MAX_ROWS = 1_000_000;
export const MAX_ROW_BYTES = 1024 * 1024;
const MAX_REPORT_BYTES = 64 * 1024 * 1024;

/** Of the lists of a local result, which is read by programs too. */
export const FILE_LIMITS: ResultLimits = { groups: 10_000, members: 100, remediations: 1_000, changes: 0 };

/**
 * Scores and groups the findings of a file: one of our reports, a JSON array of finding rows, or JSON Lines of them. The
 * rows are read one after the other and their long texts let go. Throws CypherFixError('usage') with file and line.
 */
export async function scoreFile(input: ScoreFileInput): Promise<ScoredFile> {
  const { chunks, fileName, known, limits = FILE_LIMITS } = input;
  const context: RankingContext = { ...known, storedOf: () => NOTHING_STORED };
  const ranked: RankedFinding[] = [];
  const linesOf = new Map<string, Map<string, number>>();
  const unused = new Map<string, number>();
  let report: { findings: ReportFinding[]; line: number } | null = null;

  for await (const text of readJsonObjects(chunks, {
    fileName,
    maxBytes: MAX_ROW_BYTES,
    maxFirstBytes: MAX_REPORT_BYTES,
  })) {
    const value = parseJsonObject(text, fileName);
    if (report !== null) throw refuse(fileName, text, 'nothing may follow a report');
    if (value['schemaVersion'] !== undefined) {
      if (ranked.length > 0) throw refuse(fileName, text, 'a report stands alone in its file');
      report = { findings: readReport(value, fileName, known), line: text.line };
      for (const row of toRows(report.findings)) ranked.push(rankRow(row, String(row.id), context));
      continue;
    }
    if (ranked.length >= MAX_ROWS) throw refuse(fileName, text, `more than ${MAX_ROWS} findings`);
    const row = readRow(value, text, fileName, unused);
    const id = row.id === undefined ? `line ${text.line}` : String(row.id);
    const label = String(row.label ?? '');
    const lines = linesOf.get(label) ?? new Map<string, number>();
    const earlier = lines.get(id);
    if (earlier !== undefined) throw refuse(fileName, text, `the same label and id as on line ${earlier}`);
    linesOf.set(label, lines.set(id, text.line));
    ranked.push(rankRow(row, id, context));
  }

  linesOf.clear();
  const groups = groupFindings(ranked);
  const due = groups.filter(needsFix);
  const remediations = toRemediations(due.slice(0, limits.remediations), { repository: '', branch: '' });
  const counts = { ...EMPTY_COUNTS, ...countFindings(ranked), groups: groups.length, reviews: NO_REVIEWS };
  const whole = {
    runId: null,
    status: 'completed' as const,
    counts,
    complete: true,
    groups,
    remediations,
    changes: [],
  };
  const { result, truncated } = toResult(whole, limits);
  const left = due.length - remediations.length;
  return {
    result,
    truncated: left === 0 ? truncated : { ...truncated, 'triage remediations': left },
    findings: report?.findings ?? [],
    notices: [...toWarnings(ranked), ...toUnusedNotices(unused)],
  };
}

function readReport(value: unknown, fileName: string, known: FactsReading): ReportFinding[] {
  let findings: readonly ReportFinding[];
  try {
    ({ findings } = parseReport(value));
  } catch (error) {
    const issue = (error as { issues?: { path: PropertyKey[]; message: string }[] }).issues?.[0];
    const fault = issue === undefined ? 'it cannot be read' : `${issue.path.map(String).join('.')}: ${issue.message}`;
    throw new CypherFixError('usage', `${fileName}: no report that this version writes: ${fault.slice(0, 300)}`);
  }
  return findings.map(finding => ({
    ...finding,
    risk: scoreFinding(toCodeFindingRow(finding, { public: false }), known.facts, known.intel),
  }));
}

const toRows = (findings: readonly ReportFinding[]): FindingRow[] =>
  findings
    .filter(({ suppressed }) => suppressed === undefined)
    .map(finding => toCodeFindingRow(finding, { public: false }));

function readRow(
  value: Readonly<Record<string, unknown>>,
  text: JsonText,
  fileName: string,
  unused: Map<string, number>,
): FindingRow {
  const { id, label } = value;
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    throw refuse(fileName, text, 'id: expected a text or a number');
  }
  if (label !== undefined && label !== null && typeof label !== 'string') {
    throw refuse(fileName, text, 'label: expected a text');
  }
  for (const column of Object.keys(value)) {
    if (COLUMNS.has(column)) continue;
    if (unused.size >= MAX_UNUSED && !unused.has(column)) continue;
    unused.set(column, (unused.get(column) ?? 0) + 1);
  }
  const row: FindingRow = value;
  return typeof id === 'number' ? { ...row, id: String(id) } : id === null ? { ...row, id: undefined } : row;
}

const MAX_UNUSED = 50;

/** A misspelt column would lower a rank in silence. */
function toUnusedNotices(unused: ReadonlyMap<string, number>): string[] {
  if (unused.size === 0) return [];
  const named = [...unused].slice(0, 10).map(([column, rows]) => `${column.slice(0, 60)} (${rows} rows)`);
  const more = unused.size > named.length ? ' and more' : '';
  return [`Columns that the ranking does not know: ${named.join(', ')}${more}.`];
}

const refuse = (fileName: string, { line }: JsonText, message: string) =>
  new CypherFixError('usage', `${fileName}:${line}: ${message}`);
