import type { TriageChange, TriageCounts, TriageGroup, TriageStanding } from '../core/triage.ts';
import { textOr } from '../risk/python-values.ts';
import type { FindingGroup, RankedFinding } from './ranked-finding.ts';
import { toStanding } from './ranked-finding.ts';
import { toGroupTitle, toStandardSolution } from './remediations.ts';
import { type FindingRef, toRefKey } from './store.ts';

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

/** What an earlier run ranked, by reference key. */
export type PreviousStandings = ReadonlyMap<string, FindingRef & TriageStanding>;

/**
 * What stands otherwise than after the last run: a tier that moved, a state, a score, findings that are new or gone. The
 * gravest first. `complete` false: some findings could not be read, so that none is called gone.
 */
export function toChanges(
  findings: readonly RankedFinding[],
  previous: PreviousStandings,
  complete: boolean,
): TriageChange[] {
  const changes: TriageChange[] = [];
  const seen = new Set<string>();
  for (const finding of findings) {
    const key = toRefKey(finding);
    seen.add(key);
    const before = previous.get(key);
    const after = toStanding(finding);
    const kind = before === undefined ? 'new' : toKind(before, after);
    if (kind === null) continue;
    const { label, id, row } = finding;
    changes.push({
      kind,
      label,
      id,
      name: textOr(row.name),
      before: before === undefined ? null : { tier: before.tier, score: before.score, state: before.state },
      after,
    });
  }
  for (const [key, { label, id, tier, score, state }] of complete ? previous : []) {
    if (seen.has(key)) continue;
    changes.push({ kind: 'gone', label, id, name: '', before: { tier, score, state }, after: null });
  }
  return changes.sort(byWeight);
}

/** Below this, two scores are shown alike. */
const SAME_SCORE = 1e-4;

function toKind(before: TriageStanding, after: TriageStanding): TriageChange['kind'] | null {
  if (before.state !== after.state) return 'state';
  if (before.tier !== after.tier) return 'tier';
  return Math.abs(before.score - after.score) < SAME_SCORE ? null : 'score';
}

const KIND_ORDER: Readonly<Record<TriageChange['kind'], number>> = { tier: 0, new: 0, state: 1, gone: 2, score: 3 };

function byWeight(a: TriageChange, b: TriageChange): number {
  const topOf = ({ before, after }: TriageChange) => Math.max(before?.score ?? 0, after?.score ?? 0);
  return (
    KIND_ORDER[a.kind] - KIND_ORDER[b.kind] ||
    topOf(b) - topOf(a) ||
    (toRefKey(a) < toRefKey(b) ? -1 : toRefKey(a) > toRefKey(b) ? 1 : 0)
  );
}

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
      ...toStanding(member),
    })),
  }));
}
