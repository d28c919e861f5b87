import { expect, test } from 'vitest';
import { blankCookie, decodeSource } from '../../src/scanners/source-text.ts';

const utf16 = (text: string, big = false): Buffer => {
  const bytes = Buffer.from(text, 'utf16le');
  return big ? bytes.swap16() : bytes;
};

test.each([
  ['UTF-8', Buffer.from('é'), 'é'],
  ['UTF-8 with a mark', Buffer.from('\ufeffx'), 'x'],
  ['UTF-16 LE with a mark', utf16('\ufeffeval(x)'), 'eval(x)'],
  ['UTF-16 BE with a mark', utf16('\ufeffeval(x)', true), 'eval(x)'],
  ['UTF-16 LE without one', utf16('eval(x)\n'), 'eval(x)\n'],
  ['UTF-16 BE without one', utf16('eval(x)\n', true), 'eval(x)\n'],
])('%s', (_, bytes, expected) => {
  expect(decodeSource(bytes)).toEqual({ text: expected });
});

test.each([
  ['# -*- coding: latin-1 -*-\nx = "\xe9"\n', 'latin1', 'x = "é"'],
  ['#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\nx = "\xc6"\n', 'latin1', 'x = "Ж"'],
  ['# coding=shift_jis\nx = "\x82\xa0"\n', 'latin1', 'x = "あ"'],
])('Python says its encoding: %j', (source, encoding, expected) => {
  const { text, guessed } = decodeSource(Buffer.from(source, encoding as BufferEncoding), 'python');
  expect(guessed).toBeUndefined();
  expect(text).toContain(expected);
});

test('a cookie below a line of code, or in another language, is none', () => {
  const bytes = Buffer.from('x = 1\n# coding: latin-1\ny = "\xc3\xa9"\n', 'latin1');
  expect(decodeSource(bytes, 'python').text).toContain('é');
  expect(decodeSource(Buffer.from('# coding: utf-7\nx'), 'yaml').guessed).toBeUndefined();
});

test('what cannot be decoded for sure is told', () => {
  expect(decodeSource(Buffer.from('# coding: utf-7\n+AGU-val\n'), 'python').guessed).toMatch(/utf-7/);
  expect(decodeSource(Buffer.from([0x78, 0xe9, 0x79])).guessed).toMatch(/Latin-1/);
  expect(decodeSource(Buffer.from('# coding: ascii\n\xe9', 'latin1'), 'python').guessed).toMatch(/ascii/);
});

test('the copy in UTF-8 no longer claims another encoding, at the same length', () => {
  const text = '#!/usr/bin/python\n# -*- coding: latin-1 -*-\nx\n';
  expect(blankCookie(text)).toBe('#!/usr/bin/python\n# -*- c0ding: latin-1 -*-\nx\n');
  expect(blankCookie('x = 1\ny = 2\n# coding: latin-1\n')).toBe('x = 1\ny = 2\n# coding: latin-1\n');
});
