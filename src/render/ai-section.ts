import type { Report, ReportReview } from '../core/report.ts';
import { codeSpan, plainText, sanitizeMarkdown } from '../core/untrusted.ts';
import { cutCodePoints } from './budget.ts';
import { plural } from './phrases.ts';

/** The AI review in markdown, for the review's body and the job summary: verdict, reviewers, disputes, cost. */

const MAX_SUMMARY = 2_000;
const MAX_DISPUTES = 20;
const MAX_DROPPED = 50;

const ICON = { ok: '✅', limited: '⚠️', failed: '❌', stub: '➖' } as const;

/** Empty where nobody asked for an AI review. */
export function renderAiReview(report: Report): string {
  const { review } = report;
  if (review === undefined) return '';
  const parts = [
    `### AI review\n\n${toVerdict(review)}`,
    sanitizeMarkdown(cutCodePoints(review.summary, MAX_SUMMARY)),
    renderReviewers(review),
    renderDisputes(review),
    toCounts(review),
    renderCost(report),
  ];
  return parts.filter(part => part !== '').join('\n\n');
}

/** Verdict and cost alone, where there is little room. */
export function renderAiReviewShort({ review, cost }: Report): string {
  if (review === undefined) return '';
  return `### AI review\n\n${toVerdict(review)}${cost.calls === 0 ? '' : ` ${toCostLine(cost)}`}`;
}

/** What was taken out of the review, for the job summary. */
export function renderDropped({ review }: Report): string {
  if (review === undefined || review.dropped.length === 0) return '';
  const lines = review.dropped
    .slice(0, MAX_DROPPED)
    .map(({ quote, reason }) => `- ${codeSpan(oneLine(quote, 200))} ${plainText(oneLine(reason, 300))}`);
  const more = review.dropped.length - lines.length;
  return [...lines, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}

/** One plain sentence: what the judge said of the review as a whole and in each dimension, or that there is no score. */
export function toScoreSentence(review: ReportReview): string {
  const { score, threshold, dimensions, revisions, budgetLimited, reviewers } = review;
  const limited = budgetLimited ? ' The budget ended it early: this is a partial review.' : '';
  if (reviewers.every(one => one.status === 'stub')) return 'No model took part.';
  if (score === null) return `Not judged.${limited}`;
  const revised = revisions === 0 ? '' : `, revised ${revisions === 1 ? 'once' : `${revisions} times`}`;
  const parts = dimensions === null ? '' : `: ${toDimensions(dimensions)}`;
  return `Judged ${score.toFixed(2)} (threshold ${threshold}${revised})${parts}.${limited}`;
}

const toDimensions = ({ correctness, groundedness, actionability, signalToNoise }: Dimensions): string =>
  [
    `correctness ${correctness.toFixed(2)}`,
    `groundedness ${groundedness.toFixed(2)}`,
    `actionability ${actionability.toFixed(2)}`,
    `signal to noise ${signalToNoise.toFixed(2)}`,
  ].join(', ');

type Dimensions = NonNullable<ReportReview['dimensions']>;

/** `$0.1234 in 7 calls`. */
export const toCostLine = ({ usd, calls }: Report['cost']): string =>
  `Cost: $${usd.toFixed(4)} in ${plural(calls, 'call')}.`;

/** Findings left out and hidden text found, in one plain sentence; empty where there is neither. */
export function toCounts({ dropped, injection }: ReportReview): string {
  const hidden = Object.entries(injection).filter(([, count]) => count > 0);
  const parts = [
    dropped.length > 0 ? `${plural(dropped.length, 'draft')} left out as unfounded or doubled.` : '',
    hidden.length > 0
      ? `Hidden characters or marks were taken out before models read: ${hidden.map(([where, count]) => `${count} in ${where}`).join(', ')}.`
      : '',
  ];
  return parts.filter(part => part !== '').join(' ');
}

const toVerdict = (review: ReportReview): string => plainText(toScoreSentence(review));

function renderReviewers({ reviewers }: ReportReview): string {
  const rows = reviewers.map(({ name, model, status, calls, message }) => {
    const note = message === undefined ? '' : ` ${plainText(oneLine(message, 300))}`;
    return `| ${plainText(name)} | ${codeSpan(model) || '–'} | ${ICON[status]} ${status}${note} | ${calls} |`;
  });
  return ['| Reviewer | Model | Status | Calls |', '| --- | --- | --- | ---: |', ...rows].join('\n');
}

function renderDisputes({ disputes }: ReportReview): string {
  if (disputes.length === 0) return '';
  const lines = disputes
    .slice(0, MAX_DISPUTES)
    .map(({ id, note }) => `- ${codeSpan(id)}: ${plainText(oneLine(note, 500))}`);
  if (disputes.length > lines.length) lines.push(`- … and ${disputes.length - lines.length} more`);
  return `Scanners' findings that a reviewer disputes (they stand all the same):\n\n${lines.join('\n')}`;
}

function renderCost({ cost }: Report): string {
  if (cost.calls === 0) return '';
  const rows = cost.byRole.map(
    row =>
      `| ${plainText(row.role)} | ${codeSpan(row.model) || '–'} | ${row.calls} | ${row.inputTokens} | ${row.cacheReadTokens} | ${row.outputTokens} | ${row.usd.toFixed(4)} |`,
  );
  return [
    `${toCostLine(cost).replace('$', '\\$')}\n`,
    '| Role | Model | Calls | Input tokens | from cache | Output tokens | US$ |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
}

const oneLine = (text: string, most: number): string => cutCodePoints(text.replace(/\s+/g, ' ').trim(), most);
