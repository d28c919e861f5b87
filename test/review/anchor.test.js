import { describe, expect, it } from 'vitest';
import { anchorQuote } from '../../src/review/anchor.js';
import { DEFENCES } from '../../src/review/defences.js';
import { createFileReader } from '../../src/review/file-reader.js';
import { findQuote } from '../../src/review/find-quote.js';
import { createGuard } from '../../src/review/guard.js';
import { showChange } from '../../src/review/shown-change.js';
import { memoryTree, modified } from './world.js';

const FILES = {
  'a.ts': [
    'const zero = 0;',
    'function first() {',
    '  return   call( zero );',
    '}',
    'old twin();',
    'fresh twin();',
    'const bad =\tzero ?? 1;\r',
    'const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";',
    'const sneaky = "\u202eabc";',
    'far();',
    'far();',
    'tail("only once");',
  ].join('\n'),
  'moved/new.ts': 'moved line\n',
  'other.ts': 'caller(zero);\n',
};
const CHANGED = [
  modified('a.ts', [
    {
      start: 1,
      rows: [
        ' const zero = 0;',
        '-const gone = 1;',
        ' function first() {',
        '+  return   call( zero );',
        ' }',
        ' old twin();',
        '+fresh twin();',
        '+const bad =\tzero ?? 1;\r',
        '+const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";',
        '+const sneaky = "\u202eabc";',
      ],
    },
  ]),
  modified('moved/new.ts', [{ start: 1, rows: ['-moved lime', '+moved line'] }], {
    status: 'renamed',
    previousPath: 'old.ts',
  }),
];
async function anchor(path, quote) {
  const guard = createGuard({ defences: DEFENCES, boundary: 'b0a1c2d3' });
  const reader = createFileReader({ tree: memoryTree(FILES), guard });
  const isIgnored = name => name === 'ignored.ts';
  const shown = await showChange({ files: CHANGED, isIgnored, maxFiles: 10, reader, guard });
  const { place, startLine, endLine, path: found } = await anchorQuote({ shown, reader, isIgnored }, path, quote);
  return { place, lines: startLine === null ? null : [startLine, endLine], path: found };
}
describe('anchorQuote', () => {
  it.each([
    ['unique in the hunk', 'a.ts', 'fresh twin();', 'hunk', [6, 6]],
    ['part of a line', 'a.ts', 'zero ?? 1', 'hunk', [7, 7]],
    ['several lines', 'a.ts', 'function first() {\n  return call( zero );\n}', 'hunk', [2, 4]],
    ['amount of white space', 'a.ts', 'return call( zero );', 'hunk', [3, 3]],
    ['absence of white space', 'a.ts', 'return call(zero);', 'hunk', [3, 3]],
    ['CRLF in the file', 'a.ts', 'const bad = zero ?? 1;', 'hunk', [7, 7]],
    ['CRLF in the quote', 'a.ts', 'fresh twin();\r\nconst bad = zero ?? 1;\r\n', 'hunk', [6, 7]],
    ['signs of the diff in the quote', 'a.ts', '+fresh twin();\n+const bad = zero ?? 1;', 'hunk', [6, 7]],
    ['numbers of a listing in the quote', 'a.ts', '6| fresh twin();\n7| const bad = zero ?? 1;', 'hunk', [6, 7]],
    ['an empty line in the quote', 'a.ts', 'fresh twin();\n\nconst bad = zero ?? 1;', 'hunk', [6, 7]],
    ['twice, but added once', 'a.ts', 'twin();', 'hunk', [6, 6]],
    ['a redacted secret', 'a.ts', 'const key = "ghp_[redacted:github-token]";', 'hunk', [8, 8]],
    ['a hidden character', 'a.ts', 'const sneaky = "abc";', 'hunk', [9, 9]],
    ['./ before the path', './a.ts', 'fresh twin();', 'hunk', [6, 6]],
    ['the path from before the move', 'old.ts', 'moved line', 'hunk', [1, 1]],
    ['ambiguous in the hunk', 'a.ts', 'zero', 'file', null],
    ['in the file, not in the hunk', 'a.ts', 'tail("only once");', 'file', [12, 12]],
    ['twice in the file, not in the hunk', 'a.ts', 'far();', 'file', null],
    ['in a file that the change does not touch', 'other.ts', 'caller(zero);', 'file', [1, 1]],
    ['a deleted line', 'a.ts', 'const gone = 1;', 'none', null],
    ['made up', 'a.ts', 'system("rm -rf /");', 'none', null],
    ['made up but for its first line', 'a.ts', 'fresh twin();\nevil();', 'none', null],
    ['empty', 'a.ts', ' \n ', 'none', null],
    ['no such file', 'b.ts', 'fresh twin();', 'none', null],
    ['outside of the repository', '../a.ts', 'fresh twin();', 'none', null],
    ['a file that models may not see', 'ignored.ts', 'x', 'none', null],
    ['no path', '', 'fresh twin();', 'none', null],
  ])('%s', async (_, path, quote, place, lines) => {
    expect(await anchor(path, quote)).toMatchObject({ place, lines });
  });
  it('names the new path of a moved file', async () => {
    expect((await anchor('old.ts', 'moved line')).path).toBe('moved/new.ts');
  });
});
describe('findQuote', () => {
  it('does not join lines that are not beside each other', () => {
    const lines = ['one', 'two', 'three'].map((text, at) => ({ line: at * 10, text }));
    expect(findQuote('one\nthree', lines)).toEqual([]);
    expect(findQuote('two three', lines)).toEqual([{ startLine: 10, endLine: 20 }]);
  });
  it('stays quick on long and repetitive text', () => {
    const lines = Array.from({ length: 100_000 }, (_, at) => ({ line: at + 1, text: 'a '.repeat(10) }));
    const start = performance.now();
    expect(findQuote(`${'a '.repeat(500)}b`, lines)).toEqual([]);
    expect(findQuote('a a', lines).length).toBe(50);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
