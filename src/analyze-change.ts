import { type AiSetup, prepareAiReview, runAiReview, toReviewedPaths, toVerdict } from './analysis/ai-review.ts';
import { countByPath, toEarlierPart } from './analysis/earlier-part.ts';
import { findOpenFindings } from './analysis/find-open.ts';
import { readFindingLines } from './analysis/finding-lines.ts';
import { toKnownFindings } from './analysis/known-findings.ts';
import { rankFindings } from './analysis/rank-findings.ts';
import type { ReviewGraph } from './analysis/review-graph.ts';
import { type LinkedIssues, runAcceptance } from './analysis/run-acceptance.ts';
import { scanTwins } from './analysis/scan-twins.ts';
import type { Stopwatch } from './analysis/stopwatch.ts';
import { toReport } from './analysis/to-report.ts';
import { workMeanwhile } from './analysis/work-meanwhile.ts';
import type { RawFinding } from './core/finding.ts';
import type { Log } from './core/log.ts';
import type { OpenAiFinding } from './core/open-finding.ts';
import type { Report } from './core/report.ts';
import type { SecretRegistry } from './core/secrets.ts';
import { buildLedger } from './findings/build-ledger.ts';
import { toGate } from './findings/gate.ts';
import { toGeneratedMatcher } from './findings/linguist-attributes.ts';
import { mergeFindings } from './findings/merge.ts';
import { overrideSeverity } from './findings/override-severity.ts';
import { placeFindings } from './findings/place.ts';
import { quietFindings } from './findings/quiet.ts';
import { settleOpenFindings, toPreviousOpen } from './findings/settle-open.ts';
import type { LoadedPolicy } from './policy/load-policy.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { type AddedSuppression, findAddedSuppressions } from './scanners/added-suppressions.ts';
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
  /** Null where nobody asked for an AI review. */
  readonly ai: AiSetup | null;
  /** What the change is to settle. */
  readonly linked: LinkedIssues;
  /** What earlier runs of the same pull request left. */
  readonly earlier: EarlierRuns;
  /** Facts and verdicts beyond the repository. */
  readonly graph: ReviewGraph;
  /** Keys of this run; what gitleaks matches is added. No report, prompt or log shows any of it. */
  readonly secrets: SecretRegistry;
  /** Plain sentences that are known before the analysis begins. */
  readonly notices: readonly string[];
  readonly stopwatch: Stopwatch;
  /** Time and chance by the name of who asks: work that runs side by side then gets the same again in a replay. */
  readonly now: (who: string) => Date;
  /** Letters and digits that the change's author cannot foresee. */
  readonly random: (who: string) => string;
  /** Hears what the scanners found, before anything of it is masked. */
  readonly onFound?: (raw: readonly RawFinding[]) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface EarlierRuns {
  /** Reviewers' findings whose threads are open. */
  readonly openFindings: readonly OpenAiFinding[];
  /** Why not all of them are known, in a full sentence; null when they are. */
  readonly unread: string | null;
  /** What models cost, in dollars. */
  readonly spentUsd: number;
}

export const NO_EARLIER_RUNS: EarlierRuns = { openFindings: [], unread: null, spentUsd: 0 };

/**
 * The main job, from a change to the report: scan → merge → twins → identify and suppress → AI review → settle what earlier
 * reviewers found → acceptance → merge again → quiet → place → account → rank → gate, and what the graph is to keep. Every step takes and returns plain
 * values; what failed is in the ledger or the gate's
 * reasons, not an exception. Rejects only when the sandbox cannot be had or the signal aborts.
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
  const scanning = {
    sandbox: workMeanwhile(analysis.sandbox, () => {
      analysis.graph.begin();
      listSuppressions();
      return prepareAiReview(analysis.ai);
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

  const raw = overrideSeverity(scan.findings, policy.scanners.rules.severity);
  const lines = await readFindingLines(workspace.head, raw);
  const merged = mergeFindings(raw);
  const twins = await stopwatch.time('twins', 'Comparing with the merge base', () =>
    scanTwins({ ...scanning, merged, workspace, lineOf: lines.lineOf, rulePack: scan.rulePack }),
  );
  analysis.onFound?.([...raw, ...twins.findings]);
  const identifying = { workspace, policy, lines, twins, now: analysis.now('policy') };
  const scanned = toKnownFindings(merged, identifying);
  const { issues } = analysis.linked;
  const { spentUsd } = analysis.earlier;
  const open = await findOpenFindings({ ...analysis, ...analysis.earlier, scannerRaw: raw });
  const ai = await runAiReview({
    ...analysis,
    policy,
    issues,
    known: scanned.findings,
    scannerRaw: raw,
    previousOpen: toPreviousOpen(open.standing),
    spentUsd,
  });
  const reviewed = settleOpenFindings(open.standing, ai.raw, ai.outcome?.resolved ?? []);
  const acceptance = await runAcceptance({ ...analysis, policy, spentUsd: spentUsd + ai.cost.usd });
  const known =
    reviewed.raw.length === 0 ? scanned : toKnownFindings(mergeFindings([...raw, ...reviewed.raw]), identifying);
  const attributes = await workspace.readPolicyFile('.gitattributes');
  const quieted = quietFindings(known.findings, {
    isGeneratedFile: toGeneratedMatcher(attributes?.toString('utf8') ?? ''),
    isMinifiedFile: lines.isMinifiedFile,
  });
  const placed = placeFindings(quieted, change, {
    maxInlineComments: policy.review.max_inline_comments,
    contextLines: policy.review.context_lines,
  });
  const { taken, examined, partial, skipped } = scan;
  const ledger = buildLedger({
    change,
    scanners: scan.runs,
    taken,
    examined,
    partial,
    skipped,
    reviewed: toReviewedPaths(ai),
    carried: countByPath(reviewed.carried),
  });
  const { ranks, notices: rankNotices } = await rankFindings(placed, { public: analysis.isPublic }, analysis.graph);
  const gate = toGate({
    findings: placed,
    change,
    ledger,
    scanners: scan.runs,
    failOn: policy.gate.fail_on,
    maxTier: policy.gate.max_tier,
    ranks,
    ai: toVerdict(ai),
    unsettled: [...(analysis.earlier.unread === null ? [] : [analysis.earlier.unread]), ...open.unsettled],
  });
  const earlier = toEarlierPart(open, reviewed);

  const report = toReport({
    subject: analysis.subject,
    request: analysis.request,
    gate,
    ledger,
    scanners: scan.runs,
    placed,
    ranks,
    ai,
    acceptance,
    resolved: earlier.resolved,
    secrets: analysis.secrets,
    suppressionsAdded: listSuppressions(),
    sandboxRuns: [...scan.sandboxRuns, ...twins.sandboxRuns, ...ai.sandboxRuns, ...acceptance.sandboxRuns],
    timings: stopwatch.timings,
    generatedAt: analysis.now('report'),
    notices: [
      ...analysis.notices,
      ...analysis.policy.notices,
      ...known.notices,
      ...scan.notices,
      ...twins.notices,
      ...ai.notices,
      ...earlier.notices,
      ...rankNotices,
      ...gate.notices,
    ],
  });
  const kept = await analysis.graph.keep(report.findings, ledger.complete);
  return kept.length === 0 ? report : { ...report, notices: [...report.notices, ...kept] };
}

const countFiles = (count: number): string => (count === 1 ? '1 file' : `${count} files`);
