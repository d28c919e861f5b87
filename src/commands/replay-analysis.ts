import { isAbsolute } from 'node:path';
import { createStopwatch } from '../analysis/stopwatch.ts';
import { analyzeChange } from '../analyze-change.ts';
import { CypherFixError } from '../core/errors.ts';
import { SILENT_LOG } from '../core/log.ts';
import type { Report } from '../core/report.ts';
import { findPrices } from '../model/prices.ts';
import { loadPolicy } from '../policy/load-policy.ts';
import type { Recording } from '../recording/recording.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { CommandContext } from './context.ts';
import { modelsOf } from './model-access.ts';
import { readRecording } from './recording-file.ts';
import { analyzeOpened } from './run-analysis.ts';

export interface ToReplay {
  /** The recording. */
  readonly file: string;
  open(recording: Recording): Promise<Workspace>;
  /** Bytes of a policy file instead of the one at the base. */
  readonly config: Buffer | null;
}

/**
 * The report of a recorded run, from its repository and the recording alone: no sandbox, no network, no key. Throws
 * CypherFixError('usage') when the recording cannot be read or is of something else, and 'internal' where the run takes
 * another course than the recorded one.
 */
export async function replayAnalysis({ file, open, config }: ToReplay, context: CommandContext): Promise<Report> {
  const recording = await readRecording(file);
  const { file: policyFile } = recording.policy;
  if (config === null && (isAbsolute(policyFile) || policyFile.startsWith('..'))) {
    throw new CypherFixError('usage', `--replay: recorded with --config ${policyFile}, which must be given again`);
  }
  const { createReplay } = await import('../recording/replay-run.ts');
  const replay = createReplay(recording);
  const plan = {
    open: () => open(recording),
    loadPolicy: (workspace: Workspace) =>
      loadPolicy(async path => (config === null ? workspace.readPolicyFile(path) : config), policyFile),
    toSubject: () => recording.subject,
    request: recording.request,
    isPublic: recording.public,
  };
  const stopwatch = createStopwatch(SILENT_LOG);
  return analyzeOpened({ plan, context, stopwatch }, async ({ analysis, policy }) => {
    replay.assertSame(analysis.workspace, policy);
    const { ai } = policy.policy;
    const prices = recording.ai?.kind === 'review' ? findPrices(modelsOf(policy.policy), ai.prices) : new Map();
    const report = await analyzeChange({ ...analysis, ...replay.toOutside(prices, context.log) });
    replay.assertFaithful();
    return report;
  });
}
