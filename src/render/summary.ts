import type { Report } from '../core/report.ts';
import { plainText, sanitizeMarkdown } from '../core/untrusted.ts';
import { renderAcceptance } from './acceptance-section.ts';
import { renderAiReview, renderAiReviewShort, renderDropped } from './ai-section.ts';
import { cutCodePoints, fitSections, type Limit, type Section } from './budget.ts';
import { SUMMARY_LIMIT } from './limits.ts';
import { toLinkTarget } from './links.ts';
import { CONCLUSION_ICON, plural, toCarriedCount, toHeadline, toOpenFindings, toSeverityCounts } from './phrases.ts';
import { renderRanking } from './ranking.ts';
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
  toDetails,
  toLedgerLine,
} from './report-sections.ts';
import { keep, toCutNotice, toFindingSections } from './review-body.ts';

export interface SummaryOptions {
  /** What was not written to GitHub, and why; more than the report holds. */
  readonly notes?: readonly string[];
  /** Addresses of our own review and check run. */
  readonly reviewUrl?: string | undefined;
  readonly checkUrl?: string | undefined;
  readonly serverUrl?: string | undefined;
  /** 900 KiB where nothing else stands in the summary. */
  readonly limit?: Limit;
}

/** The job summary: everything that the report holds, in at most 900 KiB. */
export function renderSummary(report: Report, options: SummaryOptions = {}): string {
  const target = toLinkTarget(report, options.serverUrl);
  const open = toOpenFindings(report);
  const links = [toLink('Review', options.reviewUrl), toLink('Check run', options.checkUrl)].filter(
    link => link !== '',
  );
  const counts =
    open.length === 0 ? '**No findings**' : `**${plural(open.length, 'finding')}**: ${toSeverityCounts(open, ' · ')}`;
  const carried = toCarriedCount(open);
  const sections: Section[] = [
    keep(`## ${CONCLUSION_ICON[report.conclusion]} CypherFix: ${plainText(toHeadline(report))}`),
    keep(renderInsecureWarning(report)),
    keep(`${counts}${carried === '' ? '' : ` (${carried})`}. ${toLedgerLine(report)}.`),
    keep(links.join(' · ')),
    { text: renderReasons(report, 50), short: renderReasons(report, 10), rank: 2, kind: 'reasons' },
    { text: '', rank: 0, kind: 'notice' },
    { text: renderNotices(report, options.notes), rank: 1, kind: 'details' },
    { text: renderRanking(report), rank: 4, kind: 'details' },
    ...toFindingSections(open, target, 'Findings'),
    { text: renderAiReview(report), short: renderAiReviewShort(report), rank: 4, kind: 'details' },
    { text: renderAcceptance(report, target), rank: 4, kind: 'details' },
    { text: toDroppedSection(report), rank: 6, kind: 'details' },
    { text: renderSuppressionsAdded(report, target), rank: 5, kind: 'details' },
    { text: renderSuppressed(report), rank: 6, kind: 'details' },
    keep(report.scanners.length === 0 ? '' : `### How it was examined\n\n${renderScanners(report)}`),
    keep(renderSandbox(report)),
    keep(renderCommits(report)),
    keep(renderTimings(report)),
    toFileSection(report),
  ];
  return fitSections(sections, options.limit ?? SUMMARY_LIMIT, toCutNotice).text;
}

/** The job summary of a run that broke. */
export function renderErrorSummary(message: string, hint?: string, notes: readonly string[] = []): string {
  const parts = [
    '## ❌ CypherFix: error',
    `**Nothing was reviewed.** ${plainText(cutCodePoints(message, 4_000)) || 'unknown error'}`,
    hint === undefined ? '' : `**What to do:** ${sanitizeMarkdown(cutCodePoints(hint, 4_000))}`,
    notes.map(note => `- ${plainText(cutCodePoints(note, 1_000))}`).join('\n'),
  ];
  return parts.filter(part => part !== '').join('\n\n');
}

function toDroppedSection(report: Report): string {
  const dropped = renderDropped(report);
  return dropped === '' ? '' : toDetails('Drafts of reviewers that were left out', dropped);
}

function toFileSection(report: Report): Section {
  const skippedOnly = renderLedger(report, { most: 500, all: false });
  return {
    text: toDetails(
      `All ${plural(report.ledger.files.length, 'file')}`,
      renderLedger(report, { most: 5_000, all: true }),
    ),
    short: skippedOnly === '' ? '' : toDetails('Files skipped or read in part', skippedOnly),
    rank: 4,
    kind: 'files',
  };
}

const toLink = (label: string, url: string | undefined): string =>
  url !== undefined && /^https?:\/\/[^\s()<>]+$/.test(url) ? `[${label}](${url})` : '';
