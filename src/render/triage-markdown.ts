import type { Report } from '../core/report.ts';
import { TIER_NAMES, TIERS } from '../core/risk.ts';
import type { TriageResult } from '../core/triage.ts';
import { codeSpan, plainText } from '../core/untrusted.ts';
import { cutCodePoints, fitSections, type Limit, type Section } from './budget.ts';
import { SUMMARY_LIMIT } from './limits.ts';
import { renderNotices, toDetails } from './report-sections.ts';
import { keep, toCutNotice } from './review-body.ts';
import { toChangeText, toPublishSentences, toStateCounts, toTriageHeadline } from './triage-phrases.ts';

const MAX_GROUPS = 200;
const MAX_CHANGES = 200;

/** A triage as a job summary, within the limit; empty where there is none. */
export function renderTriageSummary(
  report: Report,
  notes: readonly string[] = [],
  limit: Limit = SUMMARY_LIMIT,
): string {
  const { triage } = report;
  if (triage === undefined) return '';
  const icon = { completed: '✅', completed_partial: '➖', stopped: '➖', failed: '❌' }[triage.status];
  const sections: Section[] = [
    keep(`## ${icon} CypherFix: ${plainText(toTriageHeadline(triage))}`),
    keep(renderBoard(triage)),
    { text: '', rank: 0, kind: 'notice' },
    { text: renderNotices(report, notes), rank: 1, kind: 'details' },
    { text: renderGroups(triage), rank: 3, kind: 'details' },
    { text: renderChanges(triage), rank: 4, kind: 'details' },
    keep(toPublishSentences(triage).map(plainText).join('\n\n')),
  ];
  return fitSections(sections, limit, toCutNotice).text;
}

function renderBoard(triage: TriageResult): string {
  const rows = TIERS.map(tier => `| ${tier} ${TIER_NAMES[tier]} | ${triage.counts.tiers[tier]} |`);
  const states = toStateCounts(triage);
  return (
    ['| Tier | Open findings |', '| --- | ---: |', ...rows].join('\n') +
    (states === '' ? '' : `\n\n${plainText(states)}.`)
  );
}

function renderGroups({ groups }: TriageResult): string {
  const open = groups.filter(({ liveCount }) => liveCount > 0).slice(0, MAX_GROUPS);
  if (open.length === 0) return '';
  const rows = open.map(({ tier, score, title, liveCount, fix, members }) => {
    const where = members
      .slice(0, 3)
      .map(({ path, host, id }) => plainText(cutCodePoints(path || host || id, 80)))
      .join(', ');
    const cells = [tier, score.toFixed(1), plainText(cutCodePoints(title, 120)), String(liveCount), where];
    return `| ${[...cells, plainText(cutCodePoints(fix, 300))].join(' | ')} |`;
  });
  const table = ['| Tier | Score | What | Open | Where | Fix |', '| --- | ---: | --- | ---: | --- | --- |', ...rows];
  return `### What to fix, best first\n\n${table.join('\n')}`;
}

function renderChanges({ changes, counts }: TriageResult): string {
  if (changes.length === 0) return '';
  const lines = changes.slice(0, MAX_CHANGES).map(change => {
    const name = codeSpan(cutCodePoints(change.name || change.id, 100));
    return `- ${name}: ${plainText(toChangeText(change))}`;
  });
  if (counts.changes > lines.length) lines.push(`- … and ${counts.changes - lines.length} more`);
  return toDetails(`Since the last run: ${counts.changes} changed`, lines.join('\n'));
}
