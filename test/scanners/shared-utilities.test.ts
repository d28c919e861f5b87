import { expect, test } from 'vitest';
import { isShared, toUtilities, withUtilities } from '../../src/scanners/shared-utilities.ts';

const SHARED = {
  shared: 'data',
  levels: 2,
  utils: {
    'a-<n>': { any: [{ kind: 'x' }, { matches: 'b-<n>' }] },
    'b-<n>': { has: { pattern: '$V<n>', matches: 'a-<n+1>' } },
  },
};

test('a document with levels counts once for each', () => {
  const utilities = toUtilities(SHARED);
  expect([...utilities.keys()]).toEqual(['a-1', 'b-1', 'a-2', 'b-2']);
  expect(utilities.get('b-2')).toEqual({ has: { pattern: '$V2', matches: 'a-3' } });
});

test('a rule gets the utilities that it names, and those that they name', () => {
  const shared = toUtilities({ shared: 'data', utils: { a: { matches: 'b' }, b: { kind: 'x' }, c: { kind: 'y' } } });
  expect(withUtilities({ id: 'r', rule: { has: { matches: 'a' } } }, shared)).toEqual({
    id: 'r',
    rule: { has: { matches: 'a' } },
    utils: { a: { matches: 'b' }, b: { kind: 'x' } },
  });
});

test("a rule's own utility comes before a shared one of the same name", () => {
  const shared = toUtilities({ shared: 'data', utils: { a: { kind: 'x' } } });
  const rule = { rule: { matches: 'a' }, utils: { a: { kind: 'own' } } };
  expect(withUtilities(rule, shared)).toEqual(rule);
});

test('a rule without shared utilities stays as it is', () => {
  const rule = { rule: { kind: 'x', matches: 'unknown' } };
  expect(withUtilities(rule, new Map())).toBe(rule);
  expect(withUtilities('text', new Map())).toBe('text');
});

test.each([
  ['levels out of range', { ...SHARED, levels: 9 }, /^levels: /],
  ['no utilities', { shared: 'data' }, /^utils: /],
  ['an unknown key', { ...SHARED, rule: {} }, /rule/],
])('%s is refused with the place', (_, value, message) => {
  expect(() => toUtilities(value)).toThrow(message);
});

test('only a document with the key is shared', () => {
  expect([isShared(SHARED), isShared({ id: 'a' }), isShared(null), isShared('shared')]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
