import type { FindingRisk } from '../core/risk.ts';
import type { PlaceableFinding } from '../findings/place.ts';
import { type RepositoryContext, scoreFinding, toCodeFindingRow } from '../risk/code-finding.ts';
import { NO_FACTS } from '../risk/facts.ts';
import { NO_INTEL } from '../risk/row.ts';

/** Fingerprint → ranking, by the score model alone: nothing is known but the finding and its repository. */
export function rankFindings(
  findings: readonly PlaceableFinding[],
  context: RepositoryContext,
): ReadonlyMap<string, FindingRisk> {
  const ranks = new Map<string, FindingRisk>();
  for (const finding of findings) {
    const { tool, ruleId, title, message } = finding.primary;
    const { fingerprint, severity, confidence, cwe, path, tools } = finding;
    const row = toCodeFindingRow(
      { fingerprint, tool, ruleId, title, message, severity, confidence, cwe, path, tools },
      context,
    );
    ranks.set(fingerprint, scoreFinding(row, NO_FACTS, NO_INTEL));
  }
  return ranks;
}
