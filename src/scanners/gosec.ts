import { z } from 'zod';
import type { Severity } from '../core/finding.ts';
import type { StepResult } from '../sandbox/sandbox.ts';
import { gosecRule } from './data/gosec-rules.ts';
import type { GoLayout } from './go-layout.ts';
import type { ParsedScan, ScanContext, Scanner, ScanPlan, ToolFinding } from './scanner.ts';
import { FOLDER, failedScan, inJob, toJobPath } from './scanner.ts';
import { readReport, shorten, stepFailure } from './step-failure.ts';

const Level = z.enum(['LOW', 'MEDIUM', 'HIGH']);
const Report = z.object({
  'Golang errors': z.record(z.string(), z.array(z.object({ line: z.number(), error: z.string() }))),
  Issues: z.array(
    z.object({
      severity: Level,
      confidence: Level,
      cwe: z.object({ id: z.string() }).nullish(),
      rule_id: z.string(),
      details: z.string(),
      file: z.string(),
      /** `7`, or `5-7` */
      line: z.string(),
      column: z.string(),
    }),
  ),
  Files: z.array(z.string()).nullable(),
});
type Issue = z.infer<typeof Report>['Issues'][number];

const SEVERITY: Readonly<Record<z.infer<typeof Level>, Severity>> = { LOW: 'low', MEDIUM: 'medium', HIGH: 'high' };
const CONFIDENCE = { LOW: 0.3, MEDIUM: 0.5, HIGH: 0.8 } as const;

/** Where the image keeps the types of the standard library: with it gosec needs no Go tool, no cache and no network. */
const STANDARD_LIBRARY = '/opt/gocache/exports.tsv';

/** Collections cost gosec a third of its time where it needs little memory; the limit brings them back where it needs much. */
const ENVIRONMENT = { GOGC: '400', GOMEMLIMIT: '512MiB' };

/** gosec over the packages of a layout; without one it is not started. */
export function createGosec(layout: GoLayout | undefined): Scanner {
  return {
    name: 'gosec',
    languages: [],
    lineStyle: 'git',
    columns: 'byte',
    plan: context => planGosec(context, layout),
    parse: results => parseGosec(results, layout),
  };
}

function planGosec(context: ScanContext, layout: GoLayout | undefined): ScanPlan {
  if (layout === undefined) return { steps: [], canaries: [], files: [] };
  const options = ['-std', STANDARD_LIBRARY, '-nosec', '-tests', '-no-fail', '-concurrency', '2'];
  const argv = ['/opt/tools/bin/gosec', ...options, ...layout.folders.map(inJob)];
  const content = 'package canary\n\nimport "os"\n\nfunc canary() error { return os.Chmod("canary", 0o777) }\n';
  return {
    steps: [{ name: 'gosec', argv, env: ENVIRONMENT }],
    canaries: [{ path: `${FOLDER.go}/r/${context.canaryFolder}/canary.go`, content }],
    files: [],
  };
}

function parseGosec(results: ReadonlyMap<string, StepResult>, layout: GoLayout | undefined): ParsedScan {
  const result = results.get('gosec');
  const failure = stepFailure(result, [0]);
  if (result === undefined || failure !== undefined) return failedScan(failure ?? 'no result');
  const report = readReport(Report, result.stdout);
  if ('failure' in report) return failedScan(report.failure);
  const examined = new Set((report.value.Files ?? []).map(toJobPath));
  const partial = new Map<string, string>();
  const unresolved = new Set<string>();
  for (const [place, errors] of Object.entries(report.value['Golang errors'])) {
    for (const { error } of errors) unresolved.add(/^could not import (\S+)/.exec(error)?.[1] ?? '');
    const fault = errors.find(({ error }) => !error.startsWith('could not import '));
    if (fault === undefined) continue;
    const reason = shorten(fault.line > 0 ? `line ${fault.line}: ${fault.error}` : fault.error);
    for (const path of filesAt(toJobPath(place), layout)) partial.set(path, reason);
  }
  for (const [path, origin] of layout?.origins ?? [])
    if (origin.limited !== undefined) partial.set(path, origin.limited);
  unresolved.delete('');
  return { findings: report.value.Issues.map(toFinding), examined, partial, notices: toNotices(unresolved) };
}

function toNotices(unresolved: ReadonlySet<string>): string[] {
  if (unresolved.size === 0) return [];
  const shown = [...unresolved].sort().slice(0, 5).join(', ');
  const more = unresolved.size > 5 ? ` and ${unresolved.size - 5} more` : '';
  return [
    `gosec: packages that are not in the repository (${shown}${more}); its data-flow rules did not run where they are imported`,
  ];
}

/** An error names a file, a folder or a package; the latter two count for all files in it. */
function filesAt(place: string, layout: GoLayout | undefined): string[] {
  const paths = [...(layout?.origins.keys() ?? [])];
  if (place.endsWith('.go')) return paths.filter(path => path === place);
  return paths.filter(
    path =>
      path.slice(0, path.lastIndexOf('/')) === place || path.slice(0, path.lastIndexOf('/')).endsWith(`/${place}`),
  );
}

function toFinding(issue: Issue): ToolFinding {
  const [first = '1', last = first] = issue.line.split('-');
  const facts = gosecRule(issue.rule_id);
  const column = Number(issue.column);
  return {
    ruleId: issue.rule_id,
    title: facts.title,
    message: issue.details,
    severity: facts.severity ?? SEVERITY[issue.severity],
    confidence: facts.confidence ?? CONFIDENCE[issue.confidence],
    cwe: issue.cwe?.id === undefined || issue.cwe.id === '' ? [] : [`CWE-${issue.cwe.id}`],
    ...(facts.help === undefined ? {} : { help: facts.help }),
    jobPath: toJobPath(issue.file),
    startLine: Number(first) || 1,
    endLine: Number(last) || Number(first) || 1,
    ...(Number.isInteger(column) && column > 0 ? { startColumn: column } : {}),
  };
}
