import { z } from 'zod';
import type { StepResult } from '../sandbox/sandbox.ts';
import { languageCanary } from './canary.ts';
import { eslintRule } from './data/eslint-rules.ts';
import type { Language } from './languages.ts';
import type { ParsedScan, ScanContext, Scanner, ScanPlan, ToolFinding } from './scanner.ts';
import { FOLDER, failedScan, inJob, toJobPath } from './scanner.ts';
import { readReport, shorten, stepFailure } from './step-failure.ts';

/** The image's program for it, which the guest has started already by then (sandbox/go/guest/lint.go). */
export const LINT = ['/usr/bin/node', '/opt/eslint/lint.mjs'];

/** What it prints: one entry a file, in any order. */
const Report = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      error: z.string().optional(),
      messages: z.array(
        z.object({
          ruleId: z.string(),
          message: z.string(),
          line: z.number().int(),
          column: z.number().int(),
          endLine: z.number().int().optional(),
          endColumn: z.number().int().optional(),
        }),
      ),
    }),
  ),
});
type Message = z.infer<typeof Report>['files'][number]['messages'][number];

const LANGUAGES: readonly Language[] = ['javascript', 'typescript', 'tsx'];

export const eslint: Scanner = {
  name: 'eslint',
  languages: LANGUAGES,
  lineStyle: 'javascript',
  columns: 'utf16',
  plan: planEslint,
  parse: parseEslint,
};

function planEslint(context: ScanContext): ScanPlan {
  const present = LANGUAGES.filter(language => context.languages.has(language));
  if (present.length === 0) return { steps: [], canaries: [], files: [] };
  const folders = present.flatMap(language => [
    inJob(`${FOLDER.shared}/${language}`),
    inJob(`${FOLDER.plain}/${language}`),
  ]);
  return {
    steps: [{ name: 'eslint', argv: [...LINT, ...folders] }],
    canaries: present.map(language => languageCanary(context, language)),
    files: [],
  };
}

function parseEslint(results: ReadonlyMap<string, StepResult>): ParsedScan {
  const result = results.get('eslint');
  const failure = stepFailure(result, [0]);
  if (result === undefined || failure !== undefined) return failedScan(failure ?? 'no result');
  const report = readReport(Report, result.stdout);
  if ('failure' in report) return failedScan(report.failure);
  const findings: ToolFinding[] = [];
  const examined = new Set<string>();
  const partial = new Map<string, string>();
  for (const entry of report.value.files) {
    const jobPath = toJobPath(entry.file);
    if (entry.error === undefined) examined.add(jobPath);
    else partial.set(jobPath, shorten(entry.error));
    for (const message of entry.messages) findings.push(toFinding(jobPath, message));
  }
  return { findings, examined, partial };
}

function toFinding(jobPath: string, message: Message): ToolFinding {
  const rule = eslintRule(message.ruleId);
  return {
    ruleId: message.ruleId,
    title: rule.title,
    message: message.message,
    severity: rule.severity,
    confidence: rule.confidence,
    cwe: rule.cwe,
    ...(rule.help === undefined ? {} : { help: rule.help }),
    jobPath,
    startLine: message.line,
    endLine: message.endLine ?? message.line,
    startColumn: message.column,
    ...(message.endColumn === undefined ? {} : { endColumn: message.endColumn }),
  };
}
