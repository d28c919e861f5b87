import type { History, Tree } from '../core/tree.ts';
import type { Sandbox, SandboxLimits, SandboxResult, SnapshotEntry, Step } from '../sandbox/sandbox.ts';
import { planGoLayout } from './go-layout.ts';
import { copyHistory, planHistory, type Unread } from './history-copies.ts';
import type { JobFiles } from './job-files.ts';
import type { RulePack } from './rule-pack.ts';
import { FOLDER, type ScanContext, type Scanner, type ScanPlan } from './scanner.ts';
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

/** One container's work and what came back. */
export interface ScanJob {
  readonly context: ScanContext;
  readonly scanners: readonly { readonly scanner: Scanner; readonly plan: ScanPlan }[];
  /** Absent when there was nothing to run. */
  readonly result?: SandboxResult;
  readonly results: SandboxResult['steps'];
  readonly secretsBytes: number;
  readonly unread: readonly Unread[];
}

const MEBIBYTE = 1024 * 1024;
const MAX_STDOUT_BYTES = 48 * MEBIBYTE;
const MAX_STDERR_BYTES = 16 * MEBIBYTE;
const MAX_OUTPUT_BYTES = 128 * MEBIBYTE;
/** Share of the job's time that a scanner may take, so that one that hangs does not cost the others their results. */
const STEP_SHARE = 0.8;

/** Decides what goes in; reads only what cannot be told by name, and the Go packages around the change. */
export async function planJobFiles(input: ScanInput): Promise<JobFiles> {
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

/** Runs these scanners at once in one container; those that are disabled or have no files are not started. */
export async function runScanJob(
  input: ScanInput,
  files: JobFiles,
  all: readonly Scanner[],
  purpose: string,
): Promise<ScanJob> {
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
  for (const plan of plans) yield* plan.late?.files() ?? [];

  function* counted(entry: SnapshotEntry): Generator<SnapshotEntry> {
    if (entry.path.startsWith(`${FOLDER.secrets}/`)) sent.secretsBytes += entry.content.length;
    for (const plan of plans) plan.late?.see(entry);
    yield entry;
  }
}
