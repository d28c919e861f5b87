import type { Report } from '../core/report.ts';
import { SUMMARY_LIMIT } from './limits.ts';
import { renderSummary, type SummaryOptions } from './summary.ts';
import { renderTriageSummary } from './triage-markdown.ts';

/** Each of the two parts of a summary has half of the room. */
const HALF = { codePoints: SUMMARY_LIMIT.codePoints / 2, bytes: SUMMARY_LIMIT.bytes / 2 };

/** The job summary: what a triage says of the project, where there was one, then everything else that the report holds. */
export function renderWholeSummary(report: Report, options: SummaryOptions = {}): string {
  if (report.triage === undefined) return renderSummary(report, options);
  // Notes stand in the second part alone.
  const triage = renderTriageSummary({ ...report, notices: [] }, [], HALF);
  return `${triage}\n\n${renderSummary(report, { ...options, limit: HALF })}`;
}
