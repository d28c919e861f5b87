import { describe, expect, test } from 'vitest';
import type { Language } from '../../src/scanners/languages.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import { createRuleChoice } from '../../src/scanners/rule-choice.ts';
import { createNeedReader } from '../../src/scanners/rule-needs.ts';
import { readRuleFiles } from '../../src/scanners/shipped-pack.ts';
import { listTestFiles, RULES_FOLDER, readTests, toCases } from '../rules/rule-cases.ts';

const pack = toRulePack(readRuleFiles(RULES_FOLDER));

const chosenFor = (languages: readonly Language[], texts: readonly (readonly [Language, string])[], of = pack) => {
  const choice = createRuleChoice(of, languages);
  for (const [language, text] of texts) choice.see(language, Buffer.from(text));
  return choice.chosen();
};

test('every rule is chosen for each of its own tests that it must hit', () => {
  const tests = new Map(
    listTestFiles()
      .map(readTests)
      .map(entry => [entry.id, entry]),
  );
  const lost: string[] = [];
  let count = 0;
  for (const rule of pack.rules.filter(rule => rule.engine.length > 0)) {
    const only = { ...pack, rules: [rule] };
    for (const language of rule.languages) {
      const entry = tests.get(rule.id);
      if (entry === undefined) continue;
      for (const { code, lines } of toCases({ ...rule, languages: [language] }, entry, () => 0)) {
        if (lines.length === 0) continue;
        count++;
        const chosen = chosenFor([language], [[language, code]], only);
        if (chosen[0]?.languages[0] !== language) lost.push(`${rule.id} in ${language}: ${code}`);
      }
    }
  }
  expect(lost).toEqual([]);
  expect(count).toBeGreaterThan(500);
});

test('few rules are chosen for code that says nothing of what they look for', () => {
  const chosen = chosenFor(
    ['python', 'go'],
    [
      ['python', 'def add(a, b):\n    return a + b\n'],
      ['go', 'package main\n'],
    ],
  );
  expect(chosen.map(rule => rule.id)).toEqual([]);
});

test('a rule stays in those of its languages alone whose files may fit', () => {
  const chosen = chosenFor(
    ['javascript', 'typescript'],
    [
      ['javascript', 'const a = crypto.createHash("md5")'],
      ['typescript', 'let a = 1'],
    ],
  );
  const rule = chosen.find(({ id }) => id === 'js-weak-hash');
  expect(rule?.languages).toEqual(['javascript']);
  expect(rule?.engine).toEqual([expect.objectContaining({ language: 'JavaScript' })]);
});

test('the scripts of a page count for the languages that scripts are written in', () => {
  const chosen = chosenFor(['html', 'typescript'], [['html', '<script lang="ts">crypto.createHash("md5")</script>']]);
  expect(chosen.find(({ id }) => id === 'js-weak-hash')?.languages).toEqual(['typescript']);
});

test('what one file has and another one needs is not put together', () => {
  const text =
    'language: Python\nmessage: m\nmetadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: Do. }';
  const own = toRulePack([
    {
      name: 'a.yml',
      isShipped: true,
      text: `id: a\n${text}\nrule: { kind: call, regex: 'alpha', has: { regex: 'beta' } }`,
    },
  ]);
  expect(
    chosenFor(
      ['python'],
      [
        ['python', 'alpha()'],
        ['python', 'beta()'],
      ],
      own,
    ),
  ).toEqual([]);
  expect(chosenFor(['python'], [['python', 'alpha(beta)']], own)).toHaveLength(1);
});

test('a rule of the repository is always chosen', () => {
  const own = toRulePack([
    {
      name: 'own.yml',
      text: 'id: own\nlanguage: Python\nmessage: m\nrule: { kind: call, regex: never_there }\nmetadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: Do. }',
    },
  ]);
  expect(chosenFor(['python'], [['python', 'pass']], own).map(rule => rule.id)).toEqual(['own']);
});

describe('what a rule needs', () => {
  const need = (rule: object, utils: Record<string, object> = {}): unknown => createNeedReader()({ rule, utils });
  const word = (text: string): object => ({ words: [text] });

  test('is what each of its parts and relations needs', () => {
    const rule = {
      kind: 'call',
      regex: 'outer',
      has: { stopBy: { regex: 'stop' }, inside: { regex: 'inner' } },
      all: [{ regex: 'third' }],
    };
    expect(need(rule)).toEqual({ all: [word('outer'), word('inner'), word('third')] });
  });

  test.each([
    ['what must not be there', { not: { regex: 'absent' } }],
    ['a place among others', { nthChild: { position: 1, ofRule: { regex: 'sibling' } } }],
    ['a kind', { kind: 'call' }],
    ['one branch of which nothing is known', { any: [{ regex: 'known' }, { kind: 'call' }] }],
    ['a utility that is not there', { matches: 'absent' }],
    ['a call of a utility with arguments', { matches: { other: { A: { regex: 'given' } } } }],
    ['a pattern with a context', { pattern: { context: 'func f() { exec.Command() }', selector: 'call_expression' } }],
    ['a pattern with a comment', { pattern: 'token /* words */' }],
    ['a key that the engine may learn', { sometime: { regex: 'later' } }],
  ])('is nothing for %s', (_, rule) => expect(need(rule)).toBeNull());

  test('is in the names of a pattern, not in its metavariables', () => {
    expect(need({ pattern: '$OBJECT.postMessage($$$ARGUMENTS)' })).toEqual(word('postmessage'));
  });

  test('follows utilities, one that names itself too', () => {
    expect(need({ matches: 'a' }, { a: { any: [{ regex: 'one' }, { matches: 'b' }] }, b: { regex: 'two' } })).toEqual({
      any: [word('one'), word('two')],
    });
    expect(
      need({ matches: 'a' }, { a: { regex: 'deep', has: { any: [{ regex: 'leaf' }, { matches: 'a' }] } } }),
    ).toEqual(word('deep'));
  });

  test('is another one where the same utility names what another rule defines in its own way', () => {
    const reader = createNeedReader();
    const shared = { matches: 'open' };
    const of = (regex: string): unknown => reader({ rule: { matches: 'shared' }, utils: { shared, open: { regex } } });
    expect(of('first')).toEqual(word('first'));
    expect(of('second')).toEqual(word('second'));
    expect(of('first')).toEqual(word('first'));
  });
});
