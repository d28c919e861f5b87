import { Report } from '../core/report.ts';

/** The report as JSON with its keys in the schema's order, two spaces deep, a newline last. */
export function renderJson(report: Report): string {
  return `${JSON.stringify(Report.parse(report), null, 2)}\n`;
}
