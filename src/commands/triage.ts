import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { EXIT } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import { keepHeapTight } from '../runner/tight-heap.ts';
import { parseFactsFile } from '../triage/facts-file.ts';
import { scoreFile } from '../triage/score-file.ts';
import { toTriageReport } from '../triage/triage-report.ts';
import { checkFile } from './check-file.ts';
import type { CommandContext } from './context.ts';
import { parseTriageOptions, TRIAGE_HELP, type TriageFormat, type TriageTask } from './triage-options.ts';

/** Ranks the findings of a file, or of a project in the graph; prints the result. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const options = parseTriageOptions(argv);
  if (options === null) {
    context.stdout.write(TRIAGE_HELP);
    return EXIT.passed;
  }
  const { task, format, config } = options;
  keepHeapTight();
  if (task.kind === 'file') {
    await print(await rankFile(task, context), format, context);
    return EXIT.passed;
  }
  const { initialise, triageGraph } = await import('./triage-graph.ts');
  if (task.kind === 'init') {
    context.stdout.write(await initialise(task, context));
    return EXIT.passed;
  }
  const report = await triageGraph(task, config, context);
  await print(report, format, context);
  return toTriageStatus(report);
}

/** Exit status of a run that ended. */
export function toTriageStatus({ triage }: Report): number {
  switch (triage?.status) {
    case 'completed':
      return EXIT.passed;
    case 'stopped':
      return EXIT.interrupted;
    default:
      return EXIT.incomplete;
  }
}

const MAX_FINDINGS_BYTES = 4 * 1024 * 1024 * 1024;
const MAX_FACTS_BYTES = 256 * 1024 * 1024;

async function rankFile(task: Extract<TriageTask, { kind: 'file' }>, context: CommandContext): Promise<Report> {
  const endStage = context.log.stage('Scoring and grouping');
  try {
    await checkFile('--findings', task.findings, MAX_FINDINGS_BYTES);
    const known = parseFactsFile(await readFacts(task.facts), task.facts ?? '--facts');
    const chunks = createReadStream(task.findings, { highWaterMark: 256 * 1024, signal: context.signal });
    const { findings, ...scored } = await scoreFile({ chunks, fileName: task.findings, known });
    return toTriageReport({
      ...scored,
      findings,
      subject: {},
      request: { kind: 'triage', trigger: 'local' },
      now: new Date(),
    });
  } finally {
    endStage();
  }
}

async function readFacts(path: string | null): Promise<string> {
  if (path === null) return '{}';
  await checkFile('--facts', path, MAX_FACTS_BYTES);
  return readFile(path, 'utf8');
}

async function print(report: Report, format: TriageFormat, context: CommandContext): Promise<void> {
  const terminal = context.stdout as { isTTY?: boolean; columns?: number };
  const text =
    format === 'json'
      ? (await import('../render/json.ts')).renderJson(report)
      : (await import('../render/triage-terminal.ts')).renderTriageTerminal(report, {
          color: terminal.isTTY === true && !context.env['NO_COLOR'],
          width: terminal.columns ?? 100,
        });
  await new Promise<void>((resolve, reject) => {
    context.stdout.write(text, error => (error ? reject(error) : resolve()));
  });
}
