import type { Report } from '../core/report.ts';
import type { Format } from './review-options.ts';

/** How text is shown; the other formats are the same everywhere. */
export interface Display {
  readonly color: boolean;
  readonly columns: number;
}

/** The report in a format; each renderer is loaded only when asked for. */
export async function renderReport(report: Report, format: Format, _display: Display): Promise<string> {
  switch (format) {
    default:
      return `${JSON.stringify(report, null, 2)}\n`;
  }
}
