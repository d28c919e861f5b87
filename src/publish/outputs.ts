import type { Report } from '../core/report.ts';
import { topTier } from '../core/risk.ts';
import type { GateWord } from '../findings/gate.ts';

export interface Published {
  readonly reviewUrl: string;
  readonly checkUrl: string;
  readonly reportFile: string;
  readonly sarifFile: string;
}

/** Every output of the action; `report` is null where nothing was analysed or the analysis did not end. Pure. */
export function toOutputs(report: Report | null, gate: GateWord, published: Published): Record<string, string> {
  return {
    conclusion: report?.conclusion ?? (gate === 'error' ? 'failure' : ''),
    gate,
    findings: String(report?.findings.length ?? 0),
    'top-tier': topTier(report?.findings.flatMap(finding => finding.risk?.tier ?? []) ?? []) ?? '',
    score: report?.review?.score?.toFixed(3) ?? '',
    'cost-usd': report === null ? '' : report.cost.usd.toFixed(4),
    'review-url': published.reviewUrl,
    'check-url': published.checkUrl,
    'report-file': published.reportFile,
    'sarif-file': published.sarifFile,
    'fix-urls': '',
  };
}

/**
 * Whether the step fails (input `fail-on-gate`): `auto` fails it only where no check run could carry the verdict, as on
 * a fork. A gate that tripped and a run that did not end count; an incomplete one does not.
 */
export function isFailingStep(failOnGate: 'auto' | 'true' | 'false', gate: GateWord, hasCheck: boolean): boolean {
  if (gate !== 'tripped' && gate !== 'error') return false;
  return failOnGate === 'true' || (failOnGate === 'auto' && !hasCheck);
}
