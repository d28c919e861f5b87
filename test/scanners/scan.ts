import { randomBytes } from 'node:crypto';
import type { RawFinding } from '../../src/core/finding.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RuleSource, toRulePack } from '../../src/scanners/parse-rules.ts';
import { runScanners, type ScanInput, type ScanResult } from '../../src/scanners/run-scanners.ts';
import { createMemoryTree, type Files, toScanFiles } from './memory-tree.ts';

/** A few rules of each kind; the shipped pack has tests of its own. */
export const RULES: RuleSource[] = [
  {
    name: 'test-rules.yml',
    text: `
id: test-eval
language: JavaScript
message: eval of a value
rule: { pattern: eval($A) }
fix: JSON.parse($A)
metadata:
  title: Use of eval
  cwe: [CWE-95]
  severity: high
  confidence: 0.8
  advice: Parse the value.
  languages: [JavaScript, TypeScript, Tsx]
---
id: test-exec-py
language: Python
message: exec of a value
rule: { pattern: exec($A) }
metadata: { title: Use of exec, cwe: [CWE-95], severity: high, confidence: 0.8, advice: Do not. }
---
id: test-go-exec
language: Go
message: command
rule: { pattern: { context: 'func f() { exec.Command($$$A) }', selector: call_expression } }
metadata: { title: Command, cwe: [CWE-78], severity: medium, confidence: 0.5, advice: Check the arguments. }
---
id: test-java-exec
language: Java
message: command
rule: { pattern: Runtime.getRuntime().exec($A) }
metadata: { title: Command, cwe: [CWE-78], severity: medium, confidence: 0.5, advice: Check the arguments. }
---
id: test-workflow-expression
language: Yaml
message: expression in a script
rule: { kind: block_scalar, regex: 'github\\.event\\.issue\\.title' }
metadata:
  title: Expression in a script
  cwe: [CWE-94]
  severity: high
  confidence: 0.9
  advice: Hand it over in the environment.
  paths: ['.github/workflows/*.{yml,yaml}']
---
id: test-docker-curl
language: dockerfile
message: download run by a shell
rule: { instruction: RUN, matches: 'curl[^|]*\\|\\s*sh' }
metadata: { title: Download run, cwe: [CWE-494], severity: high, confidence: 0.8, advice: Check a digest. }
`,
  },
];

const LIMITS = { memoryMb: 2048, cpus: 2, timeoutMs: 120_000 };

/** Scans files in memory with the test rules. */
export function scan(sandbox: Sandbox, files: Files, changes: Partial<ScanInput> = {}): Promise<ScanResult> {
  return runScanners({
    files: toScanFiles(files),
    tree: createMemoryTree(files),
    history: null,
    sandbox,
    rulePack: toRulePack(RULES),
    disabledScanners: [],
    limits: LIMITS,
    purpose: 'scan',
    random: () => randomBytes(8).toString('hex'),
    signal: new AbortController().signal,
    ...changes,
  });
}

/** `tool rule path:line` of each finding, sorted. */
export const toLines = (findings: readonly RawFinding[]): string[] =>
  findings.map(({ tool, ruleId, path, startLine }) => `${tool} ${ruleId} ${path}:${startLine}`).sort();

export const statusOf = (result: ScanResult, name: string): string => {
  const run = result.runs.find(entry => entry.name === name);
  return run === undefined ? 'absent' : `${run.status}${run.message === undefined ? '' : `: ${run.message}`}`;
};
