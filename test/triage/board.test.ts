import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TriageResult } from '../../src/core/triage.ts';
import { NO_FACTS } from '../../src/risk/facts.ts';
import { type FindingRow, NO_INTEL } from '../../src/risk/row.ts';
import { countFindings, type PreviousStandings, toChanges, toGroupList } from '../../src/triage/board.ts';
import { toPublicTriage } from '../../src/triage/public-triage.ts';
import { groupFindings, rankRow, toStanding } from '../../src/triage/ranked-finding.ts';
import { toRefKey } from '../../src/triage/store.ts';
import { NOTHING_STORED } from '../../src/triage/stored.ts';
import { EMPTY_COUNTS, toResult } from '../../src/triage/triage-result.ts';
import { anyRow } from '../risk/rows.ts';
import { nucleiRow } from './world.ts';

const CONTEXT = { facts: NO_FACTS, intel: NO_INTEL, storedOf: () => NOTHING_STORED };
const rankAll = (rows: readonly FindingRow[]) => rows.map((row, at) => rankRow(row, `r${at}`, CONTEXT));
const standings = (findings: ReturnType<typeof rankAll>) =>
  new Map(findings.map(finding => [toRefKey(finding), { previous: toStanding(finding) }]));

describe('counts', () => {
  it('every finding has one state, every open one a tier', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 30 }), rows => {
        const { findings, tiers, states } = countFindings(rankAll(rows));
        const sum = (counts: object) => Object.values(counts).reduce((all, one) => all + one, 0);
        expect(findings).toBe(rows.length);
        expect(sum(states)).toBe(rows.length);
        expect(sum(tiers)).toBe(states.open);
      }),
    );
  });
});

const changesOf = (...[findings, previous, complete]: [Parameters<typeof toChanges>[0], PreviousStandings, boolean]) =>
  toChanges(findings, previous, complete, 1_000).first;

describe('changes', () => {
  it('none where nothing changed; all new after nothing; all gone before nothing', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 20 }), rows => {
        const findings = rankAll(rows);
        const before = standings(findings);
        expect(changesOf(findings, before, true)).toEqual([]);
        expect(changesOf(findings, new Map(), true).map(({ kind }) => kind)).toEqual(rows.map(() => 'new'));
        expect(changesOf([], before, true).map(({ kind }) => kind)).toEqual(rows.map(() => 'gone'));
        expect(changesOf([], before, false)).toEqual([]);
      }),
    );
  });

  it('each change has its before and after, the weightier kinds first', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 20 }), fc.array(anyRow, { maxLength: 20 }), (old, now) => {
        const order = ['tier', 'new', 'state', 'gone', 'score'];
        const changes = changesOf(rankAll(now), standings(rankAll(old)), true);
        for (const { kind, before, after } of changes) {
          expect([before === null, after === null]).toEqual([kind === 'new', kind === 'gone']);
          if (kind === 'tier') expect(before?.tier).not.toBe(after?.tier);
          if (kind === 'state') expect(before?.state).not.toBe(after?.state);
        }
        const places = changes.map(({ kind }) => Math.max(1, order.indexOf(kind)));
        expect(places).toEqual([...places].sort((a, b) => a - b));
      }),
    );
  });
});

it('more changes than are asked for are counted', () => {
  const findings = rankAll([nucleiRow('a'), nucleiRow('b'), nucleiRow('c')]);
  expect(toChanges(findings, new Map(), true, 2)).toMatchObject({
    count: 3,
    first: [{ kind: 'new' }, { kind: 'new' }],
  });
});

describe('groups', () => {
  it('are listed with their fix while something is open', () => {
    const groups = groupFindings(
      rankAll([nucleiRow('a', { fixed_version: '2', package_name: 'p' }), nucleiRow('b', { remediated: true })]),
    );
    expect(toGroupList(groups, 5)).toMatchObject([
      { key: 'nuclei:sqli-a', fix: 'Upgrade `p` to 2.', liveCount: 1 },
      { key: 'nuclei:sqli-b', fix: '', liveCount: 0, score: 0 },
    ]);
  });
});

describe('on a public repository', () => {
  const code = (id: string, rest: FindingRow = {}): FindingRow => ({
    id,
    label: 'CodeFinding',
    source: 'bandit',
    name: 'Shell call',
    rule_id: 'B602',
    path: 'src/run.py',
    severity: 'high',
    cwe_ids: ['CWE-78'],
    triage_host: 'https://internal.example.test',
    ...rest,
  });
  const rows = [
    nucleiRow('v1'),
    code('own'),
    code('other', { path: 'src/run.py', name: 'SECRET NAME' }),
    code('else', { path: 'x.py' }),
  ];
  const findings = rows.map(row => rankRow(row, String(row.id), CONTEXT));
  const groups = groupFindings(findings);
  const { result } = toResult({
    runId: 'run-1',
    status: 'completed',
    counts: { ...EMPTY_COUNTS, ...countFindings(findings) },
    complete: true,
    groups,
    remediations: [],
    changes: changesOf(findings, new Map(), true),
  });
  const shown = toPublicTriage(result, new Set(['own']));

  it('only this repository’s findings are told, by tier and score', () => {
    expect(shown.groups.flatMap(({ members }) => members.map(({ id }) => id))).toEqual(['own']);
    expect(shown.groups).toMatchObject([{ memberCount: 1, title: 'Shell call' }]);
    expect(shown.changes.map(({ id }) => id)).toEqual(['own']);
    expect(shown.remediations).toEqual([]);
    expect(shown.counts).toMatchObject({ tiers: result.counts.tiers, groups: 1, changes: 1 });
    TriageResult.parse(shown);
  });

  it('no host, name or id of anything else is in it', () => {
    const text = JSON.stringify(shown);
    for (const word of [
      'internal.example',
      'app.example',
      'SECRET NAME',
      'v1',
      'SQL',
      'nuclei',
      'x.py',
      '"other"',
      '"else"',
    ]) {
      expect(text).not.toContain(word);
    }
  });
});
