import type { Cvss } from './cvss.ts';
import type { FindingClass } from './data/class-table.ts';
import type { CveIntel, FindingRow, ProjectFacts } from './row.ts';

/** What the factors read: a row with everything that is worked out of it once. */
export interface ScoringContext {
  readonly row: FindingRow;
  readonly facts: ProjectFacts;
  /** In lower case; empty when the row names none. */
  readonly source: string;
  /** The host or URL of the finding; empty when the row names none. */
  readonly host: string;
  readonly found: FindingClass;
  readonly cvss: Cvss;
  /** Of all its CVEs together. */
  readonly intel: CveIntel;
  readonly proven: boolean;
  /** Known to be exploited, by the row or by its CVEs. */
  readonly kev: boolean;
  readonly hasPoc: boolean;
  readonly isSensitive: boolean;
}
