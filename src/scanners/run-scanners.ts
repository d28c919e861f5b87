import type { RawFinding } from '../core/finding.ts';
import type { ScannerRun } from '../core/ledger.ts';
import type { History, Tree } from '../core/tree.ts';
import type { Sandbox, SandboxLimits, SandboxResult, SnapshotEntry, Step } from '../sandbox/sandbox.ts';
import { type Account, accountFor } from './account.ts';
import { missedCanaries, withoutCanaries } from './canary.ts';
import { planGoLayout } from './go-layout.ts';
import { copyHistory, planHistory, type Unread } from './history-copies.ts';
import { type JobFiles, toRawFindings } from './job-files.ts';
import { findRefusedRules } from './refused-rules.ts';
import { listScanners } from './registry.ts';
import type { RulePack } from './rule-pack.ts';
import { FOLDER, type ParsedScan, type ScanContext, type Scanner, type ScanPlan } from './scanner.ts';
import { copyFiles, planFiles, type ScanFile } from './snapshot.ts';

export interface ScanInput {
  /** Files to be scanned, as they stand in `tree`; deleted ones, links and submodules may be among them. */
  readonly files: readonly ScanFile[];
  /** The version they are read from; gosec gets the packages around them from it too. */
  readonly tree: Tree;
  readonly history: History | null;
  readonly sandbox: Sandbox;
  readonly rulePack: RulePack;
  /** Names of scanners that are not to run. */
  readonly disabledScanners: readonly string[];
  readonly limits: Pick<SandboxLimits, 'memoryMb' | 'cpus' | 'timeoutMs'>;
  /** Purpose that the report shows for the sandbox run: `scan`, `scan base`. */
  readonly purpose: string;
  /** Letters and digits that the change's author cannot foresee. */
  readonly random: () => string;
  readonly signal: AbortSignal;
}

export interface ScanResult extends Account {
  readonly findings: readonly RawFinding[];
  readonly runs: readonly ScannerRun[];
  /** Every container that was started; none when there was nothing to scan. */
  readonly sandboxRuns: readonly SandboxResult[];
  /** The pack without the rules that the engine refused, for the next run. */
  readonly rulePack: RulePack;
  readonly notices: readonly string[];
}

const MEBIBYTE = 1024 * 1024;
const MAX_STDOUT_BYTES = 48 * MEBIBYTE;
const MAX_STDERR_BYTES = 16 * MEBIBYTE;
const MAX_OUTPUT_BYTES = 128 * MEBIBYTE;
/** Share of the job's time that a scanner may take, so that one that hangs does not cost the others their results. */
const STEP_SHARE = 0.8;

/** Runs every scanner that has something to read, all at once in one container. Rejects only when the sandbox cannot be had. */
export async function runScanners(input: ScanInput): Promise<ScanResult> {
  const files = await planJobFiles(input);
  const first = await runJob(input, files, listScanners(input.rulePack, files.go), input.purpose);
  const refused = await findRefusedRules(input, first.results.get('ast-grep'));
  if (refused.size === 0) return finish(input, files, [first], input.rulePack);

  let rulePack = input.rulePack;
  for (const [id, reason] of refused) rulePack = rulePack.without(id, reason);
  const again = listScanners(rulePack, files.go).filter(scanner => scanner.name === 'ast-grep');
  return finish(input, files, [first, await runJob(input, files, again, `${input.purpose} again`)], rulePack);
}

interface Job {
  readonly context: ScanContext;
  readonly scanners: readonly { readonly scanner: Scanner; readonly plan: ScanPlan }[];
  /** Absent when there was nothing to run. */
  readonly result?: SandboxResult;
  readonly results: SandboxResult['steps'];
  readonly secretsBytes: number;
  readonly unread: readonly Unread[];
}

async function planJobFiles(input: ScanInput): Promise<JobFiles> {
  const records = await planFiles(input.files, input.tree);
  const goFiles = records.filter(record => record.views.some(view => view.language === 'go'));
  const canaryFolder = `cypherfix-canary-${input.random()}`;
  const isWanted = goFiles.length > 0 && !input.disabledScanners.includes('gosec');
  return {
    records,
    history: planHistory(input.history, records),
    canaryFolder,
    ...(isWanted ? { go: await planGoLayout(goFiles, input.tree, canaryFolder) } : {}),
  };
}

async function runJob(input: ScanInput, files: JobFiles, all: readonly Scanner[], purpose: string): Promise<Job> {
  const context: ScanContext = {
    languages: new Set(files.records.flatMap(record => record.views.map(view => view.language))),
    canaryFolder: files.canaryFolder,
    canaryToken: files.canaryFolder,
  };
  const hasFiles = files.history.length > 0 || files.records.some(record => record.skipped === undefined);
  const enabled = all.filter(scanner => hasFiles && !input.disabledScanners.includes(scanner.name));
  const scanners = enabled.map(scanner => ({ scanner, plan: scanner.plan(context) }));
  const steps = scanners.flatMap(({ plan }) => plan.steps.map(step => toStep(step, input.limits.timeoutMs)));
  const sent = { secretsBytes: 0, unread: [] as Unread[] };
  if (steps.length === 0) return { context, scanners, results: new Map(), ...sent };
  const snapshot = createSnapshot(
    input,
    files,
    scanners.map(({ plan }) => plan),
    sent,
  );
  const limits = { ...input.limits, maxOutputBytes: MAX_OUTPUT_BYTES };
  const result = await input.sandbox.run(
    { purpose, imageClass: 'scanners', snapshot, phases: [steps], limits },
    input.signal,
  );
  return { context, scanners, result, results: result.steps, ...sent };
}

