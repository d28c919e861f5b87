import { readFileSync } from 'node:fs';
import { parseReport, type Report, type ReportFinding } from '../../src/core/report.ts';

/** A realistic report of twelve findings, one of them hostile. */
export const pullRequestReport = (): Report =>
  parseReport(JSON.parse(readFileSync(new URL('../data/reports/pull-request.json', import.meta.url), 'utf8')));

/** The same change with nothing found and everything examined. */
export function cleanReport(): Report {
  const report = pullRequestReport();
  return {
    ...report,
    conclusion: 'success',
    gate: { tripped: false, reasons: [] },
    findings: [],
    suppressionsAddedByChange: [],
    notices: [],
  };
}

/** A report of many findings, each as long as a report allows. */
export function largeReport(count: number, messageLength: number): Report {
  const report = pullRequestReport();
  const [model] = report.findings;
  if (model === undefined) throw new Error('the fixture holds no finding');
  const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
  const findings: ReportFinding[] = Array.from({ length: count }, (_, at) => {
    const fingerprint = (at + 1).toString(16).padStart(64, '0').replace(/^./, 'f');
    return {
      ...model,
      id: fingerprint.slice(-8),
      fingerprint,
      severity: severities[at % 5] ?? 'info',
      message: `Message ${at}: ${'é𝒳 '.repeat(messageLength / 3)}`,
      path: `src/file ${at % 97}.py`,
      startLine: at + 1,
      endLine: at + 1,
      placement: 'body',
    };
  });
  return { ...report, findings };
}
