import type { Report, ReportFinding } from '../core/report.ts';
import { codeSpan, plainText } from '../core/untrusted.ts';
import { renderAcceptanceBlock, renderAcceptanceShort } from './acceptance-section.ts';
import { renderAiReview, renderAiReviewShort } from './ai-section.ts';
import { cutCodePoints, type Fitted, fitSections, type Section } from './budget.ts';
import { renderFindingItem, renderFindingLine } from './finding-markdown.ts';
import { COMMENT_LIMIT } from './limits.ts';
import { type LinkTarget, toLinkTarget } from './links.ts';
import {
  CARRIED,
  CONCLUSION_ICON,
  plural,
  sortFindings,
  toCarriedCount,
  toHeadline,
  toOpenFindings,
  toSeverityCounts,
} from './phrases.ts';
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
  toDetails,
  toLedgerLine,
} from './report-sections.ts';
import { encodeState, type StateFinding } from './state-marker.ts';

export interface ReviewBodyOptions {
  /** The reviewed commit, for links and markers. */
  readonly headSha: string;
  /** Findings that have an inline comment, of this run or an earlier one. */
  readonly inline: readonly ReportFinding[];
  /** Findings that the body itself shows. */
  readonly body: readonly ReportFinding[];
  /** What the next run is to know, worst first; by default every finding of the report. */
  readonly state?: readonly StateFinding[];
  /** What models cost in all runs of the pull request, this one included, in dollars. */
  readonly spentUsd?: number;
  /** The head that the acceptance check saw last. */
  readonly acceptanceHead?: string | null;
  /** What an earlier run said of the issues at this head, shown where this one says nothing. */
  readonly acceptance?: string;
  /** Sentences of this run that the report does not hold. */
  readonly notes?: readonly string[];
  /** Address of the server, where it is not github.com. */
  readonly serverUrl?: string;
}

export const reviewMarker = (headSha: string): string => `<!-- cypherfix:v1 review head=${headSha} -->`;

/** The body of the review: a short first screen, details folded, markers first and last. At most 65,000 code points. */
export function renderReviewBody(report: Report, options: ReviewBodyOptions): string {
  const target = { ...toLinkTarget(report, options.serverUrl), headSha: options.headSha };
  const state = options.state ?? sortFindings(report.findings).map(toState);
  const { headSha, spentUsd = report.cost.usd, acceptanceHead = null } = options;
  const acceptance = renderAcceptanceBlock(report, target, headSha) || (options.acceptance ?? '');
  const sections: Section[] = [
    marker(reviewMarker(options.headSha)),
    keep(`## ${CONCLUSION_ICON[report.conclusion]} CypherFix: ${plainText(toHeadline(report))}`),
    keep(renderInsecureWarning(report)),
    keep(renderCounts(report, options)),
    { text: renderReasons(report), short: renderReasons(report, 3), rank: 2, kind: 'reasons' },
    { text: '', rank: 0, kind: 'notice' },
    { text: renderCarried(report, target), rank: 3, kind: 'details' },
    ...toFindingSections(options.body, target, options.inline.length > 0 ? 'Findings not shown inline' : 'Findings'),
    { text: renderAiReview(report), short: renderAiReviewShort(report), rank: 4, kind: 'details' },
    { text: acceptance, short: renderAcceptanceShort(report), rank: 4, kind: 'details' },
    { text: renderSuppressionsAdded(report, target), rank: 5, kind: 'details' },
    { text: renderNotices(report, options.notes), rank: 6, kind: 'details' },
    { text: renderSuppressed(report), rank: 8, kind: 'details' },
    { text: renderExamined(report), short: renderExaminedShort(report), rank: 7, kind: 'details' },
    keep(renderFooter(report)),
    marker(encodeState({ headSha, findings: state, spentUsd, acceptanceHead })),
  ];
  return fitSections(sections, COMMENT_LIMIT, toCutNotice).text;
}

/** Sections of a list of findings, grouped by file; the least severe are shortened and left out first. */
export function toFindingSections(findings: readonly ReportFinding[], target: LinkTarget, title: string): Section[] {
  const sorted = sortFindings(findings);
  if (sorted.length === 0) return [];
  const sections: Section[] = [keep(`### ${title}`)];
  for (const path of new Set(sorted.map(finding => finding.path))) {
    const group = sorted.filter(finding => finding.path === path);
    const heading = `#### ${codeSpan(cutCodePoints(path, 300))}`;
    sections.push({ text: heading, short: heading, rank: 2, kind: 'headings' });
    for (const finding of group) {
      const short = renderFindingLine(finding, target);
      sections.push({
        text: renderFindingItem(finding, target),
        short,
        rank: 3 + RANK[finding.severity] / 10,
        kind: 'findings',
      });
    }
  }
  return sections;
}

