import type { ReportFinding } from '../core/report.ts';

/**
 * Finds this run's finding for a fingerprint of an earlier one. A finding that several tools reported is known under the
 * fingerprint of each, so that a tool that failed once renames nothing; the report holds the first digits of those.
 */
export function createFindingIndex(findings: readonly ReportFinding[]): (fingerprint: string) => ReportFinding | null {
  const whole = new Map(findings.map(f => [f.fingerprint, f]));
  const short = new Map(findings.flatMap(f => f.mergedFrom.map(({ id }) => [id, f] as const)));
  const lengths = [...new Set([...short.keys()].map(id => id.length))];
  return fingerprint => {
    const exact = whole.get(fingerprint);
    if (exact !== undefined) return exact;
    for (const length of lengths) {
      const found = short.get(fingerprint.slice(0, length));
      if (found !== undefined) return found;
    }
    return null;
  };
}
