import { hasTag } from './classes.ts';
import type { ScoringContext } from './context.ts';
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
import { type Factor, shareFactors } from './factor.ts';
import { normaliseSeverity } from './grades.ts';
import { floatRepr } from './python-text.ts';
import { toNumber } from './python-values.ts';
import { formatFixed } from './rounding.ts';
import type { FindingRow } from './row.ts';

/** I: what would be lost, 0 to 1.2. */
export function impactOf({ row, source, found, cvss, isSensitive }: ScoringContext): Factor {
  let factor = gradeOf(row, source, found, cvss);
  if (found.caps && factor.value > found.impact) factor = ceilingOf(found);
  if (hasTag(row, FINGERPRINT_TAGS))
    factor = factor.value < IMPACT_NONE ? { ...FINGERPRINT, value: factor.value } : FINGERPRINT;
  // Only what has an impact: else a fingerprint on a sensitive host would pass the rule that keeps it at the bottom.
  if (!isSensitive || factor.value <= IMPACT_NONE) return factor;
  return {
    value: Math.min(MAX_IMPACT, factor.value * SENSITIVE_ASSET_FACTOR),
    evidence: `${factor.evidence}; on a sensitive asset`,
  };
}

const FINGERPRINT: Factor = { value: IMPACT_NONE, evidence: 'a fingerprint, not a weakness' };

const ceilingOf = shareFactors(({ name, impact }: FindingClass) => ({
  value: impact,
  evidence: `the ${name} class caps this (the scanner's severity is the same for every finding it writes)`,
}));

const classDefault = shareFactors(({ name, impact }: FindingClass) => ({
  value: impact,
  evidence: `the ${name} class default`,
}));

const vectorGrade = shareFactors(({ version, impact }: Cvss) => ({
  value: impact ?? 0,
  evidence: `CVSS v${version} impact ${formatFixed(impact ?? 0, 2)}`,
}));

const NEVER_GRADED: Factor = { value: IMPACT_UNGRADED, evidence: 'the advisory was never graded' };

const SEVERITY_GRADES: ReadonlyMap<string, Factor> = new Map(
  Object.entries(SEVERITY_IMPACT).map(([word, value]) => [word, { value, evidence: `severity ${word}` }]),
);

function gradeOf(row: FindingRow, source: string, found: FindingClass, cvss: Cvss): Factor {
  if (cvss.impact !== null) return vectorGrade(cvss);
  const score = toNumber(row.cvss_score) || toNumber(row.cve_cvss);
  if (score !== undefined && score > 0) {
    return { value: Math.min(1, score / 10), evidence: `CVSS score ${floatRepr(score)}` };
  }
  const severity = normaliseSeverity(row.severity);
  if (UNGRADED_SOURCES.has(source) && (severity === null || severity === 'info')) return NEVER_GRADED;
  return (severity === null ? undefined : SEVERITY_GRADES.get(severity)) ?? classDefault(found);
}
