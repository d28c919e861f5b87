import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATE_MARKER_BYTES } from '../../src/render/limits.ts';
import { decodeState, encodeState, replaceState, type StateFinding } from '../../src/render/state-marker.ts';

const headSha = 'ab'.repeat(20);
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const finding: fc.Arbitrary<StateFinding> = fc
  .record({
    fingerprint: hex(64),
    severity: fc.constantFrom('critical', 'high', 'medium', 'low', 'info'),
    introduced: fc.boolean(),
    placement: fc.constantFrom('inline', 'body', 'summary'),
    path: fc.string({ maxLength: 40 }),
    tool: fc.constantFrom('bandit', 'gosec'),
  })
  .map(value => value as StateFinding);

const mark = (json: unknown): string =>
  `<!-- cypherfix:v1 state ${gzipSync(typeof json === 'string' ? json : JSON.stringify(json)).toString('base64')} -->`;

describe('the state marker', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(fc.array(finding, { maxLength: 30 }), findings => {
        expect(decodeState(`text\n${encodeState({ headSha, findings })}\nmore`)).toEqual({
          headSha,
          findings,
          omitted: 0,
          spentUsd: 0,
          acceptanceHead: null,
        });
      }),
      { numRuns: 50 },
    );
  });

  it('drops names before findings, the last ones first, and stays within 8 KiB', () => {
    const [findings = []] = fc.sample(fc.array(finding, { minLength: 400, maxLength: 400 }), { numRuns: 1, seed: 7 });
    const some = encodeState({ headSha, findings: findings.slice(0, 120) });
    const decoded = decodeState(some);
    expect(some.length).toBeLessThanOrEqual(STATE_MARKER_BYTES);
    expect(decoded?.findings.map(f => f.fingerprint)).toEqual(findings.slice(0, 120).map(f => f.fingerprint));
    const all = encodeState({ headSha, findings });
    expect(all.length).toBeLessThanOrEqual(STATE_MARKER_BYTES);
    const kept = decodeState(all);
    expect(kept?.omitted).toBe(400 - (kept?.findings.length ?? 0));
    expect(kept?.findings.length).toBeGreaterThan(100);
    expect(kept?.findings.every((f, at) => f.fingerprint === findings[at]?.fingerprint)).toBe(true);
  });

  it('reads the last marker of a text', () => {
    const older = encodeState({ headSha: 'cd'.repeat(20), findings: [] });
    expect(decodeState(`${older}\n${encodeState({ headSha, findings: [] })}`)?.headSha).toBe(headSha);
  });

  it.each([
    ['no marker', 'nothing here'],
    ['no gzip', '<!-- cypherfix:v1 state aGVsbG8= -->'],
    ['no JSON', mark('{')],
    ['a wrong head', mark({ h: 'x', f: [], o: 0 })],
    ['a wrong fingerprint', mark({ h: headSha, f: [['zz', 0, 1, 0]], o: 0 })],
    ['a wrong severity', mark({ h: headSha, f: [['a'.repeat(64), 9, 1, 0]], o: 0 })],
    ['too many findings', mark({ h: headSha, f: Array.from({ length: 2001 }, () => ['a'.repeat(64), 0, 1, 0]), o: 0 })],
    ['a bomb', mark(`"${'a'.repeat(5_000_000)}"`)],
    ['a marker that is too long', `<!-- cypherfix:v1 state ${'A'.repeat(9_000)} -->`],
  ])('takes %s for none', (_, body) => {
    expect(decodeState(body)).toBeNull();
  });
});

describe('what the state remembers besides findings', () => {
  const acceptanceHead = 'ef'.repeat(20);

  it.each([
    [0, 0],
    [0.1 + 0.2, 0.3],
    [1.234567, 1.234567],
    [0.0000001, 0.000001],
  ])('costs in millionths of a dollar, rounded up: %d', (spentUsd, expected) => {
    expect(decodeState(encodeState({ headSha, findings: [], spentUsd }))?.spentUsd).toBe(expected);
  });

  it('the head that acceptance saw', () => {
    expect(decodeState(encodeState({ headSha, findings: [], acceptanceHead }))?.acceptanceHead).toBe(acceptanceHead);
  });

  it('is absent from the state of an earlier version', () => {
    expect(decodeState(mark({ h: headSha, f: [], o: 0 }))).toMatchObject({ spentUsd: 0, acceptanceHead: null });
  });

  it.each([{ c: -1 }, { c: 0.5 }, { a: 'main' }])('%j is not ours to read', over => {
    expect(decodeState(mark({ h: headSha, f: [], o: 0, ...over }))).toBeNull();
  });

  it('is replaced in place, with the text around it and the findings kept', () => {
    const [findings = []] = fc.sample(fc.array(finding, { minLength: 3, maxLength: 3 }), { numRuns: 1, seed: 7 });
    const body = `before\n${encodeState({ headSha, findings })}\nafter`;
    const state = decodeState(body);
    if (state === null) throw new Error('no state');
    const replaced = replaceState(body, { ...state, spentUsd: 2 });
    expect(replaced).toMatch(/^before\n<!-- .* -->\nafter$/);
    expect(decodeState(replaced)).toEqual({ ...state, spentUsd: 2 });
    expect(replaceState('no marker', state)).toBe('no marker');
  });
});
