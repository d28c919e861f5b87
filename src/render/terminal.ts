import type { Report, ReportFinding } from '../core/report.ts';
import { toSafeLine } from '../core/untrusted.ts';
import { toCostLine, toCounts, toScoreSentence } from './ai-section.ts';
import { cutCodePoints } from './budget.ts';
import { isSkipped, toPartialReasons } from './ledger-file.ts';
import { plural, toCarriedCount, toDuration, toHeadline, toOpenFindings, toSeverityCounts } from './phrases.ts';
import { renderTerminalAcceptance } from './terminal-acceptance.ts';
import { paint, type Style } from './terminal-color.ts';
import { renderTerminalFinding } from './terminal-finding.ts';
import { toColumns, wrapText } from './wrap.ts';

export interface TerminalOptions {
  /** Columns; 80 by default, kept between 40 and 120. */
  readonly width?: number;
  /** Whether colour is wanted; the caller decides from the terminal and NO_COLOR. */
  readonly color?: boolean;
}

/** The report for a terminal: findings by file with the code, then the gate, what was examined, and where. */
export function renderTerminal(report: Report, { width = 80, color = false }: TerminalOptions = {}): string {
  const view: Style = { width: Math.min(120, Math.max(40, width)), color };
  const blocks = [
    renderInsecure(report, view),
    ...renderFindings(report, view),
    renderScanners(report, view),
    renderAi(report, view),
    renderTerminalAcceptance(report, view),
    renderExamined(report, view),
    renderList('Suppressions added by this change (reported, not obeyed)', suppressionsAdded(report), view),
    renderList('Notes', [...report.notices, ...cutCounts(report)], view),
    renderResult(report, view),
  ];
  return `${blocks.filter(block => block !== '').join('\n\n')}\n`;
}

const MAX_FINDINGS = 1_000;
const MAX_LIST = 50;

function renderInsecure({ sandbox }: Report, view: Style): string {
  if (sandbox?.insecure !== true) return '';
  const text = `WARNING: the sandbox was not gVisor (${toSafeLine(sandbox.runtime)}). For development only; do not rely on this report.`;
  return wrapText(text, view.width)
    .map(line => paint(line, 'alarm', view))
    .join('\n');
}

function renderFindings(report: Report, view: Style): string[] {
  const open = toOpenFindings(report);
  const shown = open.slice(0, MAX_FINDINGS);
  const blocks: string[] = [];
  for (const path of new Set(shown.map(finding => finding.path))) {
    const group = shown.filter(finding => finding.path === path).sort(byLine);
    blocks.push(
      [paint(toSafeLine(path), 'bold', view), ...group.map(finding => renderTerminalFinding(finding, view))].join('\n'),
    );
  }
  if (open.length > shown.length)
    blocks.push(`… and ${plural(open.length - shown.length, 'more finding')}; --format json has them all`);
  return blocks;
}

const byLine = (a: ReportFinding, b: ReportFinding): number => a.startLine - b.startLine;

function renderScanners(report: Report, view: Style): string {
  if (report.scanners.length === 0) return '';
  const rows = report.scanners.map(({ name, version, status, filesExamined, findings, durationMs, message }) => {
    const isBad = status === 'failed' || status === 'timed-out';
    const work =
      status === 'skipped'
        ? ''
        : `${plural(filesExamined, 'file')}, ${plural(findings, 'finding')}, ${toDuration(durationMs)}`;
    const text = [work, message === undefined ? '' : toSafeLine(message)].filter(part => part !== '').join('; ');
    return { cells: [toSafeLine(name), toSafeLine(version), status], text, isBad };
  });
  const widths = [0, 1, 2].map(at => Math.max(...rows.map(row => toColumns(row.cells[at] ?? ''))));
  const lines = rows.flatMap(({ cells, text, isBad }) => {
    const head = `  ${cells.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - toColumns(cell))).join('  ')}  `;
    const [first = '', ...rest] = wrapText(text, view.width - toColumns(head));
    const line = `${head}${first}`.trimEnd();
    return [isBad ? paint(line, 'critical', view) : line, ...rest.map(part => ' '.repeat(toColumns(head)) + part)];
  });
  return [paint('Scanners', 'bold', view), ...lines].join('\n');
}