/** Says what was cut and where the rest is. */
export function toCutNotice({ shortened, left }: Omit<Fitted, 'text'>): string {
  const parts = [
    left['findings'] === undefined ? '' : `${plural(left['findings'], 'finding')} left out`,
    shortened['findings'] === undefined ? '' : `${plural(shortened['findings'], 'finding')} shown without details`,
    left['details'] === undefined && shortened['details'] === undefined ? '' : 'details left out',
    left['files'] === undefined ? '' : 'the list of files left out',
  ].filter(part => part !== '');
  return `> [!NOTE]\n> Shortened to fit: ${parts.join(', ') || 'some details left out'}. The whole report is in the summary of the workflow run and in its artefact.`;
}

const marker = (text: string): Section => ({ text, rank: 0, kind: 'marker' });
export const keep = (text: string): Section => ({ text, rank: 0, kind: 'head' });

export const toState = (finding: ReportFinding): StateFinding => ({
  fingerprint: finding.fingerprint,
  severity: finding.severity,
  introduced: finding.introduced,
  placement: finding.placement,
  path: finding.path,
  tool: finding.tool,
});

const RANK = { critical: 1, high: 2, medium: 3, low: 4, info: 5 } as const;

function renderCounts(report: Report, { inline, body }: ReviewBodyOptions): string {
  const open = toOpenFindings(report);
  if (open.length === 0) {
    return report.ledger.complete && report.ledger.files.some(file => file.examinedBy.length > 0)
      ? `No issues found: ${toLedgerLine(report)}.`
      : `No findings, but that is no clean result: ${toLedgerLine(report)}.`;
  }
  const elsewhere = open.length - inline.length - body.length;
  const where = [
    inline.length > 0 ? `${inline.length} inline` : '',
    body.length > 0 ? `${body.length} below` : '',
    elsewhere > 0 ? `${elsewhere} in the job summary` : '',
    toCarriedCount(open),
  ].filter(part => part !== '');
  return `**${plural(open.length, 'finding')}:** ${toSeverityCounts(open, ' · ')}${where.length > 0 ? ` (${where.join(', ')})` : ''}. ${toLedgerLine(report)}.`;
}

/** Findings that keep their thread although no reviewer judged them in this run. */
function renderCarried(report: Report, target: LinkTarget): string {
  const carried = toOpenFindings(report).filter(finding => finding.carried === true);
  if (carried.length === 0) return '';
  const lines = carried.slice(0, MAX_CARRIED).map(finding => {
    return renderFindingLine({ ...finding, carried: false }, target).replace(
      '- ',
      `- ${codeSpan(cutCodePoints(finding.path, 200))} · `,
    );
  });
  if (carried.length > lines.length) lines.push(`- … and ${plural(carried.length - lines.length, 'more finding')}`);
  return `**${CARRIED.replace('c', 'C')}: what they quote still stands, and no reviewer judged it anew**\n\n${lines.join('\n')}`;
}

const MAX_CARRIED = 20;

function renderExamined(report: Report): string {
  const parts = [
    renderScanners(report),
    renderLedger(report, { most: 100, all: false }),
    renderSandbox(report),
    renderCommits(report),
  ];
  return toDetails(`What was examined: ${plainSummary(report)}`, parts.filter(part => part !== '').join('\n\n'));
}

function renderExaminedShort(report: Report): string {
  const parts = [renderScanners(report), renderSandbox(report), renderCommits(report)];
  return toDetails(`What was examined: ${plainSummary(report)}`, parts.filter(part => part !== '').join('\n\n'));
}

const plainSummary = (report: Report): string => toLedgerLine(report).replaceAll('**', '');

function renderFooter({ tool, sandbox, subject }: Report): string {
  const head = subject.headSha === undefined ? '' : ` · head <code>${subject.headSha.slice(0, 12)}</code>`;
  const where = sandbox === null ? '' : ` · sandbox ${plainText(sandbox.runtime)} (${plainText(sandbox.platform)})`;
  return `<sub>CypherFix ${plainText(tool.version)}${head}${where}</sub>`;
}
