import { SEVERITIES, type Severity, severityRank } from '../core/finding.ts';
import type { Report, ReportFinding } from '../core/report.ts';
import { cutCodePoints } from './budget.ts';

export const SEVERITY_NAME: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  info: 'Info',
};

export const SEVERITY_ICON: Readonly<Record<Severity, string>> = {
  critical: '🔴',
  high: '🟠',
  medium: '🟡',
  low: '🔵',
  info: '⚪',
};

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `840 ms`, `12.3 s`, `3 min 20 s`. */
export function toDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `1 critical, 2 high`; empty for no findings. */
export function toSeverityCounts(findings: readonly ReportFinding[], separator = ', '): string {
  return SEVERITIES.map(severity => ({ severity, count: findings.filter(f => f.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}`)
    .join(separator);
}

/** Findings that nobody suppressed, worst first, then by place. */
export function toOpenFindings(report: Report): ReportFinding[] {
  return sortFindings(report.findings.filter(finding => finding.suppressed === undefined));
}

export function sortFindings(findings: readonly ReportFinding[]): ReportFinding[] {
  return [...findings].sort(
    (a, b) =>
      severityRank(a.severity) - severityRank(b.severity) ||
      b.confidence - a.confidence ||
      compareText(a.path, b.path) ||
      a.startLine - b.startLine,
  );
}

/** How every output names a finding that an earlier run's reviewer reported and nobody judged anew. */
export const CARRIED = 'carried from an earlier run';

/** `1 carried from an earlier run`; empty where none is. */
export function toCarriedCount(findings: readonly ReportFinding[]): string {
  const count = findings.filter(finding => finding.carried === true).length;
  return count === 0 ? '' : `${count} ${CARRIED}`;
}

export const CONCLUSION_ICON = { success: '✅', failure: '❌', neutral: '➖' } as const;

/** The result in one line, without markup; what stands after the dot is never empty. At most 200 code points. */
export function toHeadline(report: Report): string {
  return cutCodePoints(headline(report), 200);
}

function headline(report: Report): string {
  const open = toOpenFindings(report);
  if (report.conclusion === 'failure') {
    const introduced = open.filter(finding => finding.introduced);
    const grave = introduced.filter(({ severity }) => severity === 'critical' || severity === 'high');
    const counts = toSeverityCounts(grave.length > 0 ? grave : introduced);
    return `Needs attention · ${counts || firstReason(report) || 'the gate is tripped'}`;
  }
  if (report.conclusion === 'neutral') return `Incomplete · ${whatIsMissing(report)}`;
  if (open.length > 0) return `No blocking issues · ${toSeverityCounts(open)}`;
  if (report.ledger.files.length === 0) return 'Nothing to examine · the change holds no files';
  if (!report.ledger.complete) return 'No blocking issues · not everything was examined';
  const examined = report.ledger.files.filter(file => file.examinedBy.length > 0).length;
  return examined === 0
    ? 'Nothing to examine · no file of the change holds text that a scanner takes'
    : `No issues found · ${plural(examined, 'file')} examined`;
}

const firstReason = (report: Report): string => (report.gate.reasons[0] ?? '').replace(/\s+/g, ' ').trim();

function whatIsMissing(report: Report): string {
  const failed = report.scanners.filter(scanner => scanner.status === 'failed' || scanner.status === 'timed-out');
  if (failed.length > 0) {
    return failed.map(({ name, status }) => `${name} ${status === 'failed' ? 'failed' : 'timed out'}`).join(', ');
  }
  return firstReason(report) || 'not everything was examined';
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
