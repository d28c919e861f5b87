import { describe, expect, test } from 'vitest';
import { type Need, neededByRegex } from '../../src/scanners/needed-text.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import { readRuleFiles } from '../../src/scanners/shipped-pack.ts';
import { createTextIndex } from '../../src/scanners/text-index.ts';
import { listTestFiles, RULES_FOLDER, readTests } from '../rules/rule-cases.ts';

const words = (...list: string[]): Need => ({ words: list });

describe('what a match of a regular expression contains', () => {
  test.each<[string, Need]>([
    ['^exec$', words('exec')],
    [String.raw`\.(?:exec|spawn)\(`, words('.exec(', '.spawn(')],
    ['(?i)^Requests?$', words('request')],
    ['[rR]eq(?:uest)?\\.body', words('req.body', 'request.body')],
    ['execute|exec', words('exec')],
    ['token[\'"]', words("token'", 'token"')],
    ['select.*from', { all: [words('select'), words('from')] }],
    ['(?:\\w+\\.)?debug', words('debug')],
    ['(?:password)+', words('password')],
    ['a{3}bcd', words('bcd')],
    ['abc{1,3}', null],
    ['(?P<name>token)|(?s:secret)', words('token', 'secret')],
    [String.raw`[\\/]etc`, words('\\etc', '/etc')],
    [String.raw`\<word\>`, words('word')],
  ])('%s', (source, need) => expect(neededByRegex(source)).toEqual(need));

  test.each([
    ['a branch of which nothing is known', 'token|\\w+'],
    ['a branch that is empty', '(?:token|)'],
    ['a part that may be absent', '(?:token)?'],
    ['a part that may be repeated no time', '(?:token){0,4}'],
    ['words that are too short', 'a|token'],
    ['spaces that do not count', '(?x) to ken'],
    ['a class in a class', '[[:alpha:]]token'],
    ['a class without some of it', '[a-z&&[^b]]token'],
    ['characters by number', String.raw`\x41token`],
    ['Unicode classes', String.raw`\p{Greek}token`],
    ['a repetition without a lower bound', 'token{,3}'],
    ['an open group', '(?:token'],
    ['a group that was never opened', 'token)'],
  ])('is not known for %s', (_, source) => expect(neededByRegex(source)).toBeNull());

  test('is not cut out of characters beyond ASCII', () => {
    expect(neededByRegex('größe|straße')).toBeNull();
    expect(neededByRegex('naïve_token')).toEqual(words('ve_token'));
  });
});

describe('an index of a text', () => {
  const index = createTextIndex();
  const meets = (text: string, need: Need): boolean => {
    index.read(Buffer.from(text));
    return index.mayMeet(need);
  };

  test('knows the words of the text, whatever their case, and forgets those of the one before', () => {
    expect(meets('const a = EVAL(b)', words('eval('))).toBe(true);
    expect(meets('md5', words('md5'))).toBe(true);
    expect(meets('const a = 1', words('eval('))).toBe(false);
    expect(meets('', words('eval('))).toBe(false);
  });

  test('forgets over any number of texts', () => {
    expect(meets('secret', words('secret'))).toBe(true);
    for (let round = 0; round < 600; round++) expect(meets(`text ${round}`, words('secret'))).toBe(false);
  });

  test('takes all and any as they are', () => {
    const both: Need = { all: [words('select'), words('from')] };
    expect(meets('SELECT 1', both)).toBe(false);
    expect(meets('SELECT 1 FROM t', both)).toBe(true);
    expect(meets('SELECT 1', { any: [both, words('select')] })).toBe(true);
    expect(meets('anything', { any: [both, null] })).toBe(true);
  });

  test.each(['\u017fecret', 'to\u212aen'])('believes that %s, which Rust takes for ASCII, is every word', text => {
    expect(meets(text, words('secret'))).toBe(true);
  });
});

test('no text in which an expression of the pack matches lacks what that needs', async () => {
  const pack = toRulePack(readRuleFiles(RULES_FOLDER));
  const sources = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === 'regex' && typeof child === 'string') sources.add(child);
      else collect(child);
    }
  };
  for (const rule of pack.rules) collect(rule.engine);
  const texts = listTestFiles()
    .map(readTests)
    .flatMap(({ valid, invalid }) => [...valid, ...invalid])
    .flatMap(text => [text, ...text.split('\n'), ...text.split(/[\s(),;]+/)]);
  const unique = [...new Set(texts)];
  const expressions = [...sources].flatMap(source => {
    const expression = toJavaScript(source);
    const need = neededByRegex(source);
    return expression === undefined || need === null ? [] : [{ source, expression, need }];
  });
  expect(expressions.length).toBeGreaterThan(300);
  const index = createTextIndex();
  let matches = 0;
  for (const text of unique) {
    index.read(Buffer.from(text));
    for (const { source, expression, need } of expressions) {
      if (!expression.test(text)) continue;
      matches++;
      if (!index.mayMeet(need))
        expect.fail(`${source} matches ${JSON.stringify(text)}, but needs ${JSON.stringify(need)}`);
    }
  }
  expect(matches).toBeGreaterThan(1_000);
}, 120_000);

/** The expression in JavaScript's syntax, where flags stand in front alone. */
function toJavaScript(source: string): RegExp | undefined {
  const [, flags = '', rest = ''] = /^(?:\(\?([is]+)\))?(.*)$/s.exec(source) ?? [];
  if (/\(\?[a-zP-]/.test(rest)) return undefined;
  try {
    return new RegExp(rest, flags);
  } catch {
    return undefined;
  }
}
