import { z } from 'zod';
import type { StepResult } from '../sandbox/sandbox.ts';
import { languageCanary } from './canary.ts';
import { pythonRule } from './data/python-rules.ts';
import type { ParsedScan, ScanContext, Scanner, ScanPlan, ToolFinding } from './scanner.ts';
import { FOLDER, failedScan, inJob, toJobPath } from './scanner.ts';
import { readReport, shorten, stepFailure } from './step-failure.ts';

const Position = z.object({ row: z.number().int(), column: z.number().int() });
const Diagnostics = z.array(
  z.object({
    code: z.string().nullable(),
    name: z.string().nullish(),
    message: z.string(),
    filename: z.string(),
    location: Position,
    end_location: Position,
  }),
);
type Diagnostic = z.infer<typeof Diagnostics>[number];

/**
 * With the usual stack of 2 MB an expression nested 3,000 deep ends the whole run. One thread: a second one costs more in
 * gVisor than it saves, and the other scanners have work for the processor.
 */
const ENVIRONMENT = { RUST_MIN_STACK: String(256 * 1024 * 1024), RAYON_NUM_THREADS: '1' };

export const ruff: Scanner = {
  name: 'ruff',
  languages: ['python'],
  lineStyle: 'python',
  columns: 'utf16',
  plan: planRuff,
  parse: parseRuff,
};

function planRuff(context: ScanContext): ScanPlan {
  if (!context.languages.has('python')) return { steps: [], canaries: [], files: [] };
  const argv = [
    '/opt/tools/bin/ruff',
    'check',
    '--isolated',
    '--no-cache',
    '--ignore-noqa',
    '--no-respect-gitignore',
    '--config',
    'exclude=[]',
    '--select',
    'S',
    '--output-format',
    'json',
    '--exit-zero',
    // Names each file that it reads on stderr, the only proof of coverage that ruff gives.
    '--verbose',
    inJob(`${FOLDER.shared}/python`),
    inJob(`${FOLDER.plain}/python`),
  ];
  return {
    steps: [{ name: 'ruff', argv, env: ENVIRONMENT }],
    canaries: [languageCanary(context, 'python')],
    files: [],
  };
}

function parseRuff(results: ReadonlyMap<string, StepResult>): ParsedScan {
  const result = results.get('ruff');
  const failure = stepFailure(result, [0]);
  if (result === undefined || failure !== undefined) return failedScan(failure ?? 'no result');
  const report = readReport(Diagnostics, result.stdout);
  if ('failure' in report) return failedScan(report.failure);
  const { examined, partial } = readLog(result.stderr.toString('utf8'));
  const findings: ToolFinding[] = [];
  for (const diagnostic of report.value) {
    if (/^S\d+$/.test(diagnostic.code ?? '')) findings.push(toFinding(diagnostic));
    // A syntax error drops every other diagnostic of its file.
    else
      partial.set(
        toJobPath(diagnostic.filename),
        `syntax error on line ${diagnostic.location.row}: ${shorten(diagnostic.message)}`,
      );
  }
  for (const path of partial.keys()) examined.delete(path);
  return { findings, examined, partial };
}

function readLog(log: string): { examined: Set<string>; partial: Map<string, string> } {
  const examined = new Set<string>();
  const partial = new Map<string, string>();
  for (const line of log.split('\n')) {
    const checked = /\]\[DEBUG\] Checking: (.+)$/.exec(line);
    if (checked?.[1] !== undefined) examined.add(toJobPath(checked[1]));
    const failed = /^(?:warning|error): Failed to lint (.+?): (.+)$/.exec(line);
    if (failed?.[1] !== undefined)
      partial.set(toJobPath(failed[1].replace(/^(?:\.\.\/)+/, '')), shorten(failed[2] ?? ''));
  }
  return { examined, partial };
}

function toFinding(diagnostic: Diagnostic): ToolFinding {
  const code = diagnostic.code ?? '';
  const rule = pythonRule(code);
  return {
    ruleId: code,
    title: rule.title,
    message: diagnostic.message,
    severity: /seems safe/.test(diagnostic.message) ? 'low' : rule.severity,
    confidence: rule.confidence,
    cwe: rule.cwe,
    ...(rule.help === undefined ? {} : { help: rule.help }),
    jobPath: toJobPath(diagnostic.filename),
    startLine: diagnostic.location.row,
    endLine: diagnostic.end_location.row,
    startColumn: diagnostic.location.column,
    endColumn: diagnostic.end_location.column,
  };
}
