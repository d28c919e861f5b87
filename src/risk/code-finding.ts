import type { Finding } from '../core/finding.ts';
import { EXAMPLE_FILE, EXAMPLE_FOLDERS, TEST_FILE, TEST_FOLDERS } from './data/weakness-table.ts';
import type { Factors } from './factor.ts';
import type { FindingRow, Intel, ProjectFacts } from './row.ts';
import { scoreRow } from './score.ts';

/** What a row takes from a finding of the report. */
export type ScorableFinding = Pick<
  Finding,
  'fingerprint' | 'tool' | 'ruleId' | 'title' | 'message' | 'severity' | 'confidence' | 'cwe' | 'path' | 'tools'
>;

/** What is known of the repository that the code is in. */
export interface RepositoryContext {
  /** `owner/name`, where known. */
  readonly repository?: string;
  readonly public: boolean;
  /** Host that serves this repository's code, where the graph knows one. */
  readonly host?: string;
}

/** The report's `risk` of a finding. */
export interface FindingRisk extends Factors {
  readonly risk: number;
  readonly tier: string;
  readonly score: number;
  readonly state: string;
  readonly rule: string;
}

/** A finding in this repository's code as a row of the score model, label CodeFinding. */
export function toCodeFindingRow(finding: ScorableFinding, context: RepositoryContext): FindingRow {
  return {
    id: finding.fingerprint,
    label: 'CodeFinding',
    source: finding.tool,
    name: finding.title,
    description: finding.message,
    severity: finding.severity,
    confidence: finding.confidence,
    cwe_ids: finding.cwe,
    rule_id: finding.ruleId,
    tools: finding.tools,
    path: finding.path,
    path_kind: pathKindOf(finding.path),
    repository_public: context.public,
    repository: context.repository ?? '',
    triage_host: context.host ?? '',
  };
}

/** Scores a row for the report. */
export function scoreFinding(row: FindingRow, facts: ProjectFacts, intel: Intel): FindingRisk {
  const { storedFactors, risk, tier, score, state, tierRule } = scoreRow(row, facts, intel);
  return { ...storedFactors, risk, tier, score, state, rule: tierRule };
}

export type PathKind = 'test' | 'example' | '';

/** Whether a path looks like test or example code, by its folders and its file name. */
export function pathKindOf(path: string): PathKind {
  const parts = path.toLowerCase().split('/');
  const file = parts.pop() ?? '';
  if (parts.some(part => TEST_FOLDERS.has(part)) || TEST_FILE.test(file)) return 'test';
  return parts.some(part => EXAMPLE_FOLDERS.has(part)) || EXAMPLE_FILE.test(file) ? 'example' : '';
}
