import { isPresent, toList, toText } from '../risk/python-values.ts';
import type { FindingRow } from '../risk/row.ts';
import type { Row } from './graph.ts';

/**
 * A row of a finding query as the score model takes it: ids of CVEs alone, in upper case, once each and sorted; lists
 * as texts; the columns that are always there as text, others left out where they hold nothing. Pure.
 */
export function toFindingRow(found: Row): FindingRow {
  const row = { ...found };
  for (const column in row) if (row[column] === null) delete row[column];
  for (const column of ALWAYS) row[column] ??= '';
  row['host'] = row['triage_host'];
  if (row['cve_ids'] !== undefined) row['cve_ids'] = toCveIds(row['cve_ids']);
  for (const column of LISTS) if (row[column] !== undefined) row[column] = toTexts(row[column]);
  if (!isPresent(row['package_purl']) && row['vuln_package'] !== undefined) row['package_purl'] = row['vuln_package'];
  if (!isPresent(row['package_version']) && row['vuln_package_version'] !== undefined) {
    row['package_version'] = row['vuln_package_version'];
  }
  return row as FindingRow;
}

const ALWAYS = ['triage_host', 'source', 'name', 'severity'] as const;
const LISTS = ['tags', 'extracted_results'] as const;

function toCveIds(value: unknown): string[] {
  const ids = new Set<string>();
  for (const item of toList(value)) {
    const id = toText(item).trim().toUpperCase();
    if (id.startsWith('CVE-')) ids.add(id);
  }
  return [...ids].sort();
}

const toTexts = (value: unknown): string[] => toList(value).filter(isPresent).map(toText);
