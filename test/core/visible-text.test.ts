import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countInvisible,
  escapeCommandData,
  escapeCommandProperty,
  escapeWorkflowCommand,
  toSafeLine,
  toVisibleText,
} from '../../src/core/untrusted.ts';

describe('visible text', () => {
  it.each([
    ['\x1b[31mred\x1b[0m', 'red'],
    ['\x1b]0;title\x07x\x1b]8;;https://evil.example\x1b\\y', 'xy'],
    ['\x1b[\x1b[0m0m', '␛[0m'],
    ['a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
    ['a\x00b\x7fc\x9d', 'a␀b␡c\uFFFD'],
    ['if (a\u202e) {\u2066', 'if (a[U+202E]) {[U+2066]'],
    ['a\u200b\u200b\u2060b', 'a[U+200B and 2 more]b'],
    ['👩\u200d🔬 ❤\ufe0f', '👩\u200d🔬 ❤\ufe0f'],
    ['a\u200db', 'a[U+200D]b'],
    ['\ud800x', '\uFFFDx'],
    ['tab\tstays', 'tab\tstays'],
  ])('%j becomes %j', (text, expected) => {
    expect(toVisibleText(text)).toBe(expected);
  });

  it('counts what nobody sees', () => {
    expect(countInvisible('a\u202eb\u200b\u200b\u{e0041}c')).toBe(4);
    expect(countInvisible('plain 👩\u200d🔬 text')).toBe(0);
  });

  const character = fc.oneof(
    fc.constantFrom('\x1b', '[', ']', '0m', '\x07', '\r', '\n', '\u200b', '\u200d', '\u202e', '👩', '\ud800', '\x9b'),
    fc.string({ maxLength: 3 }),
  );

  it('holds no control character, and twice is once', () => {
    fc.assert(
      fc.property(fc.array(character), pieces => {
        const shown = toVisibleText(pieces.join(''));
        expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b]/);
        expect(toVisibleText(shown)).toBe(shown);
        expect(toSafeLine(shown)).not.toMatch(/[\n\t]/);
      }),
    );
  });
});

describe('lines of a workflow log', () => {
  const lines = fc.array(
    fc.oneof(
      fc.constantFrom(':', '::', '::error::x', '##[', '#', '[', ' ', '\t', '\n', '\r', '\r\n', '\u00a0', '\u2028'),
      fc.string({ maxLength: 3 }),
    ),
  );

  it('hold no command, as the runner looks for one', () => {
    fc.assert(
      fc.property(lines, pieces => {
        for (const line of escapeWorkflowCommand(pieces.join('')).split(/\r\n|\r|\n/)) {
          expect(line.trimStart().startsWith('::')).toBe(false);
          expect(line).not.toContain('##[');
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('read as before otherwise, and are quick for a megabyte', () => {
    expect(escapeWorkflowCommand('a::b\n  ::set-output::x\n##[error]y')).toBe('a::b\n  : :set-output::x\n## [error]y');
    const started = performance.now();
    escapeWorkflowCommand('\n'.repeat(500_000));
    escapeWorkflowCommand(' '.repeat(500_000));
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('data and properties of a command of our own stay on its line', () => {
    expect(escapeCommandData('100%\r\nnext')).toBe('100%25%0Anext');
    expect(escapeCommandProperty('a:b,c\nd')).toBe('a%3Ab%2Cc%0Ad');
  });
});
