import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseReport, type Report } from '../../src/core/report.ts';
import { renderRanking } from '../../src/render/ranking.ts';
import { renderSummary } from '../../src/render/summary.ts';

const path = new URL('../data/reports/pull-request.json', import.meta.url);
const report = parseReport(JSON.parse(readFileSync(path, 'utf8')));
const factor = (value: number) => ({ value, evidence: `because | ${value} <b>` });

/** The report with its findings ranked from the first to the last. */
function ranked(): Report {
  const findings = report.findings.map((finding, index) => ({
    ...finding,
    risk: {
      C: factor(0.9),
      L: factor(0.6),
      I: factor(0.5),
      R: factor(0.8),
      risk: 0.2,
      tier: index === 0 ? 'T2' : 'T3',
      score: 60 - index,
      state: 'open',
      rule: 'r',
    },
  }));
  return { ...report, findings };
}

test('draws every tier and explains the first findings by their factors', () => {
  const text = renderRanking(ranked());
  expect(text).toContain('| T1 Act now | 0 |  |');
  expect(text).toMatch(/\| T2 Act soon \| 1 \| `█+` \|/);
  expect(text).toContain('0.90 because');
  expect(text).not.toContain('<b>');
  expect(renderSummary(ranked())).toContain('### Ranking');
});

test('every row has the columns of its table, whatever the evidence holds', () => {
  const rows = renderRanking(ranked())
    .split('\n')
    .filter(line => line.startsWith('| `'));
  for (const row of rows) expect(row.replace(/\\\|/g, '').split('|')).toHaveLength(10);
});

test('is absent where nothing was ranked', () => {
  const findings = report.findings.map(finding => ({ ...finding, risk: null }));
  expect(renderRanking({ ...report, findings })).toBe('');
});
