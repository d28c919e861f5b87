import { describe, expect, it } from 'vitest';
import type { RawFinding } from '../../src/core/finding.ts';
import type { OpenAiFinding } from '../../src/core/open-finding.ts';
import { isCarried, mergeFindings } from '../../src/findings/merge.ts';
import { type OpenPlace, settleOpenFindings, toPreviousOpen } from '../../src/findings/settle-open.ts';
import { change, file, introduce, raw } from './builders.ts';

const open: OpenAiFinding = {
  fingerprint: 'ab'.repeat(32),
  reviewer: 'security',
  path: 'cmd/run.go',
  line: 3,
  category: 'command-injection',
  cwe: 'CWE-78',
  severity: 'high',
  confidence: 0.9,
  title: 'The name reaches a shell',
  quote: 'exec.Command(name)',
  introduced: true,
};
const place: OpenPlace = {
  path: 'cmd/run.go',
  startLine: 3,
  endLine: 4,
  anchor: 'hunk',
  text: 'exec.Command(name)\n  .Run()',
  isAdded: true,
};
const standing = { finding: open, place };

const said = (over: Partial<RawFinding> = {}): RawFinding =>
  raw({
    tool: 'security',
    ruleId: 'command-injection/CWE-78',
    severity: 'medium',
    origin: 'reviewer',
    anchor: 'hunk',
    startLine: 4,
    endLine: 6,
    quote: 'exec.Command(name).Run()',
    ...over,
  });

describe('an open finding whose text stands', () => {
  it('is carried with all that its marker says where nobody speaks of it', () => {
    const settled = settleOpenFindings([standing], [], []);
    expect(settled.mended).toEqual([]);
    expect(settled.raw).toEqual(settled.carried);
    expect(settled.carried).toMatchObject([
      {
        tool: 'security',
        ruleId: 'command-injection/CWE-78',
        severity: 'high',
        confidence: 0.9,
        cwe: ['CWE-78'],
        path: 'cmd/run.go',
        startLine: 3,
        endLine: 4,
        matchedText: 'exec.Command(name)\n  .Run()',
        origin: 'reviewer',
        anchor: 'hunk',
        knownAs: open.fingerprint,
        carried: true,
      },
    ]);
    expect(settled.carried[0]).not.toHaveProperty('anchorReason');
  });

  it('outside of the diff it says so, and decides nothing', () => {
    const [carried] = settleOpenFindings([{ finding: open, place: { ...place, anchor: 'file' } }], [], []).carried;
    expect(carried).toMatchObject({ anchor: 'file', anchorReason: 'the quoted text stands outside the diff' });
  });

  it.each<[string, Partial<RawFinding>]>([
    ['the same category at an overlapping place', {}],
    ['by another reviewer', { tool: 'correctness', ruleId: 'command-injection', cwe: [] }],
    ['another name of the weakness by the same reviewer', { ruleId: 'shell/CWE-77', cwe: ['CWE-77'] }],
    ['a quote without a place of its own that begins alike', { anchor: 'none', startLine: 1, endLine: 1 }],
  ])('%s is the same finding: under its fingerprint, once, not carried', (_, over) => {
    const settled = settleOpenFindings([standing], [said(over)], []);
    expect(settled.carried).toEqual([]);
    expect(settled.raw).toMatchObject([{ knownAs: open.fingerprint, severity: 'medium', anchor: 'hunk' }]);
    expect(settled.raw[0]).not.toHaveProperty('carried');
    expect(introduce(settled.raw, change([file('cmd/run.go', [{ start: 1, lines: '++++++' }])]))).toMatchObject([
      { fingerprint: open.fingerprint, id: 'abababab', introduced: true },
    ]);
  });

  it.each<[string, Partial<RawFinding>]>([
    ['another category', { ruleId: 'race/CWE-362', cwe: ['CWE-362'] }],
    ['another weakness’s name by another reviewer', { tool: 'correctness', ruleId: 'shell/CWE-78' }],
    ['another place', { startLine: 5, endLine: 6 }],
    ['another file', { path: 'cmd/other.go' }],
    ['another text without a place', { anchor: 'none', quote: 'os.Remove(name)' }],
  ])('%s is another finding', (_, over) => {
    const settled = settleOpenFindings([standing], [said(over)], []);
    expect(settled.raw).toHaveLength(2);
    expect(settled.carried).toHaveLength(1);
    expect(settled.raw[0]).not.toHaveProperty('knownAs');
  });

  it('one report stands for one open finding only', () => {
    const other = { finding: { ...open, fingerprint: 'cd'.repeat(32) }, place };
    const settled = settleOpenFindings([standing, other], [said()], []);
    expect(settled.raw.map(finding => [finding.knownAs?.slice(0, 2), finding.carried ?? false])).toEqual([
      ['ab', false],
      ['cd', true],
    ]);
  });

  it('is mended by the word of its own reviewer alone', () => {
    const word = { id: 'abababab', reviewer: 'security' as const, reason: 'No shell any more.' };
    expect(settleOpenFindings([standing], [], [word])).toEqual({
      raw: [],
      carried: [],
      mended: [{ finding: open, reason: 'No shell any more.' }],
    });
    expect(settleOpenFindings([standing], [], [{ ...word, reviewer: 'style' }]).carried).toHaveLength(1);
    expect(settleOpenFindings([standing], [], [{ ...word, id: 'cdcdcdcd' }]).carried).toHaveLength(1);
  });

  it('stands where its reviewer reports it again and calls it mended at once', () => {
    const word = { id: 'abababab', reviewer: 'security' as const, reason: 'Mended.' };
    const settled = settleOpenFindings([standing], [said()], [word]);
    expect([settled.raw.length, settled.mended.length]).toEqual([1, 0]);
  });
});