function renderAi({ review, cost }: Report, view: Style): string {
  if (review === undefined) return '';
  const sentences = [toScoreSentence(review), toSafeLine(cutCodePoints(review.summary, 1_000)), toCounts(review)];
  const text = [...sentences, cost.calls === 0 ? '' : toCostLine(cost)].filter(part => part !== '').join(' ');
  const reviewers = review.reviewers.map(
    ({ name, model, status, calls, message }) =>
      `${name} (${model}): ${status}, ${plural(calls, 'call')}${message === undefined ? '' : `; ${message}`}`,
  );
  const lines = wrapText(text, view.width - 2).map(line => `  ${line}`);
  const disputes = renderList("Scanners' findings that a reviewer disputes", review.disputes.map(toDispute), view);
  const head = [paint('AI review', 'bold', view), ...lines, renderList('', reviewers, view)];
  return [...head, disputes].filter(part => part !== '').join('\n');
}

const toDispute = ({ id, note }: { id: string; note: string }): string => `${id}: ${note}`;

function renderExamined(report: Report, view: Style): string {
  const { files, complete } = report.ledger;
  const examined = files.filter(file => file.examinedBy.length > 0).length;
  const skipped = files.filter(isSkipped).map(file => `${file.path}: skipped, ${file.skipped}`);
  const partial = files.flatMap(file => toPartialReasons(file).map(reason => `${file.path}: in part, ${reason}`));
  const unseen = files
    .filter(file => file.examinedBy.length === 0 && file.skipped === undefined)
    .map(file => `${file.path}: examined by no scanner`);
  const title = `Files: ${examined} of ${files.length} examined${complete ? '' : ', NOT COMPLETE'}`;
  const list = renderList(title, [...unseen, ...partial, ...skipped], view, true);
  return [list, renderSandbox(report, view)].join('\n');
}

function renderSandbox({ sandbox }: Report, view: Style): string {
  if (sandbox === null) return `${paint('Sandbox:', 'bold', view)} none was started`;
  const { runtime, runtimeVersion, platform, imageDigest, runs } = sandbox;
  const odd = runs.filter(run => run.timedOut || run.oomKilled || run.outputTruncated);
  const text = `${runtime} ${runtimeVersion}, ${platform}, image ${imageDigest}${odd.length > 0 ? `; ${plural(odd.length, 'job')} timed out, ran out of memory or had output cut` : ''}`;
  return `${paint('Sandbox:', 'bold', view)} ${wrapText(toSafeLine(text), view.width - 9).join('\n         ')}`;
}

function renderResult(report: Report, view: Style): string {
  const style = ({ success: 'success', failure: 'critical', neutral: 'medium' } as const)[report.conclusion];
  const open = toOpenFindings(report);
  const suppressed = report.findings.length - open.length;
  const counts = open.length === 0 ? 'no findings' : `${plural(open.length, 'finding')} (${toSeverityCounts(open)})`;
  const reasons = renderList('', report.gate.reasons, view);
  const carried = toCarriedCount(open);
  const line = [counts, carried, suppressed > 0 ? `${suppressed} suppressed` : '']
    .filter(part => part !== '')
    .join(', ');
  return [paint(toSafeLine(toHeadline(report)), style, view), reasons, line].filter(part => part !== '').join('\n');
}

function renderList(title: string, items: readonly string[], view: Style, keepsTitle = false): string {
  if (items.length === 0 && !keepsTitle) return '';
  const lines = items.slice(0, MAX_LIST).map(item => {
    const [first = '', ...rest] = wrapText(cutCodePoints(toSafeLine(item), 600), view.width - 4);
    return [`  - ${first}`, ...rest.map(part => `    ${part}`)].join('\n');
  });
  if (items.length > MAX_LIST) lines.push(`  … and ${items.length - MAX_LIST} more`);
  return [title === '' ? '' : paint(title, 'bold', view), ...lines].filter(line => line !== '').join('\n');
}

const suppressionsAdded = (report: Report): string[] =>
  report.suppressionsAddedByChange.map(({ path, line, text }) => `${path}:${line} ${text.trim()}`);

const cutCounts = (report: Report): string[] =>
  Object.entries(report.truncated).map(([what, count]) => `${count} ${what} left out or shortened`);
