import type { Report } from '../core/report.ts';
import { buildLedger } from '../findings/build-ledger.ts';
import { toGate } from '../findings/gate.ts';
import { mergeFindings } from '../findings/merge.ts';
import { overrideSeverity } from '../findings/override-severity.ts';
import { placeFindings } from '../findings/place.ts';
import { quietFindings } from '../findings/quiet.ts';
import { settleOpenFindings, toPreviousOpen } from '../findings/settle-open.ts';
import type { AddedSuppression } from '../scanners/added-suppressions.ts';
import type { ScanInput, ScanResult } from '../scanners/run-scanners.ts';
import { prepareAiReview, runAiReview, toReviewedPaths, toVerdict } from './ai-review.ts';
import type { Analysis } from './analysis.ts';
import { countByPath, toEarlierPart } from './earlier-part.ts';
import { findOpenFindings } from './find-open.ts';
import { readFindingLines } from './finding-lines.ts';
import { toKnownFindings } from './known-findings.ts';
import { rankFindings } from './rank-findings.ts';
import { readAttributes } from './read-attributes.ts';
import { runAcceptance } from './run-acceptance.ts';
import { scanTwins } from './scan-twins.ts';
import { toReport } from './to-report.ts';

export { prepareAiReview };

/** What the scanners did. */
export interface Scanned {
  readonly scan: ScanResult;
  /** How to scan again. */
  readonly scanning: Pick<ScanInput, 'sandbox' | 'disabledScanners' | 'limits' | 'random' | 'signal'>;
  readonly suppressionsAdded: readonly AddedSuppression[];
}

/**
 * From the scanners' findings to the report: merge → twins → identify and suppress → AI review → settle what earlier
 * reviewers found → acceptance → merge again → quiet → place → account → rank → gate, and what the graph is to keep.
 */
export async function conclude(analysis: Analysis, { scan, scanning, suppressionsAdded }: Scanned): Promise<Report> {
  const { workspace, stopwatch } = analysis;
  const { policy } = analysis.policy;
  const { change } = workspace;

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
  const attributes = await readAttributes(workspace);
  const quieted = quietFindings(known.findings, {
    isGeneratedFile: attributes.isGenerated,
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
    suppressionsAdded,
    sandboxRuns: [...scan.sandboxRuns, ...twins.sandboxRuns, ...ai.sandboxRuns, ...acceptance.sandboxRuns],
    timings: stopwatch.timings,
    generatedAt: analysis.now('report'),
    notices: [
      ...analysis.notices,
      ...analysis.policy.notices,
      ...known.notices,
      ...attributes.notices,
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
