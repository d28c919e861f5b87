import type { FileChange } from '../core/change.ts';
import type { RawFinding } from '../core/finding.ts';
import type { LineOf } from '../findings/identity.ts';
import type { MergedFinding } from '../findings/merge.ts';
import { planTwinScan } from '../findings/plan-twin-scan.ts';
import type { SandboxResult } from '../sandbox/sandbox.ts';
import { runScanners, type ScanInput } from '../scanners/run-scanners.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readFindingLines } from './finding-lines.ts';

export interface TwinScan {
  readonly findings: readonly RawFinding[];
  /** Lines of the merge base's versions. */
  readonly lineOf: LineOf;
  readonly sandboxRuns: readonly SandboxResult[];
  readonly notices: readonly string[];
}

interface TwinInput
  extends Pick<ScanInput, 'sandbox' | 'disabledScanners' | 'limits' | 'random' | 'signal' | 'rulePack'> {
  readonly merged: readonly MergedFinding[];
  readonly workspace: Workspace;
  readonly lineOf: LineOf;
}

const MAX_BASE_BYTES = 5 * 1024 * 1024;
const NO_LINES: LineOf = () => undefined;

/**
 * Scans the merge base's versions of those files whose findings may have stood there already; most reviews need none. A
 * scan that failed finds no twins, so that its findings count as introduced: the stricter reading.
 */
export async function scanTwins({ merged, workspace, lineOf, ...scanning }: TwinInput): Promise<TwinScan> {
  const { mergeBase, change } = workspace;
  if (mergeBase === null) return { findings: [], lineOf: NO_LINES, sandboxRuns: [], notices: [] };
  const plan = await planTwinScan(merged, change, path => mergeBase.read({ path }, MAX_BASE_BYTES), lineOf);
  const notices = plan.unreadable.map(
    ({ path, reason }) => `${path}: its version in the merge base was not compared: ${reason}`,
  );
  if (plan.files.length === 0) return { findings: [], lineOf: NO_LINES, sandboxRuns: [], notices };
  const kinds = new Map(change.files.map(file => [file.path, file]));
  const scan = await runScanners({
    ...scanning,
    files: plan.files.map(({ basePath, path }) => ({
      path: basePath,
      kind: 'text' as const,
      newBlob: oldBlob(kinds.get(path)),
    })),
    tree: mergeBase,
    history: null,
    purpose: 'scan of the merge base',
  });
  const lines = await readFindingLines(mergeBase, scan.findings);
  const failures = scan.runs
    .filter(run => run.status === 'failed' || run.status === 'timed-out')
    .map(
      run => `${run.name} failed on the merge base, so its findings count as introduced: ${run.message ?? run.status}`,
    );
  return {
    findings: scan.findings,
    lineOf: lines.lineOf,
    sandboxRuns: scan.sandboxRuns,
    notices: [...notices, ...failures],
  };
}

const oldBlob = (file: FileChange | undefined): string => file?.oldBlob ?? '';
