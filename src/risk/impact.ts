import { hasTag } from './classes.ts';
import type { Cvss } from './cvss.ts';
import type { FindingClass } from './data/class-table.ts';
import {
  FINGERPRINT_TAGS,
  IMPACT_NONE,
  IMPACT_UNGRADED,
  MAX_IMPACT,
  SENSITIVE_ASSET_FACTOR,
  SEVERITY_IMPACT,
  UNGRADED_SOURCES,
} from './data/severity-table.ts';
import type { Factor } from './factor.ts';
import { normaliseSeverity } from './grades.ts';
import { floatRepr } from './python-text.ts';
import { toNumber } from './python-values.ts';
import { formatFixed } from './rounding.ts';
import type { FindingRow } from './row.ts';

export interface ImpactInputs {
  readonly row: FindingRow;
  /** In lower case. */
  readonly source: string;
  readonly found: FindingClass;
  readonly cvss: Cvss;
  readonly isSensitive: boolean;
}

/** I: what would be lost, 0 to 1.2. */
export function impactOf({ row, source, found, cvss, isSensitive }: ImpactInputs): Factor {
  let { value, evidence } = gradeOf(row, source, found, cvss);
  if (found.caps && value > found.impact) {
    value = found.impact;
    evidence = `the ${found.name} class caps this (the scanner's severity is the same for every finding it writes)`;
  }
  if (hasTag(row, FINGERPRINT_TAGS)) {
    value = Math.min(value, IMPACT_NONE);
    evidence = 'a fingerprint, not a weakness';
  }
  // Only what has an impact: else a fingerprint on a sensitive host would pass the rule that keeps it at the bottom.
  if (isSensitive && value > IMPACT_NONE) {
    value *= SENSITIVE_ASSET_FACTOR;
    evidence = `${evidence}; on a sensitive asset`;
  }
  return { value: Math.min(MAX_IMPACT, Math.max(0, value)), evidence };
}

function gradeOf(row: FindingRow, source: string, found: FindingClass, cvss: Cvss): Factor {
  if (cvss.impact !== null) {
    return { value: cvss.impact, evidence: `CVSS v${cvss.version} impact ${formatFixed(cvss.impact, 2)}` };
  }
  const score = toNumber(row.cvss_score) || toNumber(row.cve_cvss);
  if (score !== undefined && score > 0) {
    return { value: Math.min(1, score / 10), evidence: `CVSS score ${floatRepr(score)}` };
  }
  const severity = normaliseSeverity(row.severity);
  if (UNGRADED_SOURCES.has(source) && (severity === null || severity === 'info')) {
    return { value: IMPACT_UNGRADED, evidence: 'the advisory was never graded' };
  }
  if (severity !== null) return { value: SEVERITY_IMPACT[severity] ?? found.impact, evidence: `severity ${severity}` };
  return { value: found.impact, evidence: `the ${found.name} class default` };
}
