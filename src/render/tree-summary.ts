import type { Report } from '../core/report.ts';
import { plainText } from '../core/untrusted.ts';
import { SUMMARY_LIMIT } from './limits.ts';
import { renderSummary, type SummaryOptions } from './summary.ts';
import { renderTriageSummary } from './triage-markdown.ts';

/** Each of the two parts of a summary has half of the room. */
const HALF = { codePoints: SUMMARY_LIMIT.codePoints / 2, bytes: SUMMARY_LIMIT.bytes / 2 };

export interface WholeSummaryOptions extends SummaryOptions {
  /** What was written besides, in a sentence; empty for nothing. */
  readonly told?: string;
}

/** The job summary: what a triage says of the project, where there was one, then everything else that the report holds. */
export function renderWholeSummary(report: Report, options: WholeSummaryOptions = {}): string {
  if (report.triage === undefined) return renderSummary(report, options);
  // Notes stand in the second part alone.
  const triage = renderTriageSummary({ ...report, notices: [] }, [], HALF);
  const parts = [triage, plainText(options.told ?? ''), renderSummary(report, { ...options, limit: HALF })];
  return parts.filter(part => part !== '').join('\n\n');
}
