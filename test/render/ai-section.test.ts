import { describe, expect, it } from 'vitest';
import { parseReport, type Report } from '../../src/core/report.ts';
import { renderHtml } from '../../src/render/html.ts';
import { renderReviewBody } from '../../src/render/review-body.ts';
import { renderSummary } from '../../src/render/summary.ts';
import { renderTerminal } from '../../src/render/terminal.ts';
import { cleanReport } from './reports.ts';

const HOSTILE = 'Looks fine @everyone <img src=https://evil.example/x> closes #7 \u202egnol';

const reviewed = (over: Partial<NonNullable<Report['review']>> = {}): Report =>
  parseReport({
    ...cleanReport(),
    review: {
      score: 0.82,
      threshold: 0.6,
      dimensions: { correctness: 0.81, groundedness: 0.92, actionability: 0.73, signalToNoise: 0.64 },
      revisions: 1,
      summary: HOSTILE,
      budgetLimited: false,
      reviewers: [
        { name: 'security', model: 'claude-sonnet-5-5', status: 'ok', calls: 2 },
        { name: 'style', model: 'claude-sonnet-5-5', status: 'failed', calls: 1, message: 'stalled | for 60 s' },
      ],
      dropped: [{ quote: 'return\n1;', reason: 'said twice' }],
      disputes: [{ id: 'a1b2c3d4', note: 'The value is a constant @team.' }],
      injection: { code: 3 },
      ...over,
    },
    cost: {
      usd: 0.1234,
      calls: 3,
      inputTokens: 9_000,
      outputTokens: 800,
      byRole: [
        {
          role: 'security',
          model: 'claude-sonnet-5-5',
          usd: 0.1234,
          calls: 3,
          inputTokens: 9_000,
          outputTokens: 800,
          cacheReadTokens: 4_000,
        },
      ],
    },
  });

const HEAD = 'c'.repeat(40);
const body = (report: Report) => renderReviewBody(report, { headSha: HEAD, inline: [], body: [] });
const OUTPUTS: [string, (report: Report) => string][] = [
  ['review', body],
  ['summary', report => renderSummary(report)],
  ['terminal', report => renderTerminal(report, { width: 120 })],
  ['html', report => renderHtml(report)],
];

describe.each(OUTPUTS)('%s', (name, render) => {
  it('says score, reviewers, disputes, what was left out and the cost', () => {
    const shown = render(reviewed()).replaceAll('\\', '').replace(/\s+/g, ' ');
    for (const part of ['Judged 0.82', 'revised once', 'failed', 'a1b2c3d4', '1 draft', '3 in code', '0.1234']) {
      expect(shown, part).toContain(part);
    }
  });

  it('says how the judge saw each dimension', () => {
    const shown = render(reviewed()).replaceAll('\\', '').replace(/\s+/g, ' ');
    expect(shown).toContain('correctness 0.81, groundedness 0.92, actionability 0.73, signal to noise 0.64');
  });

  it('shows what models wrote as text alone', () => {
    const shown = render(reviewed());
    expect(shown).not.toContain('\u202e');
    if (name !== 'terminal') expect(shown).not.toContain('<img');
    if (name === 'review' || name === 'summary') expect(shown).not.toMatch(/(^|\s)@(everyone|team)/);
  });

  it('says that a review is partial, or that nobody judged or looked', () => {
    const plain = (report: Report) => render(report).replaceAll('\\', '').replace(/\s+/g, ' ');
    expect(plain(reviewed({ budgetLimited: true }))).toContain('partial review');
    expect(plain(reviewed({ score: null, dimensions: null }))).toContain('Not judged');
    const stub = { name: 'security', model: 'none', status: 'stub' as const, calls: 0 };
    expect(plain(reviewed({ score: null, dimensions: null, reviewers: [stub] }))).toContain('No model took part');
  });

  it('holds nothing of it where nobody asked for it', () => {
    expect(render(cleanReport())).not.toContain('AI review');
  });
});
