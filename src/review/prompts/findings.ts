import type { Guard } from '../guard.ts';
import type { OpenFinding, ReviewerFinding } from '../outcome.ts';

/** Findings of this run as a block of data. */
export function renderFindings(findings: readonly ReviewerFinding[], guard: Guard): string {
  if (findings.length === 0) return guard.block('findings', '(none)');
  const rows = findings.map(finding => {
    const { id, tool, severity, confidence, ruleId, path, title, message, quote, suggestion, evidence, place } =
      finding;
    const authors = [tool, ...finding.mergedFrom.map(source => source.reviewer)];
    return JSON.stringify({
      id,
      reviewers: [...new Set(authors)],
      severity,
      confidence,
      kind: ruleId,
      path,
      quote_found: place === 'none' ? 'not in the file' : place === 'hunk' ? 'in the diff' : 'in the file',
      title,
      quote,
      rationale: message,
      suggestion: suggestion ?? null,
      evidence,
    });
  });
  return guard.block('findings', rows.join('\n'));
}

/** Open findings of earlier runs as a block of data, null when there are none. */
export function renderOpenFindings(findings: readonly OpenFinding[], guard: Guard): string | null {
  if (findings.length === 0) return null;
  const line = (text: string): string => guard.cleanLine('earlier-finding', text);
  const rows = findings
    .slice(0, MAX_OPEN_FINDINGS)
    .map(({ id, path, category, title, quote }) =>
      JSON.stringify({ id, path: line(path), kind: line(category), title: line(title), quote: line(quote) }),
    );
  return guard.block('your open findings', rows.join('\n'));
}

const MAX_OPEN_FINDINGS = 50;
