import { TIER_LEVELS, type Tier } from './data/tier-rules.ts';
import { groupKeyOf } from './group-key.ts';
import { roundTo } from './rounding.ts';
import type { FindingRow } from './row.ts';
import type { State } from './state.ts';
import { scoreFor } from './tier.ts';

/** What grouping reads of a member's score: the final values where layers were combined, else the model's own. */
export interface MemberView {
  readonly state: State;
  readonly tier: Tier;
  readonly risk: number;
  readonly score: number;
}

export interface Member<View extends MemberView = MemberView> {
  readonly row: FindingRow;
  readonly view: View;
}

/** Findings that one fix removes. */
export interface Group<Item extends Member = Member> {
  readonly key: string;
  /** The highest score first; in the order given on a tie. */
  readonly members: readonly Item[];
  /** How many are open. */
  readonly liveCount: number;
  readonly tier: Tier;
  readonly risk: number;
  readonly score: number;
}

/**
 * Puts findings with one fix together; the highest group first, then by key. `keyOf` gives a key that was worked out
 * before, where a member's row no longer holds all its columns.
 */
export function assignGroups<Item extends Member>(
  members: readonly Item[],
  keyOf: (member: Item) => string = ({ row }) => groupKeyOf(row),
): Group<Item>[] {
  const byKey = new Map<string, Item[]>();
  for (const member of members) {
    const key = keyOf(member);
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [member]);
    else known.push(member);
  }
  const groups: Group<Item>[] = [];
  for (const [key, items] of byKey) groups.push(toGroup(key, items));
  return groups.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
}

/** Risk of a group: the chance that at least one member's harm comes about, nine decimals. */
export function groupRisk(risks: readonly number[]): number {
  let none = 1;
  for (const risk of risks) none *= 1 - (risk > 0 ? Math.min(1, risk) : 0);
  return roundTo(1 - none, 9);
}

/** The highest tier of a list; T4 of an empty one. */
export function bestTier(tiers: readonly Tier[]): Tier {
  let best: Tier = 'T4';
  for (const tier of tiers) if (TIER_LEVELS[tier] > TIER_LEVELS[best]) best = tier;
  return best;
}

function toGroup<Item extends Member>(key: string, items: Item[]): Group<Item> {
  if (items.length > 1) items.sort((a, b) => b.view.score - a.view.score);
  const live = items.filter(item => item.view.state === 'open').map(item => item.view);
  const tier = bestTier(live.map(view => view.tier));
  const risk = groupRisk(live.map(view => view.risk));
  const score = live.length === 0 ? 0 : scoreFor(tier, risk);
  return { key, members: items, liveCount: live.length, tier, risk, score };
}
