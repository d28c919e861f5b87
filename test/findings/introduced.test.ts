import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawFinding } from '../../src/core/finding.ts';
import type { ReadResult } from '../../src/core/tree.ts';
import { mergeFindings } from '../../src/findings/merge.ts';
import { planTwinScan } from '../../src/findings/plan-twin-scan.ts';
import { change, file, introduce, raw } from './builders.ts';

const path = 'cmd/run.go';
const of = (
  findings: readonly RawFinding[],
  on = change([file(path, [{ start: 8, lines: '   +++   ' }])]),
  twins: RawFinding[] = [],
) => introduce(findings, on, twins).map(finding => finding.introduced);

describe('markIntroduced', () => {
  it.each<[string, Partial<RawFinding>, boolean]>([
    ['on an added line', { startLine: 11 }, true],
    ['on a context line', { startLine: 10 }, false],
    ['far away', { startLine: 400 }, false],
    ['a range that reaches an added line', { startLine: 5, endLine: 11 }, true],
    ['a huge range over it', { startLine: 1, endLine: 9_000_000 }, true],
    ['a huge range beside it', { startLine: 14, endLine: 9_000_000 }, false],
    ['in a file that the change does not touch', { startLine: 11, path: 'other.go' }, false],
  ])('%s', (_name, over, expected) => {
    expect(of([raw(over)])).toEqual([expected]);
  });

  it('looks at the lines of every tool of a merged finding', () => {
    const ruff = raw({ tool: 'ruff', ruleId: 'S602', path, startLine: 9 });
    const bandit = raw({ tool: 'bandit', ruleId: 'B602', path, startLine: 9, endLine: 11 });
    expect(of([ruff])).toEqual([false]);
    expect(of([ruff, bandit])).toEqual([true]);
  });

  const [A, B, ABSENT] = ['a', 'b', '0'].map(digit => digit.repeat(40)) as [string, string, string];
  it.each<[string, Parameters<typeof file>[2], boolean]>([
    ['added', { status: 'added', oldBlob: ABSENT, newBlob: A }, true],
    ['added to the working tree', { status: 'added', oldBlob: ABSENT, newBlob: ABSENT }, true],
    ['altered', { status: 'modified', oldBlob: A, newBlob: B }, true],
    ['copied', { status: 'copied', previousPath: 'x.go', oldBlob: A, newBlob: A }, true],
    ['moved and altered', { status: 'renamed', previousPath: 'x.go', oldBlob: A, newBlob: B }, true],
    ['moved alone', { status: 'renamed', previousPath: 'x.go', oldBlob: A, newBlob: A }, false],
    ['given another mode', { status: 'modified', oldBlob: A, newBlob: A }, false],
  ])('on any line of a file that git takes for binary and that was %s', (_name, over, expected) => {
    expect(of([raw({ startLine: 7 })], change([file(path, [], { kind: 'binary', ...over })]))).toEqual([expected]);
  });

  it('not on a line of such a file that the merge base has as well', () => {
    const on = change([file(path, [], { kind: 'binary', status: 'modified', oldBlob: A, newBlob: B })]);
    expect(of([raw({ startLine: 7 })], on, [raw({ startLine: 3 })])).toEqual([false]);
  });

  it('takes a twin in the merge base away', () => {
    const now = raw({ startLine: 11 });
    expect(of([now], undefined, [raw({ startLine: 300 })])).toEqual([false]);
    expect(of([now], undefined, [raw({ startLine: 300, matchedText: ' exec.Command(name)\n' })])).toEqual([false]);
    expect(of([now], undefined, [raw({ matchedText: 'exec.Command(x)' })])).toEqual([true]);
    expect(of([now], undefined, [raw({ ruleId: 'G304' })])).toEqual([true]);
    expect(of([now], undefined, [raw({ path: 'elsewhere.go' })])).toEqual([true]);
  });

  it('finds the twin in the file it was moved from, and not in one it was copied from', () => {
    const twins = [raw({ path: 'old.go' })];
    const hunks = [{ start: 1, lines: '+' }];
    const renamed = change([file(path, hunks, { status: 'renamed', previousPath: 'old.go' })]);
    const copied = change([file(path, hunks, { status: 'copied', previousPath: 'old.go' })]);
    expect(introduce([raw()], renamed, twins)[0]?.introduced).toBe(false);
    expect(introduce([raw()], copied, twins)[0]?.introduced).toBe(true);
  });

  it('knows a twin of the other tool of the family', () => {
    const ruff = raw({ tool: 'ruff', ruleId: 'S602', path, startLine: 11 });
    const bandit = raw({ tool: 'bandit', ruleId: 'B602', path, startLine: 3 });
    expect(of([ruff], undefined, [bandit])).toEqual([false]);
  });

  it.each<[string, number[], number, boolean[]]>([
    ['two now, one before: one is new', [11, 12], 1, [false, true]],
    ['two now, two before', [11, 12], 2, [false, false]],
    ['an untouched one uses the twin first', [11, 400], 1, [true, false]],
    ['a touched one keeps a twin that is left', [11, 400], 2, [false, false]],
    ['none before', [11, 12], 0, [true, true]],
  ])('%s', (_name, now, before, expected) => {
    const twins = Array.from({ length: before }, (_, index) => raw({ startLine: index + 1 }));
    expect(
      of(
        now.map(startLine => raw({ startLine })),
        undefined,
        twins,
      ),
    ).toEqual(expected);
  });

  it('calls everything introduced over a whole tree', () => {
    const all = change([file(path, [], { status: 'added' })], { wholeTree: true });
    expect(of([raw({ startLine: 77 })], all, [raw()])).toEqual([true]);
  });

  it('calls a secret introduced that only a commit of the change holds', () => {
    const secret = raw({ tool: 'gitleaks', ruleId: 'aws-access-token', path: 'gone.env', commit: 'a'.repeat(40) });
    expect(of([secret])).toEqual([true]);
  });

  it('marks exactly max(0, now - before) of equal findings, at most those on changed lines', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 12 }), fc.nat(14), (lines, before) => {
        const on = change([file(path, [{ start: 1, lines: '+'.repeat(20) }])]);
        const twins = Array.from({ length: before }, (_, index) => raw({ startLine: index + 1 }));
        const marked = of(
          lines.map(startLine => raw({ startLine })),
          on,
          twins,
        ).filter(Boolean).length;
        const touched = lines.filter(line => line <= 20).length;
        expect(marked).toBe(Math.min(touched, Math.max(0, lines.length - before)));
      }),
    );
  });
});

