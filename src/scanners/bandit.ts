import { z } from 'zod';
import type { StepResult } from '../sandbox/sandbox.ts';
import { languageCanary } from './canary.ts';
import { pythonRule } from './data/python-rules.ts';
import type { ParsedScan, ScanContext, Scanner, ScanPlan, ToolFinding } from './scanner.ts';
import { FOLDER, failedScan, inJob, toJobPath } from './scanner.ts';
import { readReport, shorten, stepFailure } from './step-failure.ts';

const Level = z.enum(['UNDEFINED', 'LOW', 'MEDIUM', 'HIGH']);
const Report = z.object({
  errors: z.array(z.object({ filename: z.string(), reason: z.string() })),
  /** One entry a file read, and `_totals`. */
  metrics: z.record(z.string(), z.unknown()),
  results: z.array(
    z.object({
      filename: z.string(),
      test_id: z.string(),
      issue_text: z.string(),
      issue_severity: Level,
      issue_confidence: Level,
      issue_cwe: z.object({ id: z.number().optional() }).optional(),
      line_number: z.number().int(),
      line_range: z.array(z.number().int()),
      col_offset: z.number().int(),
      end_col_offset: z.number().int().optional(),
    }),
  ),
});
type Result = z.infer<typeof Report>['results'][number];

const CONFIDENCE = { UNDEFINED: 0.3, LOW: 0.3, MEDIUM: 0.6, HIGH: 1 } as const;
const INI = `${FOLDER.config}/bandit.ini`;

export const bandit: Scanner = {
  name: 'bandit',
  languages: ['python'],
  lineStyle: 'python',
  columns: 'byte',
  plan: planBandit,
  parse: parseBandit,
};

function planBandit(context: ScanContext): ScanPlan {
  if (!context.languages.has('python')) return { steps: [], canaries: [], files: [] };
  const argv = [
    '/usr/bin/python3',
    '-I',
    '-S',
    '-B',
    '/opt/bandit/run.py',
    '-r',
    inJob(`${FOLDER.shared}/python`),
    inJob(`${FOLDER.plain}/python`),
    // Without an --ini of ours bandit obeys any `.bandit` under its targets.
    '--ini',
    inJob(INI),
    '-x',
    '',
    '--ignore-nosec',
    '-f',
    'json',
    '-q',
    '--exit-zero',
  ];
  return {
    steps: [{ name: 'bandit', argv }],
    canaries: [languageCanary(context, 'python')],
    files: [{ path: INI, content: Buffer.from('[bandit]\n') }],
  };
}

function parseBandit(results: ReadonlyMap<string, StepResult>): ParsedScan {
  const result = results.get('bandit');
  const failure = stepFailure(result, [0]);
  if (result === undefined || failure !== undefined) return failedScan(failure ?? 'no result');
  const report = readReport(Report, result.stdout);
  if ('failure' in report) return failedScan(report.failure);
  const partial = new Map<string, string>();
  for (const error of report.value.errors) partial.set(toJobPath(error.filename), shorten(error.reason));
  const examined = new Set(
    Object.keys(report.value.metrics)
      .filter(file => file !== '_totals')
      .map(toJobPath),
  );
  for (const path of partial.keys()) examined.delete(path);
  return { findings: report.value.results.map(toFinding), examined, partial };
}

function toFinding(result: Result): ToolFinding {
  const rule = pythonRule(result.test_id);
  const cwe = rule.cwe.length === 0 && result.issue_cwe?.id !== undefined ? [`CWE-${result.issue_cwe.id}`] : rule.cwe;
  // bandit calls shell commands without a variable part LOW; all else is as in the table that ruff shares.
  const harmless = ['B602', 'B605'].includes(result.test_id) && result.issue_severity === 'LOW';
  return {
    ruleId: result.test_id,
    title: rule.title,
    message: result.issue_text,
    severity: harmless ? 'low' : rule.severity,
    confidence: Math.min(rule.confidence, CONFIDENCE[result.issue_confidence]),
    cwe,
    ...(rule.help === undefined ? {} : { help: rule.help }),
    jobPath: toJobPath(result.filename),
    startLine: Math.min(result.line_number, ...result.line_range),
    endLine: Math.max(result.line_number, ...result.line_range),
    ...columnsOf(result),
  };
}

/** bandit's end column belongs to the node's last line, which line_range gives only for a finding of one line. */
function columnsOf(result: Result): { startColumn?: number; endColumn?: number } {
  const oneLine = result.line_range.every(line => line === result.line_number);
  if (!oneLine || result.end_col_offset === undefined || result.end_col_offset <= result.col_offset) return {};
  return { startColumn: result.col_offset + 1, endColumn: result.end_col_offset + 1 };
}
