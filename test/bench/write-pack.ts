// Writes the rule pack as ast-grep itself reads it, one folder for all languages: what the engine alone is timed with.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderForEngine } from '../../src/scanners/engine-rules.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import { readRuleFiles } from '../../src/scanners/shipped-pack.ts';

const [rules, folder] = process.argv.slice(2);
if (rules === undefined || folder === undefined) throw new Error('usage: write-pack.ts RULES FOLDER');
const pack = toRulePack(readRuleFiles(rules));
const { rules: text, utilities } = renderForEngine(pack.rules, [
  'javascript',
  'typescript',
  'tsx',
  'python',
  'go',
  'yaml',
]);
for (const name of ['rules', 'utilities']) mkdirSync(join(folder, name), { recursive: true });
writeFileSync(join(folder, 'rules', 'rules.yml'), text);
for (const [index, utility] of utilities.entries()) writeFileSync(join(folder, 'utilities', `${index}.yml`), utility);
writeFileSync(join(folder, 'sgconfig.yml'), 'ruleDirs: [rules]\nutilDirs: [utilities]\n');
