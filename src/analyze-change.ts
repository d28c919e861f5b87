import type { Analysis } from './analysis/analysis.ts';
import { workMeanwhile } from './analysis/work-meanwhile.ts';
import type { Report } from './core/report.ts';
import { type AddedSuppression, findAddedSuppressions } from './scanners/added-suppressions.ts';
import { runScanners } from './scanners/run-scanners.ts';

/**
 * The main job, from a change to the report: the scanners run in the sandbox, and all that follows is `conclude`. Every step
 * takes and returns plain values; what failed is in the ledger or the gate's reasons, not an exception. Rejects only when the
 * sandbox cannot be had or the signal aborts.
 */
export async function analyzeChange(analysis: Analysis): Promise<Report> {
  const { workspace, stopwatch, signal } = analysis;
  const { policy } = analysis.policy;
  const { change } = workspace;

  const history = await stopwatch.time('history', 'Listing the versions that the commits add', () =>
    workspace.readHistory(),
  );
  let suppressionsAdded: readonly AddedSuppression[] | undefined;
  const listSuppressions = () => (suppressionsAdded ??= findAddedSuppressions(change));
  // Half of the program; the sandbox would wait for it.
  const loadRest = () => import('./analysis/conclude.ts');
  const scanning = {
    sandbox: workMeanwhile(analysis.sandbox, async () => {
      analysis.graph.begin();
      const { prepareAiReview } = await loadRest();
      listSuppressions();
      await prepareAiReview(analysis.ai);
    }),
    disabledScanners: policy.scanners.disable,
    limits: {
      memoryMb: policy.sandbox.memory_mb,
      cpus: policy.sandbox.cpus,
      timeoutMs: policy.sandbox.timeout_s * 1_000,
    },
    random: () => analysis.random('scan'),
    signal,
  };
  const scan = await stopwatch.time('scan', `Scanning ${countFiles(change.files.length)} in the sandbox`, () =>
    runScanners({
      ...scanning,
      files: change.files,
      tree: workspace.head,
      history,
      rulePack: analysis.rulePack,
      purpose: 'scan',
    }),
  );

  const { conclude } = await loadRest();
  return conclude(analysis, { scan, scanning, suppressionsAdded: listSuppressions() });
}

const countFiles = (count: number): string => (count === 1 ? '1 file' : `${count} files`);
