import type { Report } from '../../src/core/report.ts';
import { REVIEWERS, type ReviewerFinding } from '../../src/review/outcome.ts';
import type { Case, Fault, Variant } from './cases.ts';

/** What one variant of a case got. */
export interface Reviewed {
  readonly case: string;
  readonly variant: Variant;
  readonly findings: readonly Pick<
    ReviewerFinding,
    'tool' | 'path' | 'startLine' | 'endLine' | 'title' | 'mergedFrom'
  >[];
  /** Why the review is incomplete. */
  readonly failures: readonly string[];
  /** Of the judge; null where none spoke. */
  readonly score: number | null;
  readonly cost: Report['cost'];
  /** Role → milliseconds that it waited for its model. */
  readonly ms: Readonly<Record<string, number>>;
}

export interface Spent {
  readonly calls: number;
  readonly usd: number;
  readonly ms: number;
}

export interface RoleScore extends Spent {
  /** Planted faults that are this reviewer's to find. */
  readonly faults: number;
  /** Those of them that it found itself. */
  readonly found: number;
  readonly recall: number | null;
  readonly findings: number;
  /** Those that stand at a planted fault, whosever it is. */
  readonly right: number;
  readonly precision: number | null;
}

export interface Score extends Omit<RoleScore, never> {
  /** Clean twins with at least one finding, as a share of all. */
  readonly falseAlarmRate: number | null;
  readonly byRole: Readonly<Record<string, RoleScore | Spent>>;
  readonly byCase: readonly {
    readonly case: string;
    readonly missed: readonly string[];
    readonly extra: readonly string[];
    readonly alarms: readonly string[];
  }[];
  /** Reviews that did not finish; their faults count as missed. */
  readonly incomplete: readonly string[];
}

/** A finding may name the line before or behind, or the whole function. */
const NEAR_LINES = 3;

/** Counts what reviews found of the planted faults, and what else they said. Shares are null where there is nothing to count. */
export function score(cases: readonly Case[], reviews: readonly Reviewed[]): Score {
  const faultsOf = new Map(cases.map(item => [item.name, item.faults]));
  const rows = reviews.map(review => ({
    review,
    faults: review.variant === 'faulty' ? (faultsOf.get(review.case) ?? []) : [],
  }));
  const count = (role: string | null): RoleScore => {
    const isOf = (finding: Reviewed['findings'][number]) => role === null || reviewersOf(finding).includes(role);
    let [faults, found, findings, right] = [0, 0, 0, 0];
    for (const row of rows) {
      const own = row.review.findings.filter(isOf);
      const due = row.faults.filter(fault => role === null || fault.role === role);
      faults += due.length;
      found += due.filter(fault => own.some(finding => hits(finding, fault))).length;
      findings += own.length;
      right += own.filter(finding => row.faults.some(fault => hits(finding, fault))).length;
    }
    return {
      faults,
      found,
      recall: share(found, faults),
      findings,
      right,
      precision: share(right, findings),
      ...spent(role),
    };
  };
  const spent = (role: string | null): Spent => {
    const costs = reviews.flatMap(({ cost }) => cost.byRole).filter(row => role === null || row.role === role);
    const times = reviews.flatMap(({ ms }) => Object.entries(ms)).filter(([name]) => role === null || name === role);
    return {
      calls: costs.reduce((sum, row) => sum + row.calls, 0),
      usd: round(costs.reduce((sum, row) => sum + row.usd, 0)),
      ms: times.reduce((sum, [, ms]) => sum + ms, 0),
    };
  };
  const roles = [...new Set([...REVIEWERS, ...reviews.flatMap(({ cost }) => cost.byRole.map(row => row.role))])];
  const clean = reviews.filter(review => review.variant === 'clean');
  return {
    ...count(null),
    falseAlarmRate: share(clean.filter(review => review.findings.length > 0).length, clean.length),
    byRole: Object.fromEntries(roles.map(role => [role, isReviewer(role) ? count(role) : spent(role)])),
    byCase: cases.map(item => describe(item, rows)),
    incomplete: reviews.flatMap(({ failures, ...review }) =>
      failures.map(failure => `${review.case} (${review.variant}): ${failure}`),
    ),
  };
}

function describe(item: Case, rows: readonly { review: Reviewed; faults: readonly Fault[] }[]) {
  const of = (variant: Variant) =>
    rows
      .filter(({ review }) => review.case === item.name && review.variant === variant)
      .flatMap(({ review }) => review.findings);
  const faulty = of('faulty');
  const tell = ({ tool, path, startLine, title }: Reviewed['findings'][number]) =>
    `${tool}: ${path}${startLine === null ? '' : `:${startLine}`}: ${title}`;
  return {
    case: item.name,
    missed: item.faults.filter(fault => !faulty.some(finding => hits(finding, fault))).map(({ why }) => why),
    extra: faulty.filter(finding => !item.faults.some(fault => hits(finding, fault))).map(tell),
    alarms: of('clean').map(tell),
  };
}

/** Whether a finding stands at a fault; one that has no lines stands nowhere. */
export const hits = ({ path, startLine, endLine }: Reviewed['findings'][number], fault: Fault): boolean =>
  path === fault.path &&
  startLine !== null &&
  startLine - NEAR_LINES <= fault.line &&
  fault.line <= (endLine ?? startLine) + NEAR_LINES;

const reviewersOf = ({ tool, mergedFrom }: Reviewed['findings'][number]): string[] => [
  tool,
  ...mergedFrom.map(({ reviewer }) => reviewer),
];

const isReviewer = (role: string): boolean => REVIEWERS.some(name => name === role);
const share = (part: number, whole: number): number | null => (whole === 0 ? null : round(part / whole));
const round = (value: number): number => Math.round(value * 10_000) / 10_000;
