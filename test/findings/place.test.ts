import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCommentable } from '../../src/core/change.ts';
import type { RawFinding } from '../../src/core/finding.ts';
import { severityRank } from '../../src/core/finding.ts';
import { FLOOD_CAPS, type PlaceableFinding, type PlaceSettings, placeFindings } from '../../src/findings/place.ts';
import { anyRaw, change, file, introduce, raw } from './builders.ts';

const path = 'cmd/run.go';
// New lines 8-10 context, 11-13 added, 14-16 context; a second hunk that only deletes, between lines 50 and 51.
const edited = change([
  file(path, [
    { start: 8, lines: '   +++   ' },
    { start: 51, lines: '--' },
  ]),
]);
const DEFAULTS: PlaceSettings = { maxInlineComments: 30, contextLines: 3 };

function place(
  findings: readonly RawFinding[],
  on = edited,
  settings = DEFAULTS,
  marks: Partial<PlaceableFinding> = {},
) {
  return placeFindings(
    introduce(findings, on).map(finding => ({ ...finding, ...marks })),
    on,
    settings,
  );
}

describe('placeFindings', () => {
  it.each<[string, Partial<RawFinding>, string, RegExp | undefined]>([
    ['on an added line', { startLine: 11 }, 'inline', undefined],
    ['on a context line of the hunk', { startLine: 8 }, 'inline', undefined],
    ['just outside the context', { startLine: 7 }, 'summary', /not on or near a changed line/],
    ['far away', { startLine: 300 }, 'summary', /not on or near/],
    ['near a deletion that has no commentable line', { startLine: 51 }, 'body', /outside the diff/],
    ['starting before the hunk', { startLine: 5, endLine: 12 }, 'body', /first line stands outside/],
    ['in a file that is not in the change', { path: 'other.go' }, 'summary', /does not touch/],
    [
      'a secret in history',
      { tool: 'gitleaks', commit: 'abcdef0123456789' },
      'body',
      /commit abcdef012345 still holds it/,
    ],
  ])('%s', (_name, over, placement, reason) => {
    const [placed] = place([raw(over)]);
    expect(placed?.placement).toBe(placement);
    if (reason === undefined) expect(placed?.placementReason).toBeUndefined();
    else expect(placed?.placementReason).toMatch(reason);
  });

  it('clamps a range to the hunk of its first line', () => {
    const [placed] = place([raw({ startLine: 12, endLine: 40 })]);
    expect(placed).toMatchObject({ placement: 'inline', startLine: 12, endLine: 16 });
  });

  it('joins no two hunks in one comment', () => {
    const two = change([
      file(path, [
        { start: 1, lines: '++' },
        { start: 3, lines: '++' },
      ]),
    ]);
    expect(place([raw({ startLine: 2, endLine: 3 })], two)[0]).toMatchObject({
      placement: 'inline',
      startLine: 2,
      endLine: 2,
    });
  });

  it('widens what is near by context_lines, but not what can be commented on', () => {
    const wide = { ...DEFAULTS, contextLines: 10 };
    expect(place([raw({ startLine: 20 })], edited, wide)[0]?.placement).toBe('body');
    expect(place([raw({ startLine: 8 })], edited, { ...DEFAULTS, contextLines: 0 })[0]?.placement).toBe('summary');
    expect(place([raw({ startLine: 11 })], edited, { ...DEFAULTS, contextLines: 0 })[0]?.placement).toBe('inline');
  });

  it('puts suppressed and noisy ones in the summary, with the reason', () => {
    const [suppressed] = place([raw({ startLine: 11 })], edited, DEFAULTS, { suppressed: { reason: 'known' } });
    expect(suppressed).toMatchObject({ placement: 'summary', placementReason: 'suppressed: known' });
    const [quiet] = place([raw({ startLine: 11 })], edited, DEFAULTS, { quiet: 'in a minified file' });
    expect(quiet).toMatchObject({ placement: 'summary', placementReason: 'in a minified file' });
  });

  it('does not call an old finding near because a tool marks the whole function', () => {
    const ruff = raw({ tool: 'ruff', ruleId: 'S107', path, startLine: 1, matchedText: 'def' });
    const bandit = raw({ tool: 'bandit', ruleId: 'B107', path, startLine: 1, endLine: 60, matchedText: 'def' });
    const old = placeFindings(introduce([ruff, bandit], edited, [bandit]), edited, DEFAULTS);
    expect(old[0]).toMatchObject({ introduced: false, placement: 'summary' });
    expect(place([ruff, bandit])[0]).toMatchObject({ introduced: true, placement: 'body' });
  });

  it('keeps paths that GitHub cannot take out of the comments', () => {
    const odd = change([file(path, [{ start: 11, lines: '+' }], { rawPath: '/w==' })]);
    expect(place([raw({ startLine: 11 })], odd)[0]).toMatchObject({ placement: 'body' });
  });

  it('gives the comments to the worst, by severity, then confidence', () => {
    const findings = [
      raw({ startLine: 11, ruleId: 'a', severity: 'low', confidence: 1 }),
      raw({ startLine: 12, ruleId: 'b', severity: 'high', confidence: 0.4 }),
      raw({ startLine: 12, ruleId: 'c', severity: 'high', confidence: 0.9 }),
      raw({ startLine: 13, ruleId: 'd', severity: 'critical', confidence: 0.1 }),
    ];
    const placed = place(findings, edited, { ...DEFAULTS, maxInlineComments: 2 });
    expect(placed.map(({ primary, placement }) => [primary.ruleId, placement])).toEqual([
      ['a', 'body'],
      ['b', 'body'],
      ['c', 'inline'],
      ['d', 'inline'],
    ]);
    expect(placed[0]?.placementReason).toBe('more than 2 inline comments');
    expect(place(findings, edited, { ...DEFAULTS, maxInlineComments: 0 }).map(one => one.placement)).toEqual(
      Array(4).fill('body'),
    );
  });

  it('shows the first few of a flood in one file and counts the rest', () => {
    const all = change([file(path, [{ start: 1, lines: '+'.repeat(40) }])]);
    const placed = place(
      Array.from({ length: 12 }, (_, index) => raw({ startLine: index * 3 + 1 })),
      all,
    );
    const inline = placed.filter(finding => finding.placement === 'inline');
    expect(inline.map(finding => finding.startLine)).toEqual([1, 4, 7]);
    expect(placed.at(-1)).toMatchObject({
      placement: 'summary',
      placementReason: 'one of 12 findings of G204 in this file; 3 are shown inline',
    });
  });

  it('limits one rule over many files, but never secrets', () => {
    const names = Array.from({ length: 20 }, (_, index) => `f${index}.go`);
    const on = change(names.map(name => file(name, [{ start: 1, lines: '+++++' }])));
    const rule = place(
      names.map(name => raw({ path: name })),
      on,
    );
    expect(rule.filter(finding => finding.placement === 'inline')).toHaveLength(FLOOD_CAPS.inAllFiles);
    const secrets = place(
      names.map(name => raw({ path: name, tool: 'gitleaks', matchedText: name })),
      on,
    );
    expect(secrets.filter(finding => finding.placement === 'inline')).toHaveLength(20);
  });

  it('places nothing inline over a whole tree', () => {
    const tree = change([file(path, [], { status: 'added' })], { wholeTree: true });
    expect(place([raw()], tree)[0]).toMatchObject({
      placement: 'summary',
      placementReason: expect.stringMatching(/whole tree/),
    });
  });

  it('holds its laws: nothing dropped, inline ones commentable and within the cap, a reason for all others', () => {
    const shape = fc
      .array(fc.constantFrom('+', '-', ' '), { minLength: 1, maxLength: 10 })
      .map(signs => signs.join(''));
    const on = fc
      .tuple(shape, shape)
      .map(([first, second]) =>
        change([file('a.py', [{ start: 1, lines: first }]), file('src/b.py', [{ start: 3, lines: second }])]),
      );
    fc.assert(
      fc.property(
        fc.array(anyRaw, { maxLength: 20 }),
        on,
        fc.nat(6),
        fc.nat(4),
        (findings, of, maxInlineComments, contextLines) => {
          const before = introduce(findings, of);
          const placed = placeFindings(before, of, { maxInlineComments, contextLines });
          expect(placed.map(finding => finding.fingerprint)).toEqual(before.map(finding => finding.fingerprint));
          const inline = placed.filter(finding => finding.placement === 'inline');
          expect(inline.length).toBeLessThanOrEqual(maxInlineComments);
          for (const finding of inline) {
            const inFile = of.files.find(one => one.path === finding.path);
            expect(inFile !== undefined && isCommentable(inFile, finding.startLine, finding.endLine)).toBe(true);
          }
          for (const finding of placed) {
            if (finding.placement !== 'inline') expect(finding.placementReason).toBeTruthy();
          }
          const overflow = placed.filter(finding => finding.placementReason?.startsWith('more than'));
          const worstOut = Math.min(...overflow.map(finding => severityRank(finding.severity)));
          const leastIn = Math.max(...inline.map(finding => severityRank(finding.severity)));
          if (overflow.length > 0 && inline.length > 0) expect(leastIn).toBeLessThanOrEqual(worstOut);
        },
      ),
    );
  });

  it('takes a file of half a million added lines in good time', () => {
    const big = change([file(path, [{ start: 1, lines: '+'.repeat(500_000) }])]);
    const findings = introduce([raw({ startLine: 400_000 })], big);
    const started = performance.now();
    expect(placeFindings(findings, big, { maxInlineComments: 30, contextLines: 50 })[0]?.placement).toBe('inline');
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
