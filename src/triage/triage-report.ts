import { NO_COST, type Report, type ReportFinding } from '../core/report.ts';
import { TOOL } from '../core/version.ts';
import type { CutResult } from './triage-result.ts';

export interface TriageReportInput extends CutResult {
  readonly notices: readonly string[];
  readonly subject: Report['subject'];
  readonly request: Report['request'];
  readonly findings: readonly ReportFinding[];
  readonly cost?: Report['cost'];
  readonly now: Date;
}

/** A triage as a report: nothing was scanned for it, so ledger, scanners and sandbox are empty. */
export function toTriageReport(input: TriageReportInput): Report {
  const { result, truncated, notices, subject, request, findings, cost = NO_COST, now } = input;
  const isWhole = result.status === 'completed';
  return {
    schemaVersion: 1,
    tool: TOOL,
    generatedAt: now.toISOString(),
    subject,
    request,
    conclusion: isWhole ? 'success' : 'neutral',
    gate: { tripped: false, reasons: isWhole ? [] : [`the triage ended as ${result.status}`] },
    ledger: { files: [], complete: true },
    scanners: [],
    findings: [...findings],
    suppressionsAddedByChange: [],
    cost,
    fixes: [],
    triage: result,
    sandbox: null,
    timings: {},
    truncated: { ...truncated },
    notices: [...notices],
  };
}
