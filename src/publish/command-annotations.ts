import { type Severity, severityRank } from '../core/finding.ts';
import type { ReportFinding } from '../core/report.ts';
import { MAX_COMMAND_ANNOTATIONS_PER_TYPE, MAX_COMMAND_MESSAGE_CHARS } from '../github/limits.ts';
import { CARRIED } from '../render/phrases.ts';

/**
 * Findings as workflow-command annotations, worst first, at most ten of a type: what a run without any write permission
 * can still show beside the code. Everything in them is escaped, so that text of a finding cannot become a command.
 */
export function renderCommandAnnotations(findings: readonly ReportFinding[]): string[] {
  const left: Record<CommandType, number> = {
    error: MAX_COMMAND_ANNOTATIONS_PER_TYPE,
    warning: MAX_COMMAND_ANNOTATIONS_PER_TYPE,
    notice: MAX_COMMAND_ANNOTATIONS_PER_TYPE,
  };
  const lines: string[] = [];
  const shown = findings.filter(f => f.suppressed === undefined);
  for (const finding of shown.sort((a, b) => severityRank(a.severity) - severityRank(b.severity))) {
    const type = typeOf(finding.severity);
    if (left[type]-- > 0) lines.push(toCommand(type, finding));
  }
  return lines;
}

type CommandType = 'error' | 'warning' | 'notice';

const typeOf = (severity: Severity): CommandType =>
  severity === 'critical' || severity === 'high' ? 'error' : severity === 'medium' ? 'warning' : 'notice';

function toCommand(type: CommandType, finding: ReportFinding): string {
  const carried = finding.carried === true ? `, ${CARRIED}` : '';
  const properties = {
    file: finding.path,
    line: String(finding.startLine),
    endLine: String(finding.endLine),
    title: [...`${finding.title} (${finding.tool} ${finding.ruleId}${carried})`].slice(0, 200).join(''),
  };
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`);
  const message = [...finding.message].slice(0, MAX_COMMAND_MESSAGE_CHARS - 100).join('');
  return `::${type} ${list.join(',')}::${escapeData(message)}`;
}

const escapeData = (text: string) => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
const escapeProperty = (text: string) => escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
