import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { renderAlone, renderForEngine } from '../../src/scanners/engine-rules.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';

const METADATA = 'metadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: A }';
const rule = (id: string, rest = ''): string =>
  `id: ${id}\nlanguage: JavaScript\nmessage: m\nrule: { pattern: x }\n${METADATA}\n${rest}`;
const load = (...texts: string[]) => toRulePack(texts.map((text, index) => ({ name: `${index}.yml`, text })));

test('one file may hold several rules; they are sorted by id', () => {
  expect(load(`${rule('b')}---\n${rule('a')}`, rule('c')).rules.map(({ id, place }) => [id, place])).toEqual([
    ['a', '0.yml (rule 2)'],
    ['b', '0.yml'],
    ['c', '1.yml'],
  ]);
});

test.each([
  ['an unknown key', rule('a', 'bogus: 1\n'), /bogus/],
  ['files of the engine', rule('a', 'files: ["*"]\n'), /files/],
  ['an id that could be taken for another language', rule('a--b'), /id/],
  ['a language without a grammar', rule('a').replace('JavaScript', 'Cobol'), /language/],
  ['no metadata', 'id: a\nlanguage: JavaScript\nmessage: m\nrule: {}\n', /metadata/],
  ['a class in lower case', rule('a').replace('CWE-1', 'cwe-1'), /cwe/],
  ['confidence in per cent', rule('a').replace('0.5', '50'), /confidence/],
  ['broken YAML', 'id: [\n', /./],
  ['text', 'hello\n', /./],
  ['a bomb of aliases', `a: &a [${'x,'.repeat(9)}]\n${'b'.repeat(3)}: [${'*a,'.repeat(60)}]\n`, /./],
])('%s is set aside with the reason', (_, text, reason) => {
  const pack = load(text, rule('good'));
  expect(pack.rules.map(({ id }) => id)).toEqual(['good']);
  expect([...pack.quarantined]).toEqual([['0.yml', expect.stringMatching(reason)]]);
});

test('an id that is taken is set aside, the first stays', () => {
  const pack = load(rule('a'), rule('a', 'note: second\n'));
  expect(pack.rules[0]?.note).toBeUndefined();
  expect(pack.quarantined.get('1.yml')).toBe('the id a is taken by 0.yml');
});

test('the engine gets a document a language, without what is ours', () => {
  const text = rule('a').replace('advice: A', 'advice: A, languages: [JavaScript, Tsx]');
  const documents = parseAllDocuments(renderForEngine(load(text).rules).rules).map(document => document.toJS());
  expect(
    parseAllDocuments(renderForEngine(load(text).rules, ['tsx']).rules).map(document => document.toJS().id),
  ).toEqual(['a--Tsx']);
  expect(documents).toEqual([
    { id: 'a--JavaScript', language: 'JavaScript', message: 'm', rule: { pattern: 'x' }, severity: 'warning' },
    { id: 'a--Tsx', language: 'Tsx', message: 'm', rule: { pattern: 'x' }, severity: 'warning' },
  ]);
});

describe('Dockerfile rules', () => {
  const dockerfile = (body: string): string => `id: a\nlanguage: dockerfile\nmessage: m\nrule: ${body}\n${METADATA}\n`;
  test('go to our own reader', () => {
    const [found] = load(dockerfile('{ instruction: RUN, matches: curl }')).rules;
    expect(found).toMatchObject({
      engine: [],
      languages: ['dockerfile'],
      dockerfile: { instruction: 'RUN', matches: 'curl' },
    });
  });
  test.each(['{ instruction: RUM }', '{ instruction: RUN, matches: "(" }', '{ matches: x }'])(
    '%s is set aside',
    body => {
      expect(load(dockerfile(body)).quarantined.size).toBe(1);
    },
  );
});

describe('utilities', () => {
  const using = (id: string, utility: string): string =>
    rule(id, `utils: { u: { matches: v }, v: ${utility} }\n`).replace('pattern: x', 'matches: u');
  const parse = (text: string): unknown[] => parseAllDocuments(text).map(document => document.toJS());

  test('those that rules hold alike are written once, each under a name of its language', () => {
    const { rules, utilities } = renderForEngine(
      load(using('a', '{ kind: number }'), using('b', '{ kind: number }')).rules,
    );
    expect(parse(rules)).toMatchObject([
      { rule: { matches: 'u--JavaScript' } },
      { rule: { matches: 'u--JavaScript' } },
    ]);
    expect(rules).not.toContain('utils');
    expect(utilities.map(text => JSON.parse(text))).toEqual([
      { id: 'u--JavaScript', language: 'JavaScript', rule: { matches: 'v--JavaScript' } },
      { id: 'v--JavaScript', language: 'JavaScript', rule: { kind: 'number' } },
    ]);
  });

  test('a rule whose utility differs from its namesake keeps its own', () => {
    const { rules, utilities } = renderForEngine(
      load(using('a', '{ kind: number }'), using('b', '{ kind: string }')).rules,
    );
    expect(parse(rules)[1]).toMatchObject({
      rule: { matches: 'u' },
      utils: { u: { matches: 'v' }, v: { kind: 'string' } },
    });
    expect(utilities).toHaveLength(2);
  });

  test('a rule that is tried alone brings them along', () => {
    const [only] = load(using('a', '{ kind: number }')).rules;
    expect(only === undefined ? [] : parse(renderAlone(only))).toMatchObject([{ utils: { v: { kind: 'number' } } }]);
  });
});
