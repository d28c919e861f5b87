import { describe, expect, test } from 'vitest';
import { normaliseSeverity } from '../../src/risk/grades.ts';
import { floatRepr, pythonRepr } from '../../src/risk/python-text.ts';
import { isPresent, isTruthy, lower, strip, toInteger, toList, toNumber } from '../../src/risk/python-values.ts';
import { formatFixed, formatPercent, roundTo } from '../../src/risk/rounding.ts';
import { explainScore } from '../../src/risk/score.ts';
import { codePointLength, takeCodePoints, wellFormed } from '../../src/risk/text.ts';

describe('rounding: the exact value, ties to even', () => {
  test.each([
    [32.03125, 4, 32.0312],
    [25.15625, 4, 25.1562],
    [32.03135, 4, 32.0314],
    [2.675, 2, 2.67],
    [0.000000125, 6, 0],
    [0.0000005, 6, 0],
    [1.0000005, 6, 1.000001],
    [1.005, 2, 1],
    [0.5, 0, 0],
    [1.5, 0, 2],
    [-2.5, 0, -2],
    [2 ** 52 + 1, 2, 2 ** 52 + 1],
    [1e300, 6, 1e300],
    [Number.POSITIVE_INFINITY, 4, Number.POSITIVE_INFINITY],
  ])('%d to %d decimals is %d', (value, digits, expected) => {
    expect(roundTo(value, digits)).toBe(expected);
  });

  test.each([
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [2.5, 0, '2'],
    [31.25, 1, '31.2'],
    [0.2, 2, '0.20'],
    [1, 2, '1.00'],
    [0.005, 2, '0.01'],
    [99.95, 1, '100.0'],
    [1e21, 0, '1000000000000000000000'],
    [Number.NaN, 2, 'nan'],
    [Number.NEGATIVE_INFINITY, 2, '-inf'],
  ])('%d with %d decimals is written %s', (value, digits, expected) => {
    expect(formatFixed(value, digits)).toBe(expected);
  });

  test('percentages and the explanation round half to even too', () => {
    expect([formatPercent(0.125), formatPercent(0.135), formatPercent(0.005)]).toEqual(['12%', '14%', '0%']);
    const factors = { C: 0.125, L: 0.75, I: 0.125, R: 0.25 };
    expect(explainScore({ factors, tier: 'T3', score: 31.25 })).toBe(
      'real 12% x exploit 75% x impact 0.12 x reach 0.2 -> Plan, 31.2',
    );
  });
});

describe('values as Python reads them', () => {
  test('numbers print as floats do', () => {
    expect([7, 9.8, 0, 1e16, 1e-5, 123456789012345680, -0, 1.5e-7].map(floatRepr)).toEqual([
      '7.0',
      '9.8',
      '0.0',
      '1e+16',
      '1e-05',
      '1.2345678901234568e+17',
      '-0.0',
      '1.5e-07',
    ]);
  });

  test('truth: words, empty lists, NaN', () => {
    expect(['true', ' YES ', '1', true, 1, ['x'], { a: 1 }, Number.NaN].map(isTruthy)).toEqual(Array(8).fill(true));
    expect(['no', 'on', '', '2', 0, [], {}, null, undefined, false].map(isTruthy)).toEqual(Array(10).fill(false));
    expect([' ', 'false', Number.NaN].map(isPresent)).toEqual([true, true, true]);
  });

  test('numbers: text, booleans, underscores; no hex, no infinity', () => {
    expect([' 8.5 ', '1_000', true, '.5', '5.', '+1e2', '-0'].map(toNumber)).toEqual([8.5, 1000, 1, 0.5, 5, 100, -0]);
    for (const value of ['inf', 'Infinity', 'nan', '0x10', '1__0', '', 'abc', null, [], {}, '1e999', Number.NaN]) {
      expect(toNumber(value)).toBeUndefined();
    }
    expect([toInteger('69.9', -1), toInteger(-0.5, 7), toInteger('inf', -1), toInteger('1e300', 0)]).toEqual([
      69, 0, -1, 1e300,
    ]);
  });

  test('lists leave out nulls and wrap single values', () => {
    expect([toList(null), toList('x'), toList([1, null, undefined, 'a'])]).toEqual([[], ['x'], [1, 'a']]);
  });

  test('white space is that of Python: separators count, the byte order mark does not', () => {
    expect(strip('\x1c\x85\u3000 a b\x1f')).toBe('a b');
    expect(strip('\ufeffa')).toBe('\ufeffa');
    expect([lower(' HIGH\t'), lower(0), lower(null), lower(true), lower(['A'])]).toEqual([
      'high',
      '',
      '',
      'true',
      "['a']",
    ]);
  });

  test('lists and texts are written as repr writes them', () => {
    expect(pythonRepr(['a\nb', "it's", 1, 1.5, true, null, { k: 'v' }])).toBe(
      `['a\\nb', "it's", 1, 1.5, True, None, {'k': 'v'}]`,
    );
  });

  test('severity numbers are divided once, and infinity says nothing', () => {
    expect([11, 100, 10, '1e1', 95, 'inf', Number.POSITIVE_INFINITY, 0, -1, true, [9]].map(normaliseSeverity)).toEqual([
      'low',
      'critical',
      'critical',
      'critical',
      'critical',
      null,
      null,
      'info',
      'info',
      null,
      null,
    ]);
  });

  test('lengths count code points, and half a pair hashes as a question mark', () => {
    expect([codePointLength('a😀b'), takeCodePoints('a😀b', 2), takeCodePoints('😀', 1)]).toEqual([3, 'a😀', '😀']);
    expect(wellFormed('a\ud800b😀')).toBe('a?b😀');
  });
});
