import { Report } from '../core/report.ts';

/** Up to here a report is checked sooner than zod compiles its schema. */
const FEW_FINDINGS = 500;

/** The report as JSON with its keys in the schema's order, two spaces deep, a newline last. */
export function renderJson(report: Report): string {
  const checked = Report.parse(report, { jitless: report.findings.length < FEW_FINDINGS });
  return `${JSON.stringify(checked, null, 2)}\n`;
}
