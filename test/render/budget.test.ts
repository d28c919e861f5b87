import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutBytes, cutCodePoints, fitSections, type Section } from '../../src/render/budget.ts';

const keep = (text: string): Section => ({ text, rank: 0, kind: 'head' });
const limit = { codePoints: 2_000, bytes: 4_000 };
const notice = ({ shortened, left }: { shortened: Record<string, number>; left: Record<string, number> }): string =>
  `cut ${JSON.stringify({ shortened, left })}`;

describe('fitting sections', () => {
  it('leaves what fits as it is and says nothing', () => {
    const fitted = fitSections([keep('a'), { text: '', rank: 0, kind: 'notice' }, keep('b')], limit, notice);
    expect(fitted).toEqual({ text: 'a\n\nb', shortened: {}, left: {} });
  });

  it('shortens the least important first, then leaves out, and says so in its place', () => {
    const finding = (name: string, rank: number): Section => ({
      text: name.repeat(900),
      short: name,
      rank,
      kind: 'findings',
    });
    const sections = [
      keep('head'),
      { text: '', rank: 0, kind: 'notice' },
      finding('a', 3),
      finding('b', 4),
      { text: 'd'.repeat(900), rank: 9, kind: 'details' },
      keep('marker'),
    ];
    const fitted = fitSections(sections, limit, notice);
    expect(fitted.text).toBe(
      `head\n\ncut {"shortened":{"findings":1},"left":{"details":1}}\n\n${'a'.repeat(900)}\n\nb\n\nmarker`,
    );
  });

  it('never passes the limit while the fixed parts fit, and keeps them', () => {
    const section = fc.record({
      text: fc.string({ maxLength: 900, unit: 'grapheme' }),
      short: fc.string({ maxLength: 40, unit: 'grapheme' }),
      rank: fc.integer({ min: 1, max: 9 }),
      kind: fc.constantFrom('findings', 'details'),
    });
    fc.assert(
      fc.property(fc.array(section, { maxLength: 12 }), sections => {
        const { text } = fitSections(
          [keep('HEAD'), { text: '', rank: 0, kind: 'notice' }, ...sections, keep('MARKER')],
          limit,
          notice,
        );
        expect([...text].length).toBeLessThanOrEqual(limit.codePoints);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit.bytes);
        expect(text.startsWith('HEAD') && text.endsWith('MARKER')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('cutting', () => {
  it('cuts between characters and marks the cut', () => {
    expect(cutCodePoints('𝒳𝒳𝒳', 3)).toBe('𝒳𝒳𝒳');
    expect(cutCodePoints('𝒳𝒳𝒳𝒳', 3)).toBe('𝒳𝒳…');
    expect(cutBytes('ééé', 6)).toBe('ééé');
    expect(cutBytes('éééé', 6)).toBe('é…');
  });

  it('stays within the bytes for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 60 }), (text, most) => {
        const shown = cutBytes(text, most);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(most);
        expect(shown).not.toContain('\uFFFD');
      }),
    );
  });
});
