import type { Sources } from './python-sources.ts';

const FAULTS = 'import pickle\npassword = "x"\nsubprocess.call("a", shell=True)\n';

export function encodedSources(): Sources {
  const sources: Record<string, string | Buffer> = {
    'empty.py': '',
    'comment.py': '# a\n\n   # b',
    'crlf.py': FAULTS.replaceAll('\n', '\r\n'),
    'cr.py': FAULTS.replaceAll('\n', '\r'),
    'feed.py': `\f\n${FAULTS}\f# x\n`,
    'null.py': `${FAULTS}\0`,
    'mark.py': `\uFEFF${FAULTS}# \u202E`,
    'wrong-mark.py': `\uFEFF# coding: latin-1\n${FAULTS}`,
    'broken.py': `${FAULTS}def (\n`,
    'old.py': `${FAULTS}print "x"\n`,
    'window.pyw': FAULTS,
    'bytes.py': Buffer.concat([Buffer.from('x = "'), Buffer.from([0xff]), Buffer.from(`"\n${FAULTS}`)]),
    'warned.py': 'x = "\\d"\n1 is 1\nassert (1, "x")\n',
    'number.py': `x = ${'9'.repeat(5000)}\n`,
    'nested.py': `x = ${'('.repeat(250)}1${')'.repeat(250)}\n`,
  };
  for (const [i, sign] of [...'\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\u200F\u200E\u2028'].entries()) {
    sources[`backwards-${i}.py`] = `${FAULTS}\n# a${sign}b\ny = "${sign}${sign}"\n`;
  }
  const codecs =
    'utf-8 utf-7 latin-1 cp1252 utf-16 utf-8-sig rot13 unicode_escape raw_unicode_escape punycode idna hz ascii none-such';
  for (const codec of codecs.split(' ')) {
    const text = `# -*- coding: ${codec} -*-\n${FAULTS}# +IC4- \\u202e \u202E\nx = "+IC4-"\n`;
    sources[`first-${codec}.py`] = text;
    sources[`second-${codec}.py`] = `#!/usr/bin/python\n${text}`;
    sources[`third-${codec}.py`] = `#!/usr/bin/python\n\n${text}`;
    sources[`plain-${codec}.py`] = text.replace('\u202E', 'e');
    sources[`latin-${codec}.py`] = Buffer.from(text.replace('\u202E', '\u00E9'), 'latin1');
  }
  return sources;
}

/** Chains of 300, 700 and 1500: bandit's stack ends near 1000. */
export function deepSources(): Sources {
  const chain = (part: string, length: number, between = ''): string => Array(length).fill(part).join(between);
  return Object.fromEntries(
    [300, 700, 1500].flatMap(length => [
      [`text-${length}.py`, `import pickle\nx = ${chain('"select * from t "', length, ' + ')}\nexec(1)\n`],
      [`attributes-${length}.py`, `exec(1)\n${chain('a', length, '.')}()\n`],
      [`calls-${length}.py`, `exec(1)\nx = f${chain('.run("/tmp/a")', length / 2)}\nexec(2)\n`],
    ]),
  );
}
