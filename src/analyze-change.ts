import { readFindingLines } from './analysis/finding-lines.ts';
import { rankFindings } from './analysis/rank-findings.ts';
import { scanTwins } from './analysis/scan-twins.ts';
import type { Stopwatch } from './analysis/stopwatch.ts';
import { toReport } from './analysis/to-report.ts';
import type { Log } from './core/log.ts';
import type { Report } from './core/report.ts';
import { buildLedger } from './findings/build-ledger.ts';
import { fingerprintFindings } from './findings/fingerprint.ts';
import { toGate } from './findings/gate.ts';
import { namesRule } from './findings/identity.ts';
import { markIntroduced } from './findings/introduced.ts';
import { toGeneratedMatcher } from './findings/linguist-attributes.ts';
import { mergeFindings } from './findings/merge.ts';
import { overrideSeverity } from './findings/override-severity.ts';
import { placeFindings } from './findings/place.ts';
import { quietFindings } from './findings/quiet.ts';
import type { LoadedPolicy } from './policy/load-policy.ts';
import { applySuppressions } from './policy/suppressions.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { findAddedSuppressions } from './scanners/added-suppressions.ts';
import type { RulePack } from './scanners/rule-pack.ts';
import { runScanners } from './scanners/run-scanners.ts';
import type { Workspace } from './workspace/workspace.ts';

export interface Analysis {
  readonly workspace: Workspace;
  readonly policy: LoadedPolicy;
  readonly rulePack: RulePack;
  readonly sandbox: Sandbox;
  readonly subject: Report['subject'];
  readonly request: Report['request'];
  /** Whether anybody can read the code: what reaches further ranks higher. */
  readonly isPublic: boolean;
  /** Plain sentences that are known before the analysis begins. */
  readonly notices: readonly string[];
  readonly stopwatch: Stopwatch;
  readonly now: () => Date;
  /** Letters and digits that the change's author cannot foresee. */
  readonly random: () => string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * The main job, from a change to the report: scan → merge → fingerprint → twins → suppress → quiet → place → account →
 * rank → gate. Every step takes and returns plain values; what failed is in the ledger, not an exception. Rejects only when the
 * sandbox cannot be had or the signal aborts.
 */
export async function analyzeChange(analysis: Analysis): Promise<Report> {
  const { workspace, stopwatch, signal } = analysis;
  const { policy } = analysis.policy;
  const { change } = workspace;

  const history = await stopwatch.time('history', 'Listing the versions that the commits add', () =>
    workspace.readHistory(),
  );
  const scanning = {
    sandbox: analysis.sandbox,
    disabledScanners: policy.scanners.disable,
    limits: {
      memoryMb: policy.sandbox.memory_mb,
      cpus: policy.sandbox.cpus,
      timeoutMs: policy.sandbox.timeout_s * 1_000,
    },
    random: analysis.random,
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

  const raw = overrideSeverity(scan.findings, policy.scanners.rules.severity);
  const lines = await readFindingLines(workspace.head, raw);
  const merged = mergeFindings(raw);
  const twins = await stopwatch.time('twins', 'Comparing with the merge base', () =>
    scanTwins({ ...scanning, merged, workspace, lineOf: lines.lineOf, rulePack: scan.rulePack }),
  );
  const identified = fingerprintFindings(merged, lines.lineOf);
  const introduced = markIntroduced(identified, change, twins.findings, {
    lineOf: lines.lineOf,
    baseLineOf: twins.lineOf,
  });
  const suppressed = applySuppressions(introduced, {
    entries: policy.suppress,
    disabledRules: policy.scanners.rules.disable,
    today: analysis.now().toISOString().slice(0, 10),
    namesRule,
  });
  const attributes = await workspace.readPolicyFile('.gitattributes');
  const quieted = quietFindings(suppressed.findings, {
    isGeneratedFile: toGeneratedMatcher(attributes?.toString('utf8') ?? ''),
    isMinifiedFile: lines.isMinifiedFile,
  });
  const placed = placeFindings(quieted, change, {
    maxInlineComments: policy.review.max_inline_comments,
    contextLines: policy.review.context_lines,
  });
  const { taken, examined, partial, skipped } = scan;
  const ledger = buildLedger({ change, scanners: scan.runs, taken, examined, partial, skipped });
  const ranks = rankFindings(placed, { public: analysis.isPublic });
  const gate = toGate({
    findings: placed,
    change,
    ledger,
    scanners: scan.runs,
    failOn: policy.gate.fail_on,
    maxTier: policy.gate.max_tier,
    ranks,
  });

  return toReport({
    subject: analysis.subject,
    request: analysis.request,
    gate,
    ledger,
    scanners: scan.runs,
    placed,
    ranks,
    suppressionsAdded: findAddedSuppressions(change),
    sandboxRuns: [...scan.sandboxRuns, ...twins.sandboxRuns],
    timings: stopwatch.timings,
    generatedAt: analysis.now(),
    notices: [
      ...analysis.notices,
      ...analysis.policy.notices,
      ...suppressed.notices,
      ...scan.notices,
      ...twins.notices,
      ...gate.notices,
    ],
  });
}

const countFiles = (count: number): string => (count === 1 ? '1 file' : `${count} files`);