describe('planTwinScan', () => {
  const ok = (text: string | Buffer): ReadResult => ({ status: 'ok', bytes: Buffer.from(text) });
  const missing: ReadResult = { status: 'missing', reason: 'no such file' };
  const on = change([
    file(path, [{ start: 8, lines: '   +++   ' }]),
    file('new/name.go', [{ start: 1, lines: '+' }], { status: 'renamed', previousPath: 'old/name.go' }),
    file('added.go', [{ start: 1, lines: '+' }], { status: 'added' }),
  ]);
  const plan = async (findings: RawFinding[], base: Record<string, ReadResult>) => {
    const asked: string[] = [];
    const result = await planTwinScan(mergeFindings(findings), on, async name => {
      asked.push(name);
      return base[name] ?? missing;
    });
    return { ...result, asked };
  };

  it('needs nothing when the text is new', async () => {
    expect(await plan([raw({ startLine: 11 })], { [path]: ok('exec.Command(other)') })).toEqual({
      files: [],
      unreadable: [],
      asked: [path],
    });
  });

  it('needs the file when the text stood there, however it was broken into lines', async () => {
    const { files } = await plan([raw({ startLine: 11, matchedText: 'exec.Command(\n  name )' })], {
      [path]: ok('a := exec.Command(\r\n\tname )\n'),
    });
    expect(files).toEqual([{ basePath: path, path }]);
  });

  it('reads a renamed file under its old name and an added one not at all', async () => {
    const { files, asked } = await plan([raw({ path: 'new/name.go' }), raw({ path: 'added.go' })], {
      'old/name.go': ok('exec.Command(name)'),
    });
    expect(files).toEqual([{ basePath: 'old/name.go', path: 'new/name.go' }]);
    expect(asked).toEqual(['old/name.go']);
  });

  it('reads nothing for findings on untouched lines', async () => {
    expect((await plan([raw({ startLine: 400 })], { [path]: ok('exec.Command(name)') })).asked).toEqual([]);
  });

  it('leaves other encodings to the scanners, and names what cannot be read', async () => {
    const utf16 = Buffer.from('nothing of the kind', 'utf16le');
    expect((await plan([raw({ startLine: 11 })], { [path]: ok(utf16) })).files).toHaveLength(1);
    const large: ReadResult = { status: 'too-large', reason: 'over 5 MB' };
    expect((await plan([raw({ startLine: 11 })], { [path]: large })).unreadable).toEqual([
      { path, reason: 'over 5 MB' },
    ]);
  });
});
