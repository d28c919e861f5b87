import { severityRank } from '../../core/finding.ts';
import type { TextPart } from '../../model/model.ts';
import { renderSummary } from '../change-text.ts';
import type { Guard, Surface } from '../guard.ts';
import type { ScannerBrief } from '../outcome.ts';
import type { ShownChange } from '../shown-change.ts';

export interface ChangeTexts {
  readonly title: string | null;
  readonly body: string | null;
  readonly issues: readonly { readonly number: number; readonly title: string; readonly body: string }[];
  readonly shown: ShownChange;
  /** Rendered once: `renderDiff(shown).text`. */
  readonly diff: string;
  readonly scannerFindings: readonly ScannerBrief[];
}

const MAX_TITLE_CHARS = 500;
const MAX_BODY_CHARS = 4_000;
const MAX_ISSUES = 5;
const MAX_SCANNER_FINDINGS = 50;
const MAX_MESSAGE_CHARS = 400;

/**
 * What all roles see of the change, as parts of the first message. The last one carries the cache breakpoint: everything up to
 * it is the same for the three reviewers.
 */
export function changeParts(texts: ChangeTexts, guard: Guard): TextPart[] {
  const prose = (surface: Surface, text: string | null, most: number): string =>
    guard
      .clean(surface, text ?? '')
      .trim()
      .slice(0, most) || '(none)';
  const issues = texts.issues
    .slice(0, MAX_ISSUES)
    .map(
      ({ number, title, body }) =>
        `#${number} ${prose('issue', title, MAX_TITLE_CHARS)}\n${prose('issue', body, MAX_BODY_CHARS)}`,
    );
  const blocks = [
    guard.block('title of the change', prose('title', texts.title, MAX_TITLE_CHARS)),
    guard.block('description of the change', prose('body', texts.body, MAX_BODY_CHARS)),
    ...(issues.length === 0 ? [] : [guard.block('linked issues', issues.join('\n\n'))]),
    guard.block('list of changed files', renderSummary(texts.shown, guard)),
    guard.block('findings of scanners', renderScannerFindings(texts.scannerFindings, guard)),
    guard.block('diff', texts.diff || '(no text)'),
  ];
  return [{ text: `# The change\n${blocks.join('\n')}`, cache: true }];
}

function renderScannerFindings(findings: readonly ScannerBrief[], guard: Guard): string {
  if (findings.length === 0) return '(none)';
  const worst = [...findings].sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
  const rows = worst.slice(0, MAX_SCANNER_FINDINGS).map(finding => {
    const line = (text: string): string => guard.cleanLine('scanner', text).slice(0, MAX_MESSAGE_CHARS);
    const place = `${guard.cleanLine('path', finding.path)}:${finding.startLine}`;
    const rule = `${line(finding.tool)} ${line(finding.ruleId)}`;
    return `[${finding.id}] ${finding.severity} ${rule} ${place} ${line(finding.title)}: ${line(finding.message)}`;
  });
  const more = findings.length - rows.length;
  return [...rows, ...(more > 0 ? [`... [${more} more]`] : [])].join('\n');
}
