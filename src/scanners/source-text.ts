import { isUtf8 } from 'node:buffer';
import type { Language } from './languages.ts';

/** A source file as text, with the reason when some of it had to be guessed. */
export interface SourceText {
  readonly text: string;
  readonly guessed?: string;
}

const COOKIE = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/;

/** Python's names of codecs that the Encoding Standard calls otherwise; all others are tried by their own name. */
const LABEL_OF_CODEC: Readonly<Record<string, string>> = {
  latin_1: 'windows-1252',
  latin1: 'windows-1252',
  iso8859_1: 'windows-1252',
  iso_8859_15: 'iso-8859-15',
  cp1252: 'windows-1252',
  cp1251: 'windows-1251',
  cp1250: 'windows-1250',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  euc_jp: 'euc-jp',
  euc_kr: 'euc-kr',
  koi8_r: 'koi8-r',
  mac_roman: 'macintosh',
  ascii: 'utf-8',
  us_ascii: 'utf-8',
  utf8: 'utf-8',
  utf_8: 'utf-8',
  utf_8_sig: 'utf-8',
};

/**
 * Decodes a file as its language would: byte-order mark first, then Python's coding cookie (PEP 263), then UTF-8,
 * and Latin-1 for what is none of these. The mark itself is dropped. Never throws.
 */
export function decodeSource(bytes: Buffer, language?: Language): SourceText {
  const marked = decodeMarked(bytes);
  if (marked !== undefined) return { text: marked };
  if (language === 'python') {
    const cookie = findCookie(bytes);
    if (cookie !== undefined) return decodeByCookie(bytes, cookie);
  }
  if (isUtf8(bytes)) return { text: bytes.toString('utf8') };
  return { text: bytes.toString('latin1'), guessed: 'not UTF-8 and no encoding named; read as Latin-1' };
}

/** Same text with Python's coding cookie taken out by a change of one letter, since the copy is UTF-8 now. */
export function blankCookie(text: string): string {
  const lines = text.split('\n', 2);
  let at = 0;
  for (const line of lines) {
    if (COOKIE.test(line)) {
      const position = at + line.indexOf('coding');
      return `${text.slice(0, position)}c0ding${text.slice(position + 6)}`;
    }
    at += line.length + 1;
  }
  return text;
}

function decodeMarked(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.subarray(3).toString('utf8');
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const halves = countZeroHalves(bytes);
  if (halves === 'odd') return new TextDecoder('utf-16le').decode(bytes);
  if (halves === 'even') return new TextDecoder('utf-16be').decode(bytes);
  return undefined;
}

/** UTF-16 without a mark: mostly Latin text has a zero in every other byte. */
function countZeroHalves(bytes: Buffer): 'odd' | 'even' | undefined {
  const length = Math.min(bytes.length, 4096) & ~1;
  if (length < 4) return undefined;
  const zeros = [0, 0];
  for (let i = 0; i < length; i++) if (bytes[i] === 0) zeros[i & 1] = (zeros[i & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = length / 2;
  if (odd > half * 0.7 && even < half * 0.1) return 'odd';
  if (even > half * 0.7 && odd < half * 0.1) return 'even';
  return undefined;
}

function findCookie(bytes: Buffer): string | undefined {
  const [first = '', second = ''] = bytes
    .subarray(0, 1024)
    .toString('latin1')
    .split(/\r\n?|\n/, 2);
  const found = COOKIE.exec(first) ?? (/^[ \t\f]*(?:#|$)/.test(first) ? COOKIE.exec(second) : null);
  return found?.[1];
}

function decodeByCookie(bytes: Buffer, codec: string): SourceText {
  const normal = codec.toLowerCase().replace(/[-.\s]/g, '_');
  const label = LABEL_OF_CODEC[normal] ?? codec;
  try {
    return { text: new TextDecoder(label, { fatal: true }).decode(bytes) };
  } catch {
    // Unknown codec (utf_7, unicode_escape, a project's own) or wrong bytes for it: the text below is a guess.
    return {
      text: isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1'),
      guessed: `encoding ${codec.slice(0, 40)} not supported`,
    };
  }
}
