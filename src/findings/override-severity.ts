import type { RawFinding, Severity } from '../core/finding.ts';
import { namesRule } from './identity.ts';

/**
 * Sets the severity that the policy gives to a rule (`scanners.rules.severity`), before merging, so that a merged finding
 * takes the highest of what then holds. A rule written with its tool goes before the bare one.
 */
export function overrideSeverity(
  raw: readonly RawFinding[],
  severities: Readonly<Record<string, Severity>>,
): RawFinding[] {
  const rules = Object.entries(severities).sort(([a], [b]) => Number(b.includes('/')) - Number(a.includes('/')));
  if (rules.length === 0) return [...raw];
  return raw.map(finding => {
    const severity = rules.find(([rule]) => namesRule(rule, finding.tool, finding.ruleId))?.[1];
    return severity === undefined || severity === finding.severity ? finding : { ...finding, severity };
  });
}
