import type { Report } from '../core/report.ts';
import type { Format } from './review-options.ts';

/** How text is shown on a terminal; the other formats are the same everywhere. */
export interface Display {
  readonly color: boolean;
  readonly width: number;
}

/** The report in a format; each renderer is loaded only when asked for. */
export async function renderReport(report: Report, format: Format, display: Display): Promise<string> {
  switch (format) {
    case 'text':
      return (await import('../render/terminal.ts')).renderTerminal(report, display);
    case 'markdown':
      return (await import('../render/markdown.ts')).renderMarkdown(report);
    case 'json':
      return (await import('../render/json.ts')).renderJson(report);
    case 'sarif':
      return (await import('../render/sarif.ts')).renderSarif(report);
    case 'html':
      return (await import('../render/html.ts')).renderHtml(report);
  }
}
