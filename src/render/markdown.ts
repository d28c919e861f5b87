import type { Report } from '../core/report.ts';
import { renderSummary } from './summary.ts';

/** `--format markdown`: the whole report as one document. */
export const renderMarkdown = (report: Report): string => `${renderSummary(report)}\n`;
