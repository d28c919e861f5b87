import type { TriageChange, TriageCounts, TriageGroup, TriageStanding } from '../core/triage.ts';
import { textOr } from '../risk/python-values.ts';
import type { FindingGroup, RankedFinding } from './ranked-finding.ts';
import { toStanding } from './ranked-finding.ts';
import { toGroupTitle, toStandardSolution } from './remediations.ts';
import { type FindingRef, fromRefKey, toRefKey } from './store.ts';

/** Open findings by tier, and all findings by state. */
export function countFindings(findings: readonly RankedFinding[]): Pick<TriageCounts, 'findings' | 'tiers' | 'states'> {
  const tiers = { T1: 0, T2: 0, T3: 0, T4: 0 };
  const states = { open: 0, fixed: 0, gone: 0, inactive: 0, false_positive: 0 };
  for (const { final } of findings) {
    states[final.state]++;
    if (final.state === 'open') tiers[final.tier]++;
  }
  return { findings: findings.length, tiers, states };
}

/** What an earlier run ranked, by reference key; `previous` is null where none did. */
export type PreviousStandings = ReadonlyMap<string, { readonly previous: TriageStanding | null }>;

export interface Changes {
  readonly count: number;
  /** The weightiest. */
  readonly first: readonly TriageChange[];
}

export const NO_CHANGES: Changes = { count: 0, first: [] };

/**
 * What stands otherwise than after the last run: a tier that moved, a state, a score, findings that are new or gone; the
 * first `most`, by weight. `complete` false: some findings could not be read, so that none is called gone.
 */
export function toChanges(
  findings: readonly RankedFinding[],
  previous: PreviousStandings,
  complete: boolean,
  most: number,
): Changes {
  const changes: Change[] = [];
  const left = new Set(complete ? previous.keys() : []);
  for (const finding of findings) {
    const key = toRefKey(finding);
    left.delete(key);
    const before = previous.get(key)?.previous ?? null;
    const kind = before === null ? 'new' : toKind(before, finding.final);
    if (kind !== null) changes.push({ kind, ref: finding, before, finding });
  }
  for (const key of left) {
    const before = previous.get(key)?.previous ?? null;
    if (before !== null) changes.push({ kind: 'gone', ref: fromRefKey(key), before, finding: null });
  }
  changes.sort(byWeight);
  return { count: changes.length, first: changes.slice(0, most).map(toChange) };
}

interface Change {
  readonly kind: TriageChange['kind'];
  readonly ref: FindingRef;
  readonly before: TriageStanding | null;
  readonly finding: RankedFinding | null;
}

const toChange = ({ kind, ref: { label, id }, before, finding }: Change): TriageChange => ({
  kind,
  label,
  id,
  name: textOr(finding?.row.name),
  before,
  after: finding === null ? null : toStanding(finding),
});

/** Below this, two scores are shown alike. */
const SAME_SCORE = 1e-4;

function toKind(before: TriageStanding, after: TriageStanding): TriageChange['kind'] | null {
  if (before.state !== after.state) return 'state';
  if (before.tier !== after.tier) return 'tier';
  return Math.abs(before.score - after.score) < SAME_SCORE ? null : 'score';
}

const KIND_ORDER: Readonly<Record<TriageChange['kind'], number>> = { tier: 0, new: 0, state: 1, gone: 2, score: 3 };

function byWeight(a: Change, b: Change): number {
  const topOf = ({ before, finding }: Change) => Math.max(before?.score ?? 0, finding?.final.score ?? 0);
  return (
    KIND_ORDER[a.kind] - KIND_ORDER[b.kind] ||
    topOf(b) - topOf(a) ||
    compare(a.ref.label, b.ref.label) ||
    compare(a.ref.id, b.ref.id)
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Groups for people, each with its fix; of their members the first `most`. */
export function toGroupList(groups: readonly FindingGroup[], most: number): TriageGroup[] {
  return groups.map(group => ({
    key: group.key,
    title: toGroupTitle(group),
    tier: group.tier,
    score: group.score,
    risk: group.risk,
    liveCount: group.liveCount,
    memberCount: group.members.length,
    fix: group.liveCount === 0 ? '' : toStandardSolution(group),
    members: group.members.slice(0, most).map(member => ({
      label: member.label,
      id: member.id,
      name: textOr(member.row.name),
      host: member.host,
      path: member.label === 'CodeFinding' ? textOr(member.row.path) : '',
      ...toStanding(member),
    })),
  }));
}
