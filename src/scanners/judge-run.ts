import { missedCanaries, withoutCanaries } from './canary.ts';
import type { ScanJob } from './scan-job.ts';
import type { ParsedScan, Scanner, ScanPlan } from './scanner.ts';

/** What a scanner's output is worth: a missed canary or a sum of bytes that does not fit makes the run a failed one. */
export function judgeRun(job: ScanJob, scanner: Scanner, plan: ScanPlan): ParsedScan {
  if (plan.steps.length === 0) return { findings: [], partial: new Map(), examined: new Set() };
  const parsed = scanner.parse(job.results);
  const missed = missedCanaries(plan.canaries, parsed);
  const scan = withoutCanaries(parsed, job.context);
  const lost = job.result?.failure === undefined ? undefined : `the sandbox job failed: ${job.result.failure}`;
  if (scan.failure !== undefined)
    return { ...scan, failure: lost !== undefined && !job.results.has(scanner.name) ? lost : scan.failure };
  if (missed.length > 0)
    return {
      ...scan,
      failure: `did not find the planted fault in ${missed.map(path => path.split('/').slice(0, 2).join('/')).join(', ')}`,
    };
  if (scan.bytesExamined !== undefined && scan.bytesExamined !== job.secretsBytes) {
    return { ...scan, failure: `read ${scan.bytesExamined} of ${job.secretsBytes} bytes` };
  }
  const unread = scanner.name === 'gitleaks' ? job.unread.filter(entry => !entry.tooLarge) : [];
  if (unread[0] === undefined) return scan;
  return {
    ...scan,
    failure: `${unread.length} versions in the history could not be read, the first: ${unread[0].blob.path}: ${unread[0].reason}`,
  };
}
