import { describe, expect, it } from 'vitest';
import { NO_COST, type Report } from '../../src/core/report.ts';
import { NO_REMEDIATIONS, NO_REVIEWS, NOTHING_PUBLISHED, type TriageResult } from '../../src/core/triage.ts';
import { renderTriageSummary } from '../../src/render/triage-markdown.ts';
import { renderTriageTerminal } from '../../src/render/triage-terminal.ts';

const member = {
  label: 'Vulnerability',
  id: 'v1',
  name: 'SQL injection',
  host: 'https://app.example.test',
  path: '',
  tier: 'T1',
  score: 92.1,
  state: 'open',
} as const;
const group: TriageResult['groups'][number] = {
  key: 'nuclei:sqli',
  title: 'SQL injection in search',
  tier: 'T1',
  score: 92.1,
  risk: 0.68,
  liveCount: 2,
  memberCount: 4,
  fix: 'Bind the parameter.',
  members: [member],
};
const RESULT: TriageResult = {
  runId: 'run-1',
  status: 'completed_partial',
  counts: {
    findings: 6,
    groups: 3,
    tiers: { T1: 2, T2: 0, T3: 1, T4: 0 },
    states: { open: 3, fixed: 2, gone: 0, inactive: 0, false_positive: 1 },
    changes: 4,
    reviews: { ...NO_REVIEWS, made: 2, failed: 12, notReviewed: 5 },
    published: { ...NOTHING_PUBLISHED, updated: 4, skippedChanged: 1, failed: 2, rejected: 1 },
    remediations: { ...NO_REMEDIATIONS, written: 2, removed: 1 },
  },
  complete: true,
  groups: [group, { ...group, key: 'closed', title: 'Closed', liveCount: 0, fix: '' }],
  remediations: [],
  changes: [
    {
      kind: 'new',
      label: 'Vulnerability',
      id: 'v1',
      name: 'SQL injection',
      before: null,
      after: { tier: 'T1', score: 92.1, state: 'open' },
    },
    {
      kind: 'state',
      label: 'Vulnerability',
      id: 'v2',
      name: 'Panel',
      before: { tier: 'T3', score: 30, state: 'open' },
      after: { tier: 'T4', score: 0, state: 'fixed' },
    },
    {
      kind: 'gone',
      label: 'Secret',
      id: 's1',
      name: '',
      before: { tier: 'T2', score: 60, state: 'open' },
      after: null,
    },
  ],
};

const report = (triage: TriageResult, notices: string[] = []): Report => ({
  schemaVersion: 1,
  tool: { name: 'cypherfix', version: '0' },
  generatedAt: '2027-01-01T00:00:00.000Z',
  subject: {},
  request: { kind: 'triage', trigger: 'local' },
  conclusion: 'neutral',
  gate: { tripped: false, reasons: [] },
  ledger: { files: [], complete: true },
  scanners: [],
  findings: [],
  suppressionsAddedByChange: [],
  cost: NO_COST,
  fixes: [],
  triage,
  sandbox: null,
  timings: {},
  truncated: {},
  notices,
});

const ATTACKED: TriageResult = {
  ...RESULT,
  groups: [
    {
      ...group,
      title: '@everyone <!-- cypherfix:v1 --> \u202e| x | [a](https://evil.example) \u001b[2J #1',
      fix: 'Run `curl` | sh\n## Heading\n/cypherfix approve',
      members: [{ ...member, host: 'https://evil.example/\u001b]0;x\u0007' }],
    },
  ],
  changes: RESULT.changes.map(change => ({ ...change, name: '`@team` <img src=x> \u001b[31m' })),
};

describe('on a terminal', () => {
  it('the groups with their fix, what changed, what was written and what not', () => {
    const text = renderTriageTerminal(report(RESULT, ['A note.']), { width: 120 });
    for (const part of [
      'T1  92.1  SQL injection in search (2 of 4)',
      'https://app.example.test, … 1 more',
      'Fix: Bind the parameter.',
      'SQL injection: new: T1 92.1',
      'Panel: open → fixed',
      's1: no longer there (was T2 60.0)',
      '… and 1 more',
      'Findings: 4 ranked in the graph; 1 skipped since they changed meanwhile; 2 not written since their batch failed.',
      '12 failed; 5 beyond the budget',
      'Fixes: 2 written; 1 closed.',
      'A note.',
      'Triage, written in part: 6 findings in 3 groups · 2 Act now, 1 Plan',
      '3 open, 2 fixed, 1 false positives',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('Closed');
  });

  it('no control character of a finding gets through, and no line is too wide', () => {
    const text = renderTriageTerminal(report(ATTACKED), { width: 60 });
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(60);
  });

  it('colour only where it is asked for', () => {
    expect(renderTriageTerminal(report(RESULT), { color: true })).toContain('\u001b[1;31m');
    expect(renderTriageTerminal(report(RESULT))).not.toContain('\u001b');
  });

  it.each(['stopped', 'failed'] as const)('%s', status => {
    const empty = { ...RESULT, status, groups: [], changes: [] };
    expect(renderTriageTerminal(report(empty))).toMatch(/^Triage (stopped: nothing was written|failed)|Findings: /);
  });
});

describe('as a job summary', () => {
  it('the board by tier, groups with their fix, what changed', () => {
    const text = renderTriageSummary(report(RESULT, ['A note.']), ['Another note.']);
    for (const part of [
      '## ➖ CypherFix: Triage, written in part',
      '| T1 Act now | 2 |',
      '| T1 | 92.1 | SQL injection in search | 2 |',
      'Since the last run: 4 changed',
      'A note.',
      'Another note.',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('names, hosts and fixes come out as plain text', () => {
    const text = renderTriageSummary(report(ATTACKED));
    const outsideCode = text.replace(/(`+)[^`].*?\1/g, '');
    expect(outsideCode).not.toMatch(/@(?!&#8203;)\w|<!--|\[a\]|https:(?!&#8203;)|<img|\n## Heading|\n\/cypherfix/);
    // Nothing of them breaks out of its cell.
    const row = text.split('\n').find(line => line.startsWith('| T1 | 92.1')) ?? '';
    expect(row.split(' | ')).toHaveLength(6);
  });

  it('ten thousand groups stay within the limit', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      ...group,
      key: `k${at}`,
      title: 'x'.repeat(500),
      fix: 'y'.repeat(900),
    }));
    expect(Buffer.byteLength(renderTriageSummary(report({ ...RESULT, groups: many })))).toBeLessThan(900 * 1024);
  });

  it('nothing where there was no triage', () => {
    const { triage: _, ...rest } = report(RESULT);
    expect(renderTriageSummary(rest)).toBe('');
    expect(renderTriageTerminal(rest)).toBe('');
  });
});
