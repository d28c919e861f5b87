import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/core/change.ts';
import { compareRuns, type Examined, type PreviousFinding } from '../../src/findings/compare.ts';
import { change, file, introduce, raw } from './builders.ts';

const path = 'cmd/run.go';
const on = change([
  file(path, [{ start: 1, lines: '++++' }]),
  file('gone.go', [], { status: 'deleted' }),
  file('new.go', [{ start: 1, lines: '+' }], { status: 'renamed', previousPath: 'old.go' }),
]);
const all: Examined = {
  byTool: new Map([
    ['gosec', new Set([path, 'new.go'])],
    ['gitleaks', new Set([path, 'new.go'])],
  ]),
  complete: true,
};
const previous = (over: Partial<PreviousFinding> = {}): PreviousFinding => ({
  fingerprint: 'ab'.repeat(32),
  severity: 'high',
  introduced: true,
  placement: 'inline',
  path,
  tool: 'gosec',
  ...over,
});
const without = (...keys: ('path' | 'tool')[]): PreviousFinding => {
  const { path: knownPath, tool, ...rest } = previous();
  return {
    ...rest,
    ...(keys.includes('path') ? {} : { path: knownPath }),
    ...(keys.includes('tool') ? {} : { tool }),
  } as PreviousFinding;
};
const only = (byTool: Record<string, string[]>): Examined => ({
  byTool: new Map(Object.entries(byTool).map(([tool, paths]) => [tool, new Set(paths)])),
  complete: false,
});

function verdict(one: PreviousFinding, examined: Examined, of: Change = on): [string, string] {
  const { gone, carried } = compareRuns([one], [], of, examined);
  expect(gone.length + carried.length).toBe(1);
  return gone[0] === undefined ? ['carried', carried[0]?.why ?? ''] : ['gone', gone[0].how];
}

describe('compareRuns', () => {
  it('tells new ones from those that stand', () => {
    const [known, fresh] = introduce([raw(), raw({ ruleId: 'G304' })], on);
    if (known === undefined || fresh === undefined) throw new Error('two findings expected');
    const result = compareRuns([previous({ fingerprint: known.fingerprint })], [known, fresh], on, all);
    expect(result.standing.map(({ finding }) => finding)).toEqual([known]);
    expect(result.fresh).toEqual([fresh]);
    expect(result.gone).toEqual([]);
    expect(result.carried).toEqual([]);
  });

  it('knows a finding that one of its tools alone reported before', () => {
    const eslint = raw({ tool: 'eslint', ruleId: 'detect-child-process' });
    const [alone] = introduce([eslint], on);
    const [both] = introduce([eslint, raw({ tool: 'ast-grep', ruleId: 'js-exec' })], on);
    expect(both?.fingerprint).not.toBe(alone?.fingerprint);
    const result = compareRuns(
      [previous({ fingerprint: alone?.fingerprint ?? '' })],
      both === undefined ? [] : [both],
      on,
      all,
    );
    expect(result.standing).toHaveLength(1);
    expect(result.fresh).toEqual([]);
  });

  it.each<[string, PreviousFinding, Examined, string, RegExp]>([
    ['examined again by its tool', previous(), all, 'gone', /gosec examined cmd\/run\.go again/],
    ['its tool failed', previous(), only({ gitleaks: [path] }), 'carried', /gosec did not examine/],
    ['its tool read another file', previous(), only({ gosec: ['new.go'] }), 'carried', /gosec did not examine/],
    ['the file was deleted', previous({ path: 'gone.go' }), only({}), 'gone', /gone\.go was deleted/],
    ['the file was renamed', previous({ path: 'old.go' }), only({}), 'gone', /renamed to new\.go/],
    ['the file left the change', previous({ path: 'x.go' }), only({}), 'gone', /no longer part of the change/],
    [
      'a secret in a deleted file, gitleaks failed',
      previous({ path: 'gone.go', tool: 'gitleaks' }),
      only({ gosec: [path] }),
      'carried',
      /commits/,
    ],
    [
      'a secret in a deleted file, gitleaks ran',
      previous({ path: 'gone.go', tool: 'gitleaks' }),
      only({ gitleaks: [path] }),
      'gone',
      /deleted/,
    ],
    ['tool unknown, everything examined', without('tool'), all, 'gone', /examined again/],
    ['tool unknown, incomplete', without('tool'), only({ gosec: [path] }), 'carried', /tool is not known/],
    ['path unknown, everything examined', without('path'), all, 'gone', /every file/],
    ['path unknown, incomplete', without('path'), only({ gosec: [path] }), 'carried', /file is not known/],
  ])('%s', (_name, one, examined, where, why) => {
    const [place, reason] = verdict(one, examined);
    expect(place).toBe(where);
    expect(reason).toMatch(why);
  });

  it('counts a finding that several markers name once', () => {
    expect(compareRuns([previous(), previous()], [], on, all).gone).toHaveLength(1);
  });
});
