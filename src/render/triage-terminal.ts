import type { Report } from '../core/report.ts';
import type { TriageResult } from '../core/triage.ts';
import { toSafeLine } from '../core/untrusted.ts';
import { cutCodePoints } from './budget.ts';
import { plural } from './phrases.ts';
import type { TerminalOptions } from './terminal.ts';
import { paint, type Style } from './terminal-color.ts';
import { toChangeText, toPublishSentences, toStateCounts, toTriageHeadline } from './triage-phrases.ts';
import { wrapText } from './wrap.ts';

const MAX_GROUPS = 50;
const MAX_CHANGES = 30;
const TIER_STYLES = { T1: 'critical', T2: 'high', T3: 'medium', T4: 'dim' } as const;

/** A triage for a terminal: groups with their fix, best first, what changed, counts, notes. Empty where there is none. */
export function renderTriageTerminal(report: Report, { width = 80, color = false }: TerminalOptions = {}): string {
  const { triage } = report;
  if (triage === undefined) return '';
  const view: Style = { width: Math.min(120, Math.max(40, width)), color };
  const blocks = [
    renderGroups(triage, report.truncated, view),
    renderChanges(triage, view),
    [...toPublishSentences(triage)].map(line => wrapText(line, view.width).join('\n')).join('\n'),
    renderNotes(report, view),
    renderResult(triage, view),
  ];
  return `${blocks.filter(block => block !== '').join('\n\n')}\n`;
}

function renderGroups({ groups }: TriageResult, truncated: Report['truncated'], view: Style): string {
  const open = groups.filter(({ liveCount }) => liveCount > 0);
  if (open.length === 0) return '';
  const blocks = open.slice(0, MAX_GROUPS).map(({ title, tier, score, liveCount, memberCount, fix, members }) => {
    const head = `${tier} ${score.toFixed(1).padStart(5)}  `;
    const count =
      memberCount === 1 ? '' : ` (${liveCount === memberCount ? memberCount : `${liveCount} of ${memberCount}`})`;
    const places = members
      .slice(0, 3)
      .map(({ path, host, id }) => toSafeLine(cutCodePoints(path || host || id, 100)))
      .join(', ');
    return [
      `${paint(head.trimEnd(), TIER_STYLES[tier], view)}  ${indent(`${toSafeLine(title)}${count}`, head.length, view)}`,
      `${' '.repeat(head.length)}${indent(places + (memberCount > 3 ? `, … ${memberCount - 3} more` : ''), head.length, view)}`,
      `${' '.repeat(head.length)}${indent(`Fix: ${toSafeLine(cutCodePoints(fix, 300))}`, head.length, view)}`,
    ].join('\n');
  });
  const left = open.length - blocks.length + (truncated['triage groups'] ?? 0);
  if (left > 0) blocks.push(`… and ${plural(left, 'more group')}; --format json has more of them`);
  return [paint('What to fix, best first', 'bold', view), ...blocks].join('\n');
}

function renderChanges({ changes, counts }: TriageResult, view: Style): string {
  if (changes.length === 0) return '';
  const lines = changes.slice(0, MAX_CHANGES).map(change => {
    const name = toSafeLine(cutCodePoints(change.name || change.id, 100));
    return `  - ${indent(`${name}: ${toChangeText(change)}`, 4, view)}`;
  });
  const left = counts.changes - lines.length;
  if (left > 0) lines.push(`  … and ${left} more`);
  return [paint('Since the last run', 'bold', view), ...lines].join('\n');
}

function renderNotes({ notices, truncated }: Report, view: Style): string {
  const cut = Object.entries(truncated).map(([what, count]) => `${count} ${what} left out`);
  const notes = [...notices, ...cut].map(note => `  - ${indent(toSafeLine(cutCodePoints(note, 600)), 4, view)}`);
  return notes.length === 0 ? '' : [paint('Notes', 'bold', view), ...notes].join('\n');
}

function renderResult(triage: TriageResult, view: Style): string {
  const style = triage.counts.tiers.T1 > 0 ? 'critical' : 'bold';
  const head = wrapText(toTriageHeadline(triage), view.width).map(line => paint(line, style, view));
  const states = toStateCounts(triage);
  return [...head, ...(states === '' ? [] : wrapText(states, view.width))].join('\n');
}

const indent = (text: string, columns: number, { width }: Style): string =>
  wrapText(text, width - columns).join(`\n${' '.repeat(columns)}`);
