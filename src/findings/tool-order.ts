import type { RawFinding } from '../core/finding.ts';

/**
 * Which tool speaks for a place that several report. The order is by how much a reader learns from the tool's finding
 * (a precise rule with advice first) and never by which tool ran first, so that a finding keeps its identity from run to
 * run. Tools that are not listed follow in the order of their names.
 */
export const TOOL_ORDER = ['gitleaks', 'ast-grep', 'gosec', 'ruff', 'bandit', 'eslint'] as const;

/** Models speak for a place only where no scanner does. */
export const REVIEWER_ORDER = ['security', 'correctness', 'style'] as const;

/** Rules of gitleaks that match by the look of a value alone: a rule that knows the issuer speaks before them. */
export const GENERIC_SECRET_RULES = ['generic-api-key', 'curl-auth-header', 'curl-auth-user', 'jwt-base64'] as const;

/** Weaknesses that tools name by different numbers for the same place; each list is one weakness when merging. */
export const SAME_WEAKNESS: readonly (readonly string[])[] = [
  ['CWE-77', 'CWE-78', 'CWE-88'],
  ['CWE-22', 'CWE-23', 'CWE-36', 'CWE-73'],
  ['CWE-79', 'CWE-80', 'CWE-116'],
  ['CWE-94', 'CWE-95', 'CWE-96'],
  ['CWE-259', 'CWE-321', 'CWE-798'],
  ['CWE-326', 'CWE-327', 'CWE-328'],
  ['CWE-330', 'CWE-338'],
  ['CWE-185', 'CWE-400', 'CWE-730', 'CWE-1333'],
];

/** Scanners first, those without a rank of their own after the known ones, then reviewers. */
export const toolRank = ({ tool, origin }: Pick<RawFinding, 'tool' | 'origin'>): number => {
  const order: readonly string[] = origin === 'reviewer' ? REVIEWER_ORDER : TOOL_ORDER;
  const rank = order.indexOf(tool);
  return (origin === 'reviewer' ? TOOL_ORDER.length + 1 : 0) + (rank < 0 ? order.length : rank);
};

/** The number that stands for a weakness and its equals. */
export const toWeakness = (cwe: string): string => SAME_WEAKNESS.find(group => group.includes(cwe))?.[0] ?? cwe;
