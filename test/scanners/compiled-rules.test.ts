import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compileRules, withCompiledRules } from '../../src/scanners/compiled-rules.ts';
import { readRuleFiles, toRulePack } from '../../src/scanners/rule-pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'compiled-rules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'rules.json');
const rules = new URL('../../rules', import.meta.url).pathname;

test('a compiled pack is the pack', async () => {
  const sources = await readRuleFiles(rules);
  writeFileSync(path, JSON.stringify(compileRules(sources)));
  const compiled = await withCompiledRules(sources, path);
  expect(compiled.every(source => source.documents !== undefined)).toBe(true);
  const [fromYaml, fromJson] = [toRulePack(sources), toRulePack(compiled)];
  expect(JSON.stringify(fromJson.rules)).toBe(JSON.stringify(fromYaml.rules));
  expect(fromJson.quarantined).toEqual(fromYaml.quarantined);
});

test('a file that changed since is read from its YAML', async () => {
  writeFileSync(path, JSON.stringify(compileRules([{ name: 'a.yml', text: 'id: old' }])));
  const [same, edited] = await withCompiledRules(
    [
      { name: 'a.yml', text: 'id: old' },
      { name: 'a.yml', text: 'id: new' },
    ],
    path,
  );
  expect(same?.documents).toEqual([{ id: 'old' }]);
  expect(edited?.documents).toBeUndefined();
});

test('no compiled file, or a broken one, changes nothing', async () => {
  const sources = [{ name: 'a.yml', text: 'id: x' }];
  expect(await withCompiledRules(sources, join(folder, 'absent.json'))).toEqual(sources);
  writeFileSync(path, '{"a.yml":');
  expect(await withCompiledRules(sources, path)).toEqual(sources);
});

test('a file with an error is not compiled, so that its error shows', () => {
  expect(compileRules([{ name: 'bad.yml', text: 'a: [1' }])).toEqual({});
});
