import { TIERS } from '../core/risk.ts';
import type { TriageResult } from '../core/triage.ts';

/**
 * The result as it may be shown on a public repository (decision 14b): counts, and of the findings only those in this
 * repository's code, with nothing that the graph knows of them but tier and score. `own` tells by id which those are.
 */
export function toPublicTriage(result: TriageResult, own: ReadonlySet<string>): TriageResult {
  const isOwn = ({ label, id }: { label: string; id: string }): boolean => label === 'CodeFinding' && own.has(id);
  const groups = result.groups
    .map(group => ({ group, members: group.members.filter(isOwn) }))
    .filter(({ members }) => members.length > 0)
    .map(({ group, members }) => ({
      ...group,
      title: members[0]?.name || group.key,
      // Of a group that holds findings of other repositories only the own part is told.
      memberCount: members.length,
      liveCount: members.filter(({ state }) => state === 'open').length,
      risk: 0,
      fix: '',
      members: members.map(member => ({ ...member, host: '' })),
    }));
  const changes = result.changes.filter(isOwn);
  const { counts } = result;
  const open = TIERS.reduce((sum, tier) => sum + counts.tiers[tier], 0);
  return {
    ...result,
    counts: {
      ...counts,
      findings: open,
      groups: groups.length,
      states: { open, fixed: 0, gone: 0, inactive: 0, false_positive: 0 },
      changes: changes.length,
    },
    groups,
    remediations: [],
    changes,
  };
}
