import type { RoleScore, Score, Spent } from './score.ts';

/** The figures for people: one row a role, the sum below, then what was missed and what was said besides. */
export function renderTable(score: Score, answeredBy: string): string {
  const rows = Object.entries(score.byRole).map(([role, row]) => toRow(role, row));
  const table = [HEAD, ...rows, toRow('all', score)];
  const widths = HEAD.map((_, column) => Math.max(...table.map(row => row[column]?.length ?? 0)));
  const lines = table.map(row =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  const list = (title: string, entries: readonly string[]) =>
    entries.length === 0 ? [] : ['', title, ...entries.map(entry => `  ${entry}`)];
  const byCase = (of: (item: Score['byCase'][number]) => readonly string[]) =>
    score.byCase.flatMap(item => of(item).map(text => `${item.case}: ${text}`));
  return [
    `answered by ${answeredBy}`,
    '',
    ...lines,
    '',
    `clean twins with a finding: ${percent(score.falseAlarmRate)}`,
    ...list(
      'missed',
      byCase(item => item.missed),
    ),
    ...list(
      'beside the planted faults',
      byCase(item => item.extra),
    ),
    ...list(
      'on clean twins',
      byCase(item => item.alarms),
    ),
    ...list('not finished', score.incomplete),
    '',
  ].join('\n');
}

const HEAD = ['role', 'faults', 'found', 'recall', 'findings', 'right', 'precision', 'calls', 'dollars', 'seconds'];

function toRow(role: string, row: RoleScore | Spent): string[] {
  const spent = [String(row.calls), row.usd.toFixed(4), (row.ms / 1_000).toFixed(1)];
  if (!('faults' in row)) return [role, '', '', '', '', '', '', ...spent];
  const { faults, found, recall, findings, right, precision } = row;
  return [
    role,
    String(faults),
    String(found),
    percent(recall),
    String(findings),
    String(right),
    percent(precision),
    ...spent,
  ];
}

const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)} %`);
