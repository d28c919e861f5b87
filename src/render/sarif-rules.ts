import type { Severity } from '../core/finding.ts';
import type { ReportFinding } from '../core/report.ts';
import { toSafeLine, toVisibleText } from '../core/untrusted.ts';
import { SARIF_TAGS } from './limits.ts';
import { toCweUrl } from './links.ts';

/** One rule of SARIF's driver for each rule that has a result; `index` gives a result its rule. */
export interface SarifRules {
  readonly rules: readonly object[];
  readonly index: ReadonlyMap<string, number>;
}

export const sarifRuleId = ({ tool, ruleId }: Pick<ReportFinding, 'tool' | 'ruleId'>): string => `${tool}/${ruleId}`;

export const SARIF_LEVEL: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};

/** Code scanning reads critical from 9.0, high from 7.0, medium from 4.0, low above 0. */
const SECURITY_SEVERITY: Readonly<Record<Severity, string>> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '3.0',
  info: '0.5',
};

/** Rules of the findings, in their order; give the worst first, since a rule takes the severity of its first finding. */
export function toSarifRules(findings: readonly ReportFinding[]): SarifRules {
  const rules: object[] = [];
  const index = new Map<string, number>();
  for (const finding of findings) {
    const id = sarifRuleId(finding);
    if (index.has(id)) continue;
    index.set(id, rules.length);
    rules.push(toRule(id, finding));
  }
  return { rules, index };
}

function toRule(id: string, { title, help, message, severity, confidence, cwe }: ReportFinding): object {
  const url = cwe.map(toCweUrl).find(one => one !== undefined);
  const text = toVisibleText(help ?? message).trim() || title;
  return {
    id,
    name: id,
    shortDescription: { text: toSafeLine(title) || id },
    fullDescription: { text: toVisibleText(message).trim() || id },
    help: { text },
    ...(url === undefined ? {} : { helpUri: url }),
    defaultConfiguration: { level: SARIF_LEVEL[severity] },
    properties: {
      tags: ['security', ...cwe.map(one => `external/cwe/${one.toLowerCase()}`)].slice(0, SARIF_TAGS),
      precision: confidence >= 0.9 ? 'very-high' : confidence >= 0.7 ? 'high' : confidence >= 0.4 ? 'medium' : 'low',
      'security-severity': SECURITY_SEVERITY[severity],
    },
  };
}
