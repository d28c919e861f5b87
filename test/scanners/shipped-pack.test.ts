import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderForEngine } from '../../src/scanners/engine-rules.ts';
import type { Need } from '../../src/scanners/needed-text.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import type { RulePack } from '../../src/scanners/rule-pack.ts';
import { compilePack, readRuleFiles, readShippedPack } from '../../src/scanners/shipped-pack.ts';
import { RULES_FOLDER } from '../rules/rule-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'shipped-pack-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'rules.json');
const OWN = `id: own
language: Python
message: m
rule: { matches: python-command-sink }
metadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: Do. }
`;

let compiled: string;
beforeAll(async () => {
  compiled = JSON.stringify(await compilePack(readRuleFiles(RULES_FOLDER)));
  writeFileSync(path, compiled);
});

function show({ rules, quarantined, utilities }: RulePack) {
  const shown = rules.map(({ need, ...rule }) => ({ ...rule, need: need === undefined ? 'absent' : digest(need) }));
  return { rules: shown, quarantined: [...quarantined], utilities: [...utilities] };
}

/** Parts of needs are shared: written out they would fill gigabytes. */
const digests = new Map<Need, string>([[null, 'unknown']]);
function digest(need: Need): string {
  const known = digests.get(need);
  if (known !== undefined || need === null) return known ?? '';
  const parts = 'words' in need ? need : 'all' in need ? ['all', need.all.map(digest)] : ['any', need.any.map(digest)];
  const made = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  digests.set(need, made);
  return made;
}

/** With its rules changed, so that whoever reads it is found out. */
const marked = (): string => compiled.replace(/"rules":\[/, '"rules":[{"id":"a-mark"},');
const isMarked = (pack: RulePack): boolean => pack.rules.some(({ id }) => id === 'a-mark');

test('a compiled pack is the pack, as the engine takes it too', async () => {
  const fromYaml = toRulePack(readRuleFiles(RULES_FOLDER));
  const fromJson = await readShippedPack(RULES_FOLDER, path);
  expect(show(fromJson)).toEqual(show(fromYaml));
  expect(renderForEngine(fromJson.rules)).toEqual(renderForEngine(fromYaml.rules));
  expect(fromJson.rules.filter(rule => rule.need).length).toBeGreaterThan(50);
});

test('rules of a repository are added to it as to a pack from YAML', async () => {
  const own = [{ name: 'own.yml', text: OWN }];
  const [fromYaml, fromJson] = [toRulePack(readRuleFiles(RULES_FOLDER)), await readShippedPack(RULES_FOLDER, path)];
  const added = toRulePack(own, fromJson);
  expect(show(added)).toEqual(show(toRulePack(own, fromYaml)));
  expect(added.rules.find(({ id }) => id === 'own')).not.toHaveProperty('need');
});

test('it is taken where the rule files are those that it was made of, and only there', async () => {
  writeFileSync(path, marked());
  expect(isMarked(await readShippedPack(RULES_FOLDER, path))).toBe(true);
  for (const change of ['edited', 'added'] as const) {
    const rules = join(folder, change);
    cpSync(RULES_FOLDER, rules, { recursive: true });
    const [first] = readRuleFiles(rules);
    if (change === 'edited') writeFileSync(join(rules, first?.name ?? ''), `${first?.text}# a comment\n`);
    else writeFileSync(join(rules, 'python', 'own.yml'), OWN);
    const pack = await readShippedPack(rules, path);
    expect(isMarked(pack), change).toBe(false);
    expect(pack.rules.some(({ id }) => id === 'own')).toBe(change === 'added');
  }
});

test.each(['', '{"rules":[', '{}'])('a compiled pack that says %j is as none', async text => {
  const broken = join(folder, 'broken.json');
  writeFileSync(broken, text);
  const fromYaml = show(toRulePack(readRuleFiles(RULES_FOLDER)));
  expect(show(await readShippedPack(RULES_FOLDER, broken))).toEqual(fromYaml);
  expect(show(await readShippedPack(RULES_FOLDER, join(folder, 'absent.json')))).toEqual(fromYaml);
});

test('a pack with a fault is not compiled: the build says what is wrong', async () => {
  await expect(compilePack([{ name: 'bad.yml', text: 'a: [1', isShipped: true }])).rejects.toThrow(/^bad\.yml: /);
});
