import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import type { PackRule, RulePack } from '../../src/scanners/rule-pack.ts';
import { readRuleFiles } from '../../src/scanners/shipped-pack.ts';
import { listTestFiles, RULES_FOLDER, readTests, toCases } from './rule-cases.ts';

const PREFIX_OF: Readonly<Record<string, string>> = {
  javascript: 'js-',
  python: 'py-',
  go: 'go-',
  java: 'java-',
  workflows: 'gha-',
  dockerfile: 'docker-',
};

let pack: RulePack;
beforeAll(async () => {
  pack = toRulePack(readRuleFiles(RULES_FOLDER));
});

test('every rule loads', () => {
  expect([...pack.quarantined]).toEqual([]);
  expect(pack.rules.length).toBeGreaterThan(60);
});

test('every kind of file has rules of its own', () => {
  const counts = Object.values(PREFIX_OF).map(prefix => pack.rules.filter(rule => rule.id.startsWith(prefix)).length);
  expect(Math.min(...counts)).toBeGreaterThan(9);
});

test('an id tells the folder', () => {
  const misplaced = pack.rules.filter(rule => !rule.id.startsWith(PREFIX_OF[dirname(rule.place)] ?? '-'));
  expect(misplaced.map(rule => `${rule.id} in ${rule.place}`)).toEqual([]);
});

test.each<[string, (rule: PackRule) => boolean]>([
  ['a title without a full stop', ({ metadata }) => /^[A-Z][^.]*$/.test(metadata.title)],
  ['a message of whole sentences', ({ message }) => /^[A-Z].*\.$/s.test(message) && message.length <= 220],
  [
    'advice of whole sentences',
    ({ metadata }) => /^[A-Z].*\.$/s.test(metadata.advice) && metadata.advice.length <= 220,
  ],
  [
    'a confidence that nobody can mistake for certainty',
    ({ metadata }) => metadata.confidence >= 0.3 && metadata.confidence <= 0.95,
  ],
  [
    'critical only where a request runs code of its own',
    ({ id, metadata }) =>
      metadata.severity !== 'critical' ||
      (/-request-data$/.test(id) && /^CWE-(?:78|95|502)$/.test(metadata.cwe[0] ?? '')),
  ],
])('every rule has %s', (_, isRight) => {
  expect(pack.rules.filter(rule => !isRight(rule)).map(rule => rule.id)).toEqual([]);
});

describe('tests of the rules', () => {
  test('stand beside their rule, under its id', () => {
    const places = new Map(pack.rules.map(rule => [rule.id, join(RULES_FOLDER, dirname(rule.place), 'tests')]));
    for (const path of listTestFiles()) {
      const { id } = readTests(path);
      expect(basename(path)).toBe(`${id}.yml`);
      expect(dirname(path), `the rule ${id}`).toBe(places.get(id));
    }
    expect(listTestFiles()).toHaveLength(pack.rules.length);
  });

  test('mark every line with a hit', () => {
    const byId = new Map(listTestFiles().map(path => [basename(path, '.yml'), readTests(path)]));
    for (const rule of pack.rules) {
      const tests = byId.get(rule.id);
      expect(tests === undefined ? [] : toCases(rule, tests, () => 0), rule.id).not.toHaveLength(0);
    }
  });
});
