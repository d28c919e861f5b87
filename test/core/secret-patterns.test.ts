import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SECRET_PATTERNS } from '../../src/core/secret-patterns.ts';

const marked = SECRET_PATTERNS.flatMap(({ kind, pattern, marks }) =>
  marks === undefined ? [] : [{ kind, pattern, marks }],
);

test('most patterns have marks', () => {
  expect(marked.length).toBeGreaterThan(30);
});

test.each(marked)('whatever matches $pattern holds a mark of it', ({ pattern, marks }) => {
  expect(pattern.flags).toBe('g');
  // What stands around a match says nothing of the match.
  const bare = new RegExp(pattern.source.replaceAll(/\(\?<?[!=][^()]*\)/g, ''));
  fc.assert(
    fc.property(fc.stringMatching(bare), text => {
      const [match] = bare.exec(text) ?? [];
      expect(match).toBeDefined();
      expect(marks.some(mark => match?.includes(mark))).toBe(true);
    }),
    { numRuns: 200 },
  );
});
