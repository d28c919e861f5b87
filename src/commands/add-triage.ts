import { CypherFixError, toMessage } from '../core/errors.ts';
import type { Conclusion, Report } from '../core/report.ts';
import { addCosts } from '../model/cost-table.ts';
import { toPublicTriage } from '../triage/public-triage.ts';
import type { CommandContext } from './context.ts';
import { toTellable } from './graph-fault.ts';
import { toDefaultBranchId } from './triage-store.ts';
import { type TreeOutcome, type TreeTriage, triageTree } from './triage-tree.ts';

export interface Triaged {
  readonly report: Report;
  /** Why a triage that was asked for did not come about; the report is published all the same. */
  readonly fault: CypherFixError | null;
}

/**
 * The report with the triage that follows it. Where mode `triage` asked, a triage that was refused, or written in part,
 * makes a success neutral, and a graph that cannot be used is a fault; else both are notices and nothing more. Rejects
 * when the run is stopped before it has claimed its ranking.
 */
export async function addTriage(triage: TreeTriage, report: Report, context: CommandContext): Promise<Triaged> {
  const isPublic = !triage.request.private;
  const { asked } = triage.order;
  let made: TreeOutcome;
  try {
    made = await triageTree(triage, report, context);
  } catch (error) {
    const fault = toTellable(error, isPublic);
    if (context.signal.aborted || fault === null) throw error;
    const sentence = `The triage failed: ${toMessage(fault)}.`;
    if (asked) return { report: withReason(report, sentence), fault };
    context.log.warn(sentence);
    return { report: withNotices(report, [sentence]), fault: null };
  }
  const { outcome, model, notices } = made;
  if (outcome.status === 'refused') {
    const { runId = '', reason } = outcome;
    // As code it can be copied; GitHub would take parts of it for commits.
    const sentence = `No triage was made: ${runId === '' ? reason : reason.replace(runId, `\`${runId}\``)}.`;
    return { report: asked ? withReason(report, sentence) : withNotices(report, [sentence]), fault: null };
  }
  const { status } = outcome.result;
  if (status === 'stopped') throw new CypherFixError('interrupted', 'the triage was stopped before it wrote anything');
  const ranked = {
    ...withNotices(report, isPublic ? [PUBLIC_NOTICE] : [...notices, ...outcome.notices]),
    triage: isPublic ? toPublicTriage(outcome.result, toOwnIds(triage, report)) : outcome.result,
    truncated: isPublic ? report.truncated : { ...report.truncated, ...outcome.truncated },
    ...(model === null ? {} : { cost: addCosts(report.cost, model.budget.toCost()) }),
  };
  const isWhole = status === 'completed' || !asked;
  return { report: isWhole ? ranked : withReason(ranked, 'The triage was written in part.'), fault: null };
}

const PUBLIC_NOTICE =
  'This repository is public: of the graph only counts by tier, and tier and score of its own findings, are shown.';

const toOwnIds = ({ request }: TreeTriage, { findings }: Report): ReadonlySet<string> => {
  const toId = toDefaultBranchId(request.repository);
  return new Set(findings.map(({ fingerprint }) => toId(fingerprint)));
};

const withNotices = (report: Report, notices: readonly string[]): Report => ({
  ...report,
  notices: [...report.notices, ...notices],
});

function withReason(report: Report, reason: string): Report {
  const conclusion: Conclusion = report.conclusion === 'success' ? 'neutral' : report.conclusion;
  return { ...report, conclusion, gate: { ...report.gate, reasons: [...report.gate.reasons, reason] } };
}
