import { strip, textOr, toInteger, toList, toText } from './python-values.ts';
import type { CveIntel, FindingRow, Intel, ProjectFacts } from './row.ts';

/** The row's CVE ids, trimmed and in upper case. */
export function cveIdsOf(row: FindingRow): readonly string[] {
  const { cve_ids: ids } = row;
  if (ids === undefined || ids === null) return NO_IDS;
  const list = toList(ids);
  return list.length === 0 ? NO_IDS : list.map(id => strip(toText(id)).toUpperCase());
}

const NO_IDS: readonly string[] = [];

/**
 * True for a finding that somebody exploited or a credential that works. Words are compared as they stand: what a
 * program wrote in another case is not proof.
 */
export function isProven(row: FindingRow, facts: ProjectFacts, cveIds: readonly string[]): boolean {
  if (row.label === 'ExploitGvm' || row.validation_status === 'validated' || row.verdict === 'malicious') return true;
  if (row.confirmed_exploits !== undefined && toInteger(row.confirmed_exploits, 0) > 0) return true;
  if (isMalwareId(row)) return true;
  if (facts.provenFindingIds.size > 0 && facts.provenFindingIds.has(textOr(row.id))) return true;
  return facts.provenCveIds.size > 0 && cveIds.some(id => facts.provenCveIds.has(id));
}

/** Advisories of malicious packages carry ids that start so. */
export function isMalwareId(row: FindingRow): boolean {
  const { id } = row;
  if (typeof id !== 'string') return false;
  const first = id.charCodeAt(0);
  return (first === 77 || first === 109) && id.slice(0, 4).toUpperCase() === 'MAL-';
}

/** What is known of a finding's CVEs together: any exploit, any proof of concept, the highest EPSS. */
export function bestIntel(cveIds: readonly string[], intel: Intel): CveIntel {
  if (cveIds.length === 0 || intel.size === 0) return UNKNOWN_CVE;
  let best: CveIntel | undefined;
  for (const id of cveIds) {
    const one = intel.get(id);
    if (one === undefined) continue;
    best = best === undefined ? one : joinIntel(best, one);
  }
  return best ?? UNKNOWN_CVE;
}

const UNKNOWN_CVE: CveIntel = { kev: false, hasPoc: false, hasTemplate: false };

function joinIntel(a: CveIntel, b: CveIntel): CveIntel {
  const epssScore = Math.max(a.epssScore ?? -1, b.epssScore ?? -1);
  return {
    kev: a.kev || b.kev,
    hasPoc: a.hasPoc || b.hasPoc,
    hasTemplate: a.hasTemplate || b.hasTemplate,
    ...(a.epssScore === undefined && b.epssScore === undefined ? {} : { epssScore }),
  };
}
