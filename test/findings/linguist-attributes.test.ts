import { describe, expect, it } from 'vitest';
import { readLinguistAttributes } from '../../src/findings/linguist-attributes.ts';

const many = (count: number, toLine: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `${toLine(index)}\n`).join('');

describe('readLinguistAttributes', () => {
  const { isGenerated, notices } = readLinguistAttributes(
    [
      '# comment linguist-generated',
      '* text=auto',
      '*.pb.go linguist-generated=true',
      'api/keep.pb.go -linguist-generated',
      '/docs/** linguist-vendored -diff',
      'lib/*.js linguist-generated=false linguist-vendored',
      'a.js linguist-documentation',
      'gen/**.go linguist-generated',
      '**x**y linguist-generated',
      'out/ linguist-generated',
    ].join('\r\n'),
  );
  it.each([
    ['x/y.pb.go', true],
    ['api/keep.pb.go', false],
    ['docs/a/b.html', true],
    ['src/docs/a.html', false],
    ['lib/a.js', true],
    ['lib/deep/a.js', false],
    ['a.js', false],
    ['gen/a.go', true],
    ['gen/deep/a.go', false],
    ['deep/axby', true],
    ['ax/by', false],
    ['out/a', false],
  ])('%s: %s', (path, expected) => {
    expect(isGenerated(path)).toBe(expected);
  });

  it('has nothing to say of lines that count, are about other attributes, or match no file in git either', () => {
    expect(notices).toEqual([]);
    expect(readLinguistAttributes(many(2_000, () => '"a b" text')).notices).toEqual([]);
  });

  it.each([
    ['in quotes', '"quoted name" linguist-generated', 'quoted name'],
    ['with brackets', '[ab].js linguist-generated', 'a.js'],
    ['with a backslash', 'a\\*.js linguist-vendored', 'a*.js'],
    ['of many characters', `${'a'.repeat(201)} linguist-generated`, 'a'.repeat(201)],
    ['of many wildcards', `${'a*'.repeat(9)} linguist-generated`, 'a'.repeat(9)],
  ])('passes a pattern %s over and says so', (_name, line, path) => {
    const { isGenerated, notices } = readLinguistAttributes(`${line}\nb.js linguist-generated\n`);
    expect([isGenerated(path), isGenerated('b.js')]).toEqual([false, true]);
    expect(notices).toEqual([
      expect.stringMatching(/^One line of \.gitattributes .* has no effect: only the last 500/),
    ]);
  });

  it('takes the last 500 lines, and says how many it leaves out', () => {
    const { isGenerated, notices } = readLinguistAttributes(many(510, index => `f${index}.js linguist-generated`));
    expect([9, 10, 509].map(index => isGenerated(`f${index}.js`))).toEqual([false, true, true]);
    expect(notices).toEqual([expect.stringMatching(/^10 lines of \.gitattributes .* have no effect/)]);
  });

  it('is soon done with thousands of lines of many stars, on many paths made to take long', () => {
    const started = performance.now();
    const { isGenerated, notices } = readLinguistAttributes(many(5_000, n => `**a**b**c**d**${n} linguist-generated`));
    for (let file = 0; file < 31; file += 1) expect(isGenerated(`${'abcd'.repeat(60)}/f${file}`)).toBe(false);
    expect(isGenerated('x/a.b.c.d.4999')).toBe(true);
    expect(notices).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
