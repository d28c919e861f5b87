import type { Severity } from '../core/finding.ts';
import type { Report, ReportFinding } from '../core/report.ts';
import { plainText, toSafeLine, toVisibleText } from '../core/untrusted.ts';
import { renderAcceptanceForReview, renderAcceptanceShort } from './acceptance-section.ts';
import { cutBytes, cutCodePoints, fitSections, type Section } from './budget.ts';
import {
  ANNOTATION_MESSAGE_BYTES,
  ANNOTATION_TITLE_CODE_POINTS,
  CHECK_TEXT_LIMIT,
  CHECK_TITLE_CODE_POINTS,
} from './limits.ts';
import { toLinkTarget } from './links.ts';
import { CARRIED, plural, toCarriedCount, toHeadline, toOpenFindings, toSeverityCounts } from './phrases.ts';
import {
  renderCommits,
  renderInsecureWarning,
  renderLedger,
  renderNotices,
  renderReasons,
  renderSandbox,
  renderScanners,
  renderSuppressed,
  renderSuppressionsAdded,
  renderTimings,
  toLedgerLine,
} from './report-sections.ts';
import { keep, toCutNotice, toFindingSections } from './review-body.ts';

export interface CheckRunAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Only where the annotation stands on one line, as GitHub asks. */
  readonly startColumn?: number;
  readonly endColumn?: number;
  readonly level: 'failure' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

export interface CheckRunTexts {
  /** At most 200 code points. */
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  /** Every anchored finding, worst first; sending 50 at a time is the publisher's part. */
  readonly annotations: readonly CheckRunAnnotation[];
}

export interface CheckRunOptions {
  readonly notes?: readonly string[];
  readonly serverUrl?: string;
}

/** The check run of a report: every finding in its summary, how it was examined in its text. */
export function renderCheckRun(report: Report, options: CheckRunOptions = {}): CheckRunTexts {
  return {
    title: cutCodePoints(toSafeLine(toHeadline(report)), CHECK_TITLE_CODE_POINTS),
    summary: renderCheckSummary(report, options),
    text: renderCheckText(report, options),
    annotations: toOpenFindings(report).filter(isAnchored).map(toAnnotation),
  };
}

/** The check run of a run that broke: what happened and what to do. */
export function renderErrorCheckRun(message: string, hint?: string): CheckRunTexts {
  const what = toSafeLine(message) || 'unknown error';
  return {
    title: cutCodePoints(`CypherFix error: ${what}`, CHECK_TITLE_CODE_POINTS),
    summary: [
      `**Nothing was reviewed.** ${plainText(cutCodePoints(what, 4_000))}`,
      hint === undefined ? '' : plainText(hint),
    ]
      .filter(part => part !== '')
      .join('\n\n'),
    text: '',
    annotations: [],
  };
}

function renderCheckSummary(report: Report, { notes, serverUrl }: CheckRunOptions): string {
  const target = toLinkTarget(report, serverUrl);
  const open = toOpenFindings(report);
  const carried = toCarriedCount(open);
  const sections: Section[] = [
    keep(renderInsecureWarning(report)),
    keep(
      `**${open.length === 0 ? 'No findings' : plural(open.length, 'finding')}**${open.length === 0 ? '' : `: ${toSeverityCounts(open, ' · ')}`}${carried === '' ? '' : ` (${carried})`}. ${toLedgerLine(report)}.`,
    ),
    { text: renderReasons(report), short: renderReasons(report, 3), rank: 2, kind: 'reasons' },
    { text: '', rank: 0, kind: 'notice' },
    ...toFindingSections(open, target, 'Findings'),
    { text: renderSuppressionsAdded(report, target), rank: 5, kind: 'details' },
    { text: renderNotices(report, notes), rank: 6, kind: 'details' },
    { text: renderSuppressed(report), rank: 8, kind: 'details' },
  ];
  return fitSections(sections, CHECK_TEXT_LIMIT, toCutNotice).text;
}

function renderCheckText(report: Report, { serverUrl }: CheckRunOptions): string {
  const acceptance = renderAcceptanceForReview(report, toLinkTarget(report, serverUrl));
  const sections: Section[] = [
    keep(renderScanners(report)),
    { text: '', rank: 0, kind: 'notice' },
    { text: acceptance, short: renderAcceptanceShort(report), rank: 4, kind: 'details' },
    keep(renderSandbox(report)),
    keep(renderCommits(report)),
    keep(renderTimings(report)),
    {
      text: renderLedger(report, { most: 2_000, all: true }),
      short: renderLedger(report, { most: 150, all: false }),
      rank: 3,
      kind: 'files',
    },
  ];
  return fitSections(sections, CHECK_TEXT_LIMIT, toCutNotice).text;
}

const LEVEL: Readonly<Record<Severity, CheckRunAnnotation['level']>> = {
  critical: 'failure',
  high: 'failure',
  medium: 'warning',
  low: 'notice',
  info: 'notice',
};

/** The summary's findings stand far from the change; annotations there would only be noise. */
const isAnchored = ({ placement }: ReportFinding): boolean => placement !== 'summary';

function toAnnotation(finding: ReportFinding): CheckRunAnnotation {
  const { path, startLine, endLine, startColumn, endColumn, severity, tool, ruleId, title, message, help, cwe } =
    finding;
  const hasColumns =
    startLine === endLine && startColumn !== undefined && endColumn !== undefined && endColumn >= startColumn;
  const carried = finding.carried === true ? `${CARRIED.replace('c', 'C')}.` : '';
  const texts = [message, help ?? '', carried, cwe.join(', ')].map(text => toVisibleText(text).trim());
  return {
    path,
    startLine,
    endLine,
    ...(hasColumns ? { startColumn, endColumn } : {}),
    level: LEVEL[severity],
    title: cutCodePoints(toSafeLine(`${title} (${tool} ${ruleId})`), ANNOTATION_TITLE_CODE_POINTS),
    message: cutBytes(texts.filter(text => text !== '').join('\n\n') || title, ANNOTATION_MESSAGE_BYTES),
  };
}
