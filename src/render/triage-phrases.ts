import { TIER_NAMES, TIERS } from '../core/risk.ts';
import type { TriageChange, TriageResult } from '../core/triage.ts';
import { plural } from './phrases.ts';

/** `2 Act now, 1 Plan`; empty where nothing is open. */
export const toTierCounts = ({ counts }: TriageResult): string =>
  TIERS.filter(tier => counts.tiers[tier] > 0)
    .map(tier => `${counts.tiers[tier]} ${TIER_NAMES[tier]}`)
    .join(', ');

const STATE_NAMES = {
  open: 'open',
  fixed: 'fixed',
  gone: 'gone with their host',
  inactive: 'inactive credentials',
  false_positive: 'false positives',
} as const;

/** `12 open, 3 fixed`. */
export const toStateCounts = ({ counts }: TriageResult): string =>
  (Object.keys(STATE_NAMES) as (keyof typeof STATE_NAMES)[])
    .filter(state => counts.states[state] > 0)
    .map(state => `${counts.states[state]} ${STATE_NAMES[state]}`)
    .join(', ');

/** The result in one line. */
export function toTriageHeadline(result: TriageResult): string {
  const { counts, status } = result;
  const ranked = `${plural(counts.findings, 'finding')} in ${plural(counts.groups, 'group')}`;
  switch (status) {
    case 'completed':
      return `Triage: ${ranked} · ${toTierCounts(result) || 'nothing is open'}`;
    case 'completed_partial':
      return `Triage, written in part: ${ranked} · ${toTierCounts(result) || 'nothing is open'}`;
    case 'stopped':
      return 'Triage stopped: nothing was written';
    case 'failed':
      return 'Triage failed';
  }
}

/** How a finding stands otherwise: `T3 31.2 → T1 92.0`, `fixed`. */
export function toChangeText({ kind, before, after }: TriageChange): string {
  switch (kind) {
    case 'new':
      return after?.state === 'open' ? `new: ${toStanding(after)}` : `new: ${after?.state ?? ''}`;
    case 'gone':
      return `no longer there (was ${before === null ? 'unknown' : toStanding(before)})`;
    case 'state':
      return `${before?.state ?? ''} → ${after?.state ?? ''}${after?.state === 'open' ? ` (${toStanding(after)})` : ''}`;
    default:
      return `${before === null ? '' : toStanding(before)} → ${after === null ? '' : toStanding(after)}`;
  }
}

const toStanding = ({ tier, score }: { tier: string; score: number }): string => `${tier} ${score.toFixed(1)}`;

/** What was written and what was not, a sentence each; empty where nothing was to be written. */
export function toPublishSentences({ runId, counts, status }: TriageResult): string[] {
  if (runId === null || status === 'stopped') return [];
  const { published, reviews, remediations } = counts;
  const told: [number, string][] = [
    [published.updated, 'ranked in the graph'],
    [published.skippedChanged, 'skipped since they changed meanwhile'],
    [published.missing, 'no longer there when they were to be written'],
    [published.failed, 'not written since their batch failed'],
  ];
  const evidence: [number, string][] = [
    [reviews.made, 'reviewed'],
    [reviews.adopted, 'taken over from an earlier version'],
    [reviews.failed, 'failed'],
    [reviews.notReviewed, 'beyond the budget'],
    [published.rejected, 'not written since a person or an external review had decided'],
  ];
  const fixes: [number, string][] = [
    [remediations.written, 'written'],
    [remediations.kept, 'kept as somebody works on them'],
    [remediations.removed, 'closed'],
  ];
  return [
    `Findings: ${toCounts(told) || 'none to rank'}.`,
    ...(toCounts(evidence) === '' ? [] : [`Evidence: ${toCounts(evidence)}.`]),
    `Fixes: ${toCounts(fixes) || 'none'}.`,
  ];
}

const toCounts = (pairs: readonly [number, string][]): string =>
  pairs
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join('; ');
