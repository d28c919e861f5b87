import type { Report, ReportFinding } from '../core/report.ts';
import { renderFindingComment } from '../render/finding-markdown.ts';
import { toLinkTarget } from '../render/links.ts';
import { sortFindings } from '../render/phrases.ts';
import { renderReviewBody, reviewMarker, toState } from '../render/review-body.ts';
import { goneMarker, toolsMarker } from './own-threads.ts';

export interface ReviewView {
  readonly headSha: string;
  readonly serverUrl: string;
  readonly notes: readonly string[];
  /** Findings with an inline comment, of this review or an earlier one. */
  readonly inline: readonly ReportFinding[];
  /** Findings that this review shows in its body. */
  readonly body: readonly ReportFinding[];
  /** What models cost in all runs of the pull request, this one included, in dollars. */
  readonly spentUsd?: number;
  /** The head that the acceptance check saw last. */
  readonly acceptanceHead?: string | null;
  /** What an earlier run said of the issues at this head, shown where this one says nothing. */
  readonly acceptance?: string;
}

/**
 * The review's body. Its hidden state names every finding that is not suppressed with the place where this very review
 * shows it, so that the next run knows what was seen and what was said where.
 */
export function renderReview(report: Report, view: ReviewView): string {
  const shown = new Map<string, 'inline' | 'body'>();
  for (const finding of view.inline) shown.set(finding.fingerprint, 'inline');
  for (const finding of view.body) shown.set(finding.fingerprint, 'body');
  const open = sortFindings(report.findings.filter(finding => finding.suppressed === undefined));
  const state = open.map(f => ({ ...toState(f), placement: shown.get(f.fingerprint) ?? ('summary' as const) }));
  return renderReviewBody(report, { ...view, state });
}

/** An inline comment; its markers say which finding it is and which tools reported it. */
export function renderComment(
  report: Report,
  finding: ReportFinding,
  view: Pick<ReviewView, 'headSha' | 'serverUrl'>,
): string {
  const target = { ...toLinkTarget(report, view.serverUrl), headSha: view.headSha };
  return `${renderFindingComment(finding, target)}\n${toolsMarker(finding.tools)}`;
}

/** Body of a review that holds only some comments, because GitHub refused all of them together. */
export const renderPart = (headSha: string, part: number): string =>
  `More comments of the CypherFix review.\n\n${partMarker(headSha, part)}`;

/** The answer in a thread that may be neither resolved nor folded. */
export function renderClosing(
  fingerprint: string,
  why: 'gone' | 'suppressed',
  headSha: string,
): { readonly body: string; readonly marker: string } {
  const marker = goneMarker(fingerprint);
  const text =
    why === 'gone' ? `Not found any more at ${headSha.slice(0, 12)}.` : 'Suppressed by the policy of the base branch.';
  return { body: `${text}\n\n${marker}`, marker };
}

export const isReviewOf = (body: string, headSha: string): boolean => body.includes(reviewMarker(headSha));
export const isPartOf = (body: string, headSha: string, part: number): boolean =>
  body.includes(partMarker(headSha, part));

const partMarker = (headSha: string, part: number): string => `<!-- cypherfix:v1 part head=${headSha} n=${part} -->`;
