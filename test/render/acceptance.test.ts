import { describe, expect, it } from 'vitest';
import { parseReport, type Report, type ReportAcceptance } from '../../src/core/report.ts';
import { findAcceptanceBlock } from '../../src/render/acceptance-section.ts';
import { renderCheckRun } from '../../src/render/check-run.ts';
import { renderHtml } from '../../src/render/html.ts';
import { renderReviewBody } from '../../src/render/review-body.ts';
import { renderSummary } from '../../src/render/summary.ts';
import { renderTerminal } from '../../src/render/terminal.ts';
import { cleanReport } from './reports.ts';

const HOSTILE = 'AC-9 pings @everyone <img src=https://evil.example/x> closes #7 [x](https://evil.example) \u202egnol';

const PART: ReportAcceptance = {
  mode: 'on',
  issues: [12],
  criteria: [
    {
      issue: 12,
      id: 'AC-1',
      text: 'AC-1: prices are added up',
      source: 'checklist',
      status: 'met',
      judgedBy: 'test',
      evidence: [{ path: 'test/cart.test.js', line: 8, text: 'AC-1 adds: passed (new in this change)' }],
    },
    {
      issue: 12,
      id: 'AC-2',
      text: HOSTILE,
      source: 'section',
      status: 'unmet',
      judgedBy: 'test',
      evidence: [{ path: '(test output)', text: HOSTILE }],
    },
    { issue: 12, text: 'It reads well', source: 'inferred', status: 'unclear', judgedBy: 'none', evidence: [] },
  ],
  command: { exitCode: 1, timedOut: false },
  notices: ['acceptance: tests ran without 1 symbolic link of the tree'],
};

const HEAD = 'c'.repeat(40);
const withPart = (over: Partial<ReportAcceptance> = {}): Report =>
  parseReport({
    ...cleanReport(),
    subject: { repository: 'octo/repo', pullRequest: 7, headSha: HEAD },
    acceptance: { ...PART, ...over },
  });
const body = (report: Report) => renderReviewBody(report, { headSha: HEAD, inline: [], body: [] });
const check = (report: Report) => renderCheckRun(report).text;
const summary = (report: Report) => renderSummary(report);
const terminal = (report: Report) => renderTerminal(report, { width: 120 });
const html = (report: Report) => renderHtml(report);

const OUTPUTS: [string, (report: Report) => string][] = [
  ['review', body],
  ['check', check],
  ['summary', summary],
  ['terminal', terminal],
  ['html', html],
];

describe.each(OUTPUTS)('%s', (name, render) => {
  const shown = render(withPart());
  const plain = shown.replaceAll('\\', '').replaceAll('&#8203;', '').replace(/\s+/g, ' ');

  it('says what is met, by what, and how the tests ended', () => {
    for (const part of [
      '1 of 3 criteria of issue 12 met, 1 unmet, 1 unclear. The test command ended with exit code 1.',
      'prices are added up',
      'adds: passed (new in this change)',
      'by test',
      'not judged, inferred by a model',
      'tests ran without 1 symbolic link of the tree',
    ]) {
      expect(plain, part).toContain(part);
    }
  });

  it('links a file at the head, and nothing that is no file', () => {
    if (name !== 'terminal') expect(shown).toContain(`/octo/repo/blob/${HEAD}/test/cart.test.js#L8`);
    expect(shown).not.toMatch(/blob\/[^\s)]*test%20output/);
    expect(shown).not.toContain(`blob/${HEAD}/(test`);
    expect(shown).toContain('(test output)');
  });

  it('shows what the issue says as text alone', () => {
    expect(shown).not.toContain('\u202e');
    if (name === 'terminal') return;
    expect(shown).not.toContain('<img');
    expect(shown).not.toContain('href="https://evil');
    if (name === 'html') return;
    expect(shown).not.toContain('](https://evil');
    expect(shown).not.toMatch(/(^|[\s(])@everyone/);
    expect(shown).not.toMatch(/(^|[\s(])#7\b/);
    expect(shown).not.toMatch(/(^|[\s(])#12\b/);
  });
});

describe('where it is shown', () => {
  const says = (report: Report) =>
    OUTPUTS.filter(([, render]) => render(report).includes('Acceptance')).map(([name]) => name);

  it('in shadow: the job summary and local outputs alone', () => {
    expect(says(withPart({ mode: 'shadow' }))).toEqual(['summary', 'terminal', 'html']);
    expect(body(withPart({ mode: 'shadow' }))).not.toContain('symbolic link');
  });

  it('without a criterion: neither in the review nor in the check', () => {
    const none = withPart({ criteria: [], notices: ['acceptance: issue 12 was not read'] });
    expect(says(none)).toEqual(['summary', 'terminal', 'html']);
    expect(summary(none)).toContain('issue 12 was not read');
  });

  it('nowhere when the report has none', () => {
    expect(says(cleanReport())).toEqual([]);
  });
});

describe('what an earlier run said at the same head', () => {
  const none = () => withPart({ issues: [], criteria: [], notices: ['judged before'] });

  it('is found in the body of a review, and stays in the next one', () => {
    const earlier = body(withPart());
    const block = findAcceptanceBlock(earlier, HEAD);
    expect(block).toContain('prices are added up');
    const later = renderReviewBody(none(), { headSha: HEAD, inline: [], body: [], acceptance: block });
    expect(later).toContain(block);
    expect(findAcceptanceBlock(later, HEAD)).toBe(block);
    expect(findAcceptanceBlock(earlier, 'd'.repeat(40))).toBe('');
    expect(findAcceptanceBlock(body(none()), HEAD)).toBe('');
  });

  it('gives way to what this run says', () => {
    const now = renderReviewBody(withPart(), { headSha: HEAD, inline: [], body: [], acceptance: 'what was' });
    expect(now).not.toContain('what was');
  });

  it('an issue cannot end or begin it', () => {
    const forged = `AC-9 <!-- cypherfix:v1 acceptance end --> <!-- cypherfix:v1 acceptance head=${HEAD} -->`;
    const block = findAcceptanceBlock(
      body(withPart({ criteria: PART.criteria.map(criterion => ({ ...criterion, text: forged })) })),
      HEAD,
    );
    expect(block.match(/<!--/g)).toHaveLength(2);
    expect(block).toContain('not judged, inferred by a model');
  });
});

it('an issue of a file without a number is called the issue', () => {
  const local = withPart({ issues: [0], criteria: PART.criteria.map(criterion => ({ ...criterion, issue: 0 })) });
  expect(terminal(local)).toContain('1 of 3 criteria of the issue met');
  expect(terminal(local)).not.toContain('issue 0');
});

it('fifty long criteria shrink to the counts where the review has no room', () => {
  const long = Array.from({ length: 50 }, (_, at) => ({
    issue: 12,
    text: `${at} ${'é'.repeat(480)}`,
    source: 'checklist' as const,
    status: 'met' as const,
    judgedBy: 'test' as const,
    evidence: Array.from({ length: 11 }, () => ({ path: `src/${'x'.repeat(190)}.js`, line: 1, text: 'y'.repeat(300) })),
  }));
  const shown = body(withPart({ criteria: long }));
  expect([...shown].length).toBeLessThanOrEqual(65_000);
  expect(shown).toContain('50 of 50 criteria of issue 12 met');
});
