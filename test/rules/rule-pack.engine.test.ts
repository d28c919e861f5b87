import { basename } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RawFinding } from '../../src/core/finding.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RuleSource, toRulePack } from '../../src/scanners/parse-rules.ts';
import type { ScanResult } from '../../src/scanners/run-scanners.ts';
import { readRuleFiles } from '../../src/scanners/shipped-pack.ts';
import { openSandbox } from '../sandbox/real-sandbox.ts';
import type { Files } from '../scanners/memory-tree.ts';
import { scan, statusOf } from '../scanners/scan.ts';
import { listTestFiles, RULES_FOLDER, type RuleCase, readTests, toCases } from './rule-cases.ts';

const OTHERS = ['bandit', 'eslint', 'gitleaks', 'gosec', 'ruff'];

let sandbox: Sandbox;
let sources: RuleSource[];
beforeAll(async () => {
  sandbox = await openSandbox();
  sources = readRuleFiles(RULES_FOLDER);
});
afterAll(() => sandbox.close());

const scanWith = (files: Files, ...more: RuleSource[]): Promise<ScanResult> =>
  scan(sandbox, files, { rulePack: toRulePack([...sources, ...more]), disabledScanners: OTHERS });

function linesOf(findings: readonly RawFinding[], { path, ruleId }: RuleCase): number[] {
  const lines = findings.filter(finding => finding.path === path && finding.ruleId === ruleId);
  return [...new Set(lines.map(finding => finding.startLine))].sort((a, b) => a - b);
}

test('every rule hits the lines marked in its tests, and no line of the valid snippets', async () => {
  const tests = new Map(listTestFiles().map(path => [basename(path, '.yml'), readTests(path)]));
  let count = 0;
  const next = (): number => ++count;
  const cases = toRulePack(sources).rules.flatMap(rule => {
    const own = tests.get(rule.id);
    return own === undefined ? [] : toCases(rule, own, next);
  });
  const result = await scanWith(Object.fromEntries(cases.map(({ path, code }) => [path, code])));

  expect(statusOf(result, 'ast-grep')).toBe('ok');
  expect(result.notices).toEqual([]);
  expect(result.sandboxRuns).toHaveLength(1);
  const wrong = cases.filter(one => linesOf(result.findings, one).join() !== one.lines.join());
  const report = wrong.map(one => `${one.ruleId}: ${linesOf(result.findings, one).join() || 'none'} in\n${one.code}`);
  expect(report).toEqual([]);
  expect(cases.filter(one => one.lines.length > 0).length).toBeGreaterThan(300);
});

test('a bad rule is set aside with the reason, and the whole pack still works', async () => {
  const metadata = 'metadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: A. }';
  const text = `id: own-rule\nlanguage: Python\nmessage: m\nrule: { kind: no_such_kind }\n${metadata}\n`;
  const files = {
    'a.py': 'def a():\n    os.system("ping " + request.args["host"])\n',
    'b.js': "app.get('/b', (req, res) => { eval(req.query.code); });\n",
    Dockerfile: 'FROM debian:12\nRUN curl https://example.com/a.sh | sh\nUSER app\n',
  };
  const result = await scanWith(files, { name: 'own.yml', text });

  expect(statusOf(result, 'ast-grep')).toBe('ok');
  expect(result.notices).toEqual([expect.stringMatching(/^rule set aside: own-rule \(own\.yml\): .*no_such_kind/)]);
  expect(result.findings.map(({ ruleId, path, startLine }) => `${ruleId} ${path}:${startLine}`).sort()).toEqual([
    'docker-download-run Dockerfile:2',
    'js-eval-request-data b.js:1',
    'py-command-request-data a.py:2',
  ]);
});

test('rules may use the utilities that the pack shares', async () => {
  const metadata = 'metadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: A. }';
  const rule = 'rule: { kind: call_expression, has: { field: arguments, has: { matches: js-carries-1 } } }';
  const text = `id: own-sink\nlanguage: JavaScript\nmessage: m\n${rule}\n${metadata}\n`;
  const files = { 'a.js': 'function a(req) {\n  const name = req.query.name;\n  own(name);\n  own(other);\n}\n' };
  const result = await scanWith(files, { name: 'own.yml', text });
  expect(result.findings.map(({ ruleId, startLine }) => [ruleId, startLine])).toEqual([['own-sink', 3]]);
});

test('large generated files and code made to be slow are read in time', async () => {
  // Every variable is made of others, in a function with a sink on each line.
  const names = Array.from({ length: 120 }, (_, index) => `v${index}`);
  const parts = names.map((name, at) => [name, names[(at + 1) % names.length], names[(at + 7) % names.length]]);
  const python = parts.map(([name, one, other]) => `    ${name} = f"{${one}}{${other}}"\n    eval(${name})`);
  const javascript = parts.map(([name, one, other]) => `  ${name} = ${one} + ${other};\n  eval(${name});`);
  // Few variables that are each assigned many times: 64 lines took minutes before the rules bounded the function.
  const again = Array.from(
    { length: 64 },
    (_, at) => `${'abcd'[at % 4]} = ${'bcda'[at % 4]} + ${'cdab'[at % 4]} + ${'dabc'[at % 4]}`,
  );
  const packages = Array.from(
    { length: 10_000 },
    (_, at) => `  /package-${at}@1.0.${at}:\n    resolution: {integrity: x}\n`,
  );
  const files = {
    'slow.py': `def a():\n    print(request.args)\n${python.join('\n')}\n`,
    'slow.js': `function a(req) {\n  log(req.query.a);\n${javascript.join('\n')}\n}\n`,
    'again.py': `def a():\n    print(request.args)\n${again.map(line => `    ${line}\n`).join('')}    os.system("ls " + a)\n`,
    'again.go': `package p\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tlog(r.FormValue("a"))\n${again.map(line => `\t${line}\n`).join('')}\texec.Command("sh", "-c", a).Run()\n}\n`,
    'lock.yaml': `lockfileVersion: 9\npackages:\n${packages.join('')}`,
    // A sum this long is a tree as deep.
    'deep.js': `eval(${Array.from({ length: 20_000 }, (_, at) => `"${at}"`).join(' + ')} + req.query.a);\n`,
    'bundle.js': `!function(e){${'var t=new RegExp(e);e.query(t+"");setTimeout(e,1);'.repeat(5_000)}}(0);\n`,
  };
  const result = await scanWith(files);
  expect(statusOf(result, 'ast-grep')).toBe('ok');
  expect(result.findings.filter(({ path }) => path === 'deep.js').map(({ ruleId }) => ruleId)).toEqual([
    'js-eval-request-data',
  ]);
  const duration = result.runs.find(run => run.name === 'ast-grep')?.durationMs ?? Number.POSITIVE_INFINITY;
  expect(duration).toBeLessThan(20_000);
});
