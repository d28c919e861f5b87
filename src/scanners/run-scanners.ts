import type { RawFinding } from '../core/finding.ts';
import type { ScannerRun } from '../core/ledger.ts';
import type { SandboxResult } from '../sandbox/sandbox.ts';
import { type Account, accountFor } from './account.ts';
import { type JobFiles, toRawFindings } from './job-files.ts';
import { judgeRun } from './judge-run.ts';
import { findRefusedRules } from './refused-rules.ts';
import { listScanners } from './registry.ts';
import type { RulePack } from './rule-pack.ts';
import { planJobFiles, runScanJob, type ScanInput, type ScanJob } from './scan-job.ts';
import type { ParsedScan, Scanner } from './scanner.ts';

export type { ScanInput } from './scan-job.ts';

export interface ScanResult extends Account {
  readonly findings: readonly RawFinding[];
  readonly runs: readonly ScannerRun[];
  /** Every container that was started; none when there was nothing to scan. */
  readonly sandboxRuns: readonly SandboxResult[];
  /** The pack without the rules that the engine refused, for the next run. */
  readonly rulePack: RulePack;
  readonly notices: readonly string[];
}

/** Runs every scanner that has something to read, all at once in one container. Rejects only when the sandbox cannot be had. */
export async function runScanners(input: ScanInput): Promise<ScanResult> {
  const files = await planJobFiles(input);
  const first = await runScanJob(input, files, listScanners(input.rulePack, files.go), input.purpose);
  const refused = await findRefusedRules(input, first.results.get('ast-grep'));
  if (refused.size === 0) return finish(input, files, [first], input.rulePack);

  let rulePack = input.rulePack;
  for (const [id, reason] of refused) rulePack = rulePack.without(id, reason);
  const again = listScanners(rulePack, files.go).filter(scanner => scanner.name === 'ast-grep');
  return finish(input, files, [first, await runScanJob(input, files, again, `${input.purpose} again`)], rulePack);
}

interface Judged {
  readonly scanner: Scanner;
  readonly scan: ParsedScan;
  readonly started: boolean;
  readonly durationMs: number;
}

async function finish(
  input: ScanInput,
  files: JobFiles,
  jobs: readonly ScanJob[],
  rulePack: RulePack,
): Promise<ScanResult> {
  const judged = judgeAll(jobs);
  const findings: RawFinding[] = [];
  for (const { scanner, scan } of judged) findings.push(...(await toRawFindings(scan.findings, scanner, files, input)));
  const { statusOf, ...account } = accountFor(files, judged);
  const tools = jobs[0]?.result?.identity.tools ?? {};
  const runs = listScanners(rulePack, files.go).map(({ name }): ScannerRun => {
    const entry = judged.find(({ scanner }) => scanner.name === name);
    const common = { name, version: tools[name] ?? 'unknown', durationMs: entry?.durationMs ?? 0 };
    if (entry?.started === true) {
      const count = findings.filter(finding => finding.tool === name).length;
      return { ...common, ...statusOf(name), findings: count };
    }
    const message = input.disabledScanners.includes(name) ? 'disabled by the policy' : 'no such files';
    return { ...common, status: 'skipped', filesExamined: 0, findings: 0, message };
  });
  return {
    ...account,
    findings,
    runs,
    sandboxRuns: jobs.flatMap(job => job.result ?? []),
    rulePack,
    notices: [...toNotices(files, jobs, rulePack), ...judged.flatMap(({ scan }) => scan.notices ?? [])],
  };
}

/** One entry a scanner; what a later job says of it replaces what an earlier one said. */
function judgeAll(jobs: readonly ScanJob[]): Judged[] {
  const judged = new Map<string, Judged>();
  for (const job of jobs) {
    for (const { scanner, plan } of job.scanners) {
      const durations = plan.steps.map(step => job.results.get(step.name)?.durationMs ?? 0);
      const durationMs = Math.max(0, ...durations);
      judged.set(scanner.name, {
        scanner,
        scan: judgeRun(job, scanner, plan),
        started: plan.steps.length > 0,
        durationMs,
      });
    }
  }
  return [...judged.values()];
}

function toNotices(files: JobFiles, jobs: readonly ScanJob[], rulePack: RulePack): string[] {
  const tooLarge = (jobs[0]?.unread ?? []).filter(entry => entry.tooLarge);
  return [
    ...[...rulePack.quarantined].map(([rule, reason]) => `rule set aside: ${rule}: ${reason}`),
    ...tooLarge.map(({ blob }) => `gitleaks: ${blob.path} in commit ${blob.commit.slice(0, 12)} is larger than 5 MB`),
    ...(files.go?.notices ?? []),
  ];
}