function toStep(step: ScanPlan['steps'][number], timeoutMs: number): Step {
  const base = { cwd: `/work/${FOLDER.config}`, maxStdoutBytes: MAX_STDOUT_BYTES, maxStderrBytes: MAX_STDERR_BYTES };
  return {
    name: step.name,
    argv: step.argv,
    env: step.env ?? {},
    timeoutMs: Math.ceil(timeoutMs * STEP_SHARE),
    ...base,
  };
}

/** Streams every copy; counts what gitleaks is to read, since that is how its coverage is proved. */
async function* createSnapshot(
  input: ScanInput,
  files: JobFiles,
  plans: readonly ScanPlan[],
  sent: { secretsBytes: number; unread: Unread[] },
): AsyncGenerator<SnapshotEntry> {
  const own = plans.flatMap(plan => plan.files);
  const canaries = new Map(plans.flatMap(plan => plan.canaries.map(canary => [canary.path, canary.content] as const)));
  yield { path: `${FOLDER.config}/.keep`, content: Buffer.alloc(0) };
  yield* own;
  for (const [path, content] of canaries) yield* counted({ path, content: Buffer.from(content) });
  if (files.go !== undefined) yield* files.go.entries();
  for await (const entry of copyFiles(files.records, input.tree)) yield* counted(entry);
  for await (const entry of copyHistory(files.history, input.history, sent.unread)) yield* counted(entry);

  function* counted(entry: SnapshotEntry): Generator<SnapshotEntry> {
    if (entry.path.startsWith(`${FOLDER.secrets}/`)) sent.secretsBytes += entry.content.length;
    yield entry;
  }
}

/** Later jobs replace what an earlier one said of the same scanner. */
async function finish(
  input: ScanInput,
  files: JobFiles,
  jobs: readonly Job[],
  rulePack: RulePack,
): Promise<ScanResult> {
  const scans = new Map<
    string,
    { scanner: Scanner; scan: ParsedScan; durationMs: number; started: boolean; version: string }
  >();
  for (const job of jobs) {
    for (const { scanner, plan } of job.scanners) {
      const started = plan.steps.length > 0;
      const durations = plan.steps.map(step => job.results.get(step.name)?.durationMs ?? 0);
      const version = job.result?.identity.tools[scanner.name] ?? 'unknown';
      scans.set(scanner.name, {
        scanner,
        scan: judge(job, scanner, plan),
        durationMs: Math.max(0, ...durations),
        started,
        version,
      });
    }
  }
  const findings: RawFinding[] = [];
  for (const { scanner, scan } of scans.values())
    findings.push(...(await toRawFindings(scan.findings, scanner, files, input)));
  const account = accountFor(files, [...scans.values()]);
  const runs = listScanners(rulePack, files.go).map(({ name }): ScannerRun => {
    const disabled = input.disabledScanners.includes(name);
    const entry = scans.get(name);
    const common = { name, version: entry?.version ?? 'unknown', durationMs: entry?.durationMs ?? 0 };
    if (entry?.started !== true)
      return {
        ...common,
        status: 'skipped',
        filesExamined: 0,
        findings: 0,
        message: disabled ? 'disabled by the policy' : 'no such files',
      };
    return { ...common, ...account.statusOf(name), findings: findings.filter(finding => finding.tool === name).length };
  });
  return {
    findings,
    runs,
    taken: account.taken,
    examined: account.examined,
    partial: account.partial,
    skipped: account.skipped,
    sandboxRuns: jobs.flatMap(job => job.result ?? []),
    rulePack,
    notices: [...toNotices(files, jobs, rulePack), ...[...scans.values()].flatMap(({ scan }) => scan.notices ?? [])],
  };
}

/** What a scanner's output is worth: a missed canary or a sum of bytes that does not fit makes the run a failed one. */
function judge(job: Job, scanner: Scanner, plan: ScanPlan): ParsedScan {
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

function toNotices(files: JobFiles, jobs: readonly Job[], rulePack: RulePack): string[] {
  const tooLarge = (jobs[0]?.unread ?? []).filter(entry => entry.tooLarge);
  return [
    ...[...rulePack.quarantined].map(([rule, reason]) => `rule set aside: ${rule}: ${reason}`),
    ...tooLarge.map(({ blob }) => `gitleaks: ${blob.path} in commit ${blob.commit.slice(0, 12)} is larger than 5 MB`),
    ...(files.go?.notices ?? []),
  ];
}
