import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPathMatcher } from '../../src/core/globs.ts';

describe('toPathMatcher', () => {
  it.each([
    ['**/x.js', 'x.js', true],
    ['**/x.js', 'a/b/x.js', true],
    ['**/x.js', 'a/yx.js', false],
    ['src/**', 'src/a/b.py', true],
    ['src/**', 'srcs/a', false],
    ['src/**.py', 'src/a/b.py', true],
    ['src/**.py', 'src/b.py', true],
    ['src/**.py', 'src/b.js', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['*.js', 'a/b.js', false],
    ['*.js', '.eslintrc.js', true],
    ['?.js', '😀.js', true],
    ['a?b', 'a/b', false],
    ['(group)/**', '(group)/page.ts', true],
    ['app/[id]/**', 'app/[id]/page.ts', true],
    ['a{b,c}.js', 'ab.js', false],
    ['a{b,c}.js', 'a{b,c}.js', true],
    ['!a.js', '!a.js', true],
    ['!a.js', 'b.js', false],
    ['@(a|b)', 'a', false],
    ['a+b.ts', 'a+b.ts', true],
    ['a"b c', 'a"b c', true],
    ["it's/*", "it's/x", true],
    ['x*', 'x\ny', true],
    ['**', 'a/x\ny/.b', true],
    ['docs', 'docs/a', false],
    ['.github/**', '.github/workflows/ci.yml', true],
    ['a***b', 'a/x/b', true],
    ['a/**', 'a', false],
    ['./src/**', 'src/a', true],
    ['a\\', 'a\\', true],
    ['}\\', 'a', false],
    ['"*', '"', true],
    ['././a', 'a', true],
    ['a**b**c**d**e**f', 'a/b/c/d/e/f', true],
    ['*a*/?*', 'xax/b', true],
    ['**/*?', 'a/', false],
  ])('%j on %j is %j', (glob, path, expected) => {
    expect(toPathMatcher([glob])(path)).toBe(expected);
  });

  it('matches nothing without globs, and any of several', () => {
    expect(toPathMatcher([])('a')).toBe(false);
    expect(toPathMatcher(['x', 'a'])('a')).toBe(true);
  });

  it.each(['**a**b**c**d**e', '**/*a*a*a*b', `${'*a'.repeat(200)}b`, `${'**/'.repeat(150)}*b`])(
    'is soon done with %j on a path made to take long',
    glob => {
      const started = performance.now();
      expect(toPathMatcher([glob])('abcd'.repeat(1_000))).toBe(false);
      expect(toPathMatcher([glob])('a'.repeat(4_000))).toBe(false);
      expect(toPathMatcher([glob])('a/'.repeat(2_000))).toBe(false);
      expect(performance.now() - started).toBeLessThan(2_000);
    },
  );

  it('agrees with a plain reading of the four wildcards', () => {
    const piece = fc.constantFrom('a', 'b', '.', '/', '*', '**', '?', '**/', '(', ']', '+');
    const glob = fc.array(piece, { minLength: 1, maxLength: 6 }).map(parts => parts.join('').replace(/\*{3,}/g, '**'));
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', '.a', 'b(', ']', '+'), { minLength: 1, maxLength: 4 })
      .map(parts => parts.join('/'));
    fc.assert(
      fc.property(glob, path, (pattern, name) => {
        fc.pre(!pattern.startsWith('./'));
        expect(toPathMatcher([pattern])(name)).toBe(plain(pattern).test(name));
      }),
      { numRuns: 2_000 },
    );
  });
});

function plain(glob: string): RegExp {
  const source = glob.replace(/(?<![^/])\*\*\/|\*\*|\*|\?|[\\()[\]{}^$|+.]/g, part => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : `\\${part}`;
  });
  return new RegExp(`^${source}$`, 'su');
}