describe('what reviewers are asked', () => {
  it('names the finding as people see it, where it stands now', () => {
    const moved = { finding: open, place: { ...place, path: 'cmd/new.go' } };
    expect(toPreviousOpen([moved])).toEqual([
      {
        id: 'abababab',
        reviewer: 'security',
        path: 'cmd/new.go',
        category: 'command-injection',
        title: 'The name reaches a shell',
        quote: 'exec.Command(name)',
      },
    ]);
  });

  it('gives whole fingerprints where two share the short one, and knows them again', () => {
    const twin = { finding: { ...open, fingerprint: `abababab${'0'.repeat(56)}` }, place };
    const ids = toPreviousOpen([standing, twin]).map(one => one.id);
    expect(ids).toEqual([open.fingerprint, twin.finding.fingerprint]);
    const word = { id: ids[1] ?? '', reviewer: 'security' as const, reason: 'Mended.' };
    const settled = settleOpenFindings([standing, twin], [], [word]);
    expect(settled.mended.map(one => one.finding)).toEqual([twin.finding]);
    expect(settled.carried).toHaveLength(1);
  });
});

describe('beside scanners', () => {
  const on = change([file('cmd/run.go', [{ start: 1, lines: '++++++' }])]);
  const { carried } = settleOpenFindings([standing], [], []);

  it('a carried finding joins the scanner’s report of the place and lifts its severity as it did', () => {
    const [merged, ...others] = introduce([raw({ startLine: 3 }), ...carried], on);
    expect(others).toEqual([]);
    expect(merged).toMatchObject({ severity: 'high', tools: ['gosec', 'security'] });
    expect(merged?.aliases).toContain(open.fingerprint);
    expect(merged && isCarried(merged)).toBe(false);
  });

  it('alone it is carried', () => expect(mergeFindings(carried).map(isCarried)).toEqual([true]));
});

describe('fingerprints', () => {
  const on = change([file('cmd/run.go', [{ start: 1, lines: '+++++++++' }])]);
  const text = { matchedText: 'exec.Command(name)' };

  it('what is known takes no other finding’s, and no other takes the known one', () => {
    const [first] = introduce([said({ ...text, startLine: 1, endLine: 1 })], on);
    const known = said({ ...text, startLine: 8, endLine: 8, knownAs: first?.fingerprint ?? '', carried: true });
    const [fresh, carried] = introduce([said({ ...text, startLine: 1, endLine: 1 }), known], on);
    expect(carried?.fingerprint).toBe(first?.fingerprint);
    expect(fresh?.fingerprint).not.toBe(first?.fingerprint);
  });

  it('a scanner keeps its own, whoever claims it', () => {
    const scanner = raw({ startLine: 2 });
    const [alone] = introduce([scanner], on);
    const claim = said({ startLine: 8, endLine: 8, knownAs: alone?.fingerprint ?? '' });
    const both = introduce([scanner, claim], on);
    expect(both.find(one => one.primary.tool === 'gosec')?.fingerprint).toBe(alone?.fingerprint);
    expect(new Set(both.map(one => one.fingerprint)).size).toBe(2);
  });
});
