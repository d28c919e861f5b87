import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../src/core/change.ts';
import type { ScannerRun } from '../../src/core/ledger.ts';
import { ReportLedger } from '../../src/core/report.ts';
import { buildLedger, hasFailed, type LedgerInput, reasonsIncomplete } from '../../src/findings/build-ledger.ts';
import { change, file } from './builders.ts';

const run = (over: Partial<ScannerRun> = {}): ScannerRun => ({
  name: 'gosec',
  version: '2.30.0',
  status: 'ok',
  filesExamined: 1,
  findings: 0,
  durationMs: 10,
  ...over,
});
/** Tool → paths, turned into path → tools. */
function map(entries: Record<string, string[]>): Map<string, string[]> {
  const byPath = new Map<string, string[]>();
  for (const [tool, paths] of Object.entries(entries)) {
    for (const path of paths) byPath.set(path, [...(byPath.get(path) ?? []), tool]);
  }
  return byPath;
}
const plain = (path: string, over: Partial<FileChange> = {}) => file(path, [{ start: 1, lines: '+' }], over);

function ledger(files: FileChange[], over: Partial<LedgerInput> = {}) {
  return buildLedger({ change: change(files), scanners: [run()], taken: new Map(), examined: new Map(), ...over });
}

describe('buildLedger', () => {
  it('accounts for every file of the change', () => {
    const files = [
      plain('a.go'),
      plain('gone.go', { status: 'deleted' }),
      plain('logo.png', { kind: 'binary', status: 'added' }),
      plain('link', { kind: 'symlink' }),
      plain('sub', { kind: 'submodule' }),
      plain('notes.xyz'),
      plain('new.go', { status: 'renamed', previousPath: 'old.go' }),
      plain('huge.json'),
    ];
    const built = ledger(files, {
      taken: map({ gosec: ['a.go', 'new.go'] }),
      examined: map({ gosec: ['a.go', 'new.go'], gitleaks: ['a.go'] }),
      skipped: new Map([['huge.json', 'over 5 MB']]),
    });
    expect(built).toEqual({
      complete: true,
      files: [
        { path: 'a.go', status: 'modified', examinedBy: ['gitleaks', 'gosec'] },
        { path: 'gone.go', status: 'deleted', examinedBy: [], skipped: 'deleted: the head has no such file' },
        { path: 'logo.png', status: 'added', examinedBy: [], skipped: 'binary file' },
        { path: 'link', status: 'modified', examinedBy: [], skipped: 'symbolic link' },
        { path: 'sub', status: 'modified', examinedBy: [], skipped: 'submodule' },
        { path: 'notes.xyz', status: 'modified', examinedBy: [], skipped: 'no scanner takes files of this kind' },
        { path: 'new.go', status: 'renamed', previousPath: 'old.go', examinedBy: ['gosec'] },
        { path: 'huge.json', status: 'modified', examinedBy: [], skipped: 'over 5 MB' },
      ],
    });
    expect(() => ReportLedger.parse(built)).not.toThrow();
  });

  it('is complete when one of several tools could not parse a file', () => {
    const built = ledger([plain('a.py')], {
      taken: map({ ruff: ['a.py'], bandit: ['a.py'] }),
      examined: map({ bandit: ['a.py'] }),
      partial: new Map([['a.py', [{ tool: 'ruff', reason: 'syntax error on line 3' }]]]),
    });
    expect(built.complete).toBe(true);
    expect(built.files[0]).toMatchObject({
      examinedBy: ['bandit'],
      partial: [{ tool: 'ruff', reason: 'syntax error on line 3' }],
    });
  });

  it('says of a file that one tool examined why the others did not get it', () => {
    const built = ledger([plain('long.py')], {
      taken: map({ gitleaks: ['long.py'] }),
      examined: map({ gitleaks: ['long.py'] }),
      skipped: new Map([['long.py', 'a line of more than 1 MB; only gitleaks looked at it']]),
    });
    expect(built.files[0]).toMatchObject({ examinedBy: ['gitleaks'], skipped: expect.stringContaining('1 MB') });
    expect(built.complete).toBe(true);
  });

  it('is incomplete when all tools that take a file failed to read it', () => {
    const built = ledger([plain('a.py'), plain('b.py')], {
      taken: map({ ruff: ['a.py', 'b.py'] }),
      partial: new Map([['a.py', [{ tool: 'ruff', reason: 'syntax error' }]]]),
    });
    expect(built.complete).toBe(false);
    expect(reasonsIncomplete(built, [run()])).toEqual([
      'a.py was not examined: ruff: syntax error.',
      'b.py was not examined: ruff did not read it.',
    ]);
  });

  it('asks nothing of a deleted file, even where a tool would take its kind', () => {
    expect(ledger([plain('a.py', { status: 'deleted' })], { taken: map({ ruff: ['a.py'] }) }).complete).toBe(true);
  });

  it.each<[string, Partial<ScannerRun>, boolean]>([
    ['ran', {}, false],
    ['had no files', { status: 'skipped', filesExamined: 0 }, false],
    ['failed', { status: 'failed' }, true],
    ['ran out of time', { status: 'timed-out' }, true],
    ['examined nothing', { filesExamined: 0 }, true],
  ])('with a scanner that %s', (_name, over, isIncomplete) => {
    const scanners = [run(over)];
    expect(hasFailed(run(over))).toBe(isIncomplete);
    expect(ledger([plain('a.go')], { scanners, examined: map({ gitleaks: ['a.go'] }) }).complete).toBe(!isIncomplete);
  });

  it('says why each scanner failed, and counts files behind it once', () => {
    const scanners = [
      run({ status: 'failed', message: 'its canary was not found.' }),
      run({ name: 'ruff', status: 'timed-out' }),
      run({ name: 'eslint', filesExamined: 0 }),
    ];
    const built = ledger([plain('a.go')], { scanners, taken: map({ gosec: ['a.go'] }) });
    expect(reasonsIncomplete(built, scanners)).toEqual([
      'Scanner gosec failed: its canary was not found.',
      'Scanner ruff ran out of time.',
      'Scanner eslint examined none of the files it takes.',
    ]);
    expect(reasonsIncomplete({ files: [], complete: true }, [run()])).toEqual([]);
    expect(reasonsIncomplete({ files: [], complete: false }, [run()])).toHaveLength(1);
  });

  it('names few of many missed files and counts the rest', () => {
    const paths = Array.from({ length: 9 }, (_, index) => `f${index}.py`);
    const reasons = reasonsIncomplete(
      ledger(
        paths.map(path => plain(path)),
        { taken: map({ ruff: paths }) },
      ),
      [run()],
    );
    expect(reasons).toHaveLength(6);
    expect(reasons.at(-1)).toBe('4 more changed files were not examined.');
  });
});
