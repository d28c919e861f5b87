import { severityRank, worstSeverity } from '../core/finding.ts';
import type { Decision } from './answers.ts';
import type { ReviewerFinding } from './outcome.ts';
import { type CleanText, type PlaceQuote, toPlace, toText, toTitle } from './to-findings.ts';

export interface Reflected {
  readonly findings: readonly ReviewerFinding[];
  readonly dropped: readonly { readonly quote: string; readonly reason: string }[];
}

export interface DecisionTools {
  readonly clean: CleanText;
  readonly place: PlaceQuote;
  /** Ids that a decision may name. */
  readonly isKnownId: (id: string, given: ReadonlySet<string>) => boolean;
}

/**
 * What reflection decided, carried out: drops first, then each decision in its order. Unknown ids and a second decision on
 * a finding that is gone have no effect; a merge without a usable target keeps the finding. Worst first.
 */
export async function applyDecisions(
  drafts: readonly ReviewerFinding[],
  decisions: readonly Decision[],
  tools: DecisionTools,
): Promise<Reflected> {
  const given = new Set(drafts.map(draft => draft.id));
  const known = decisions.filter(decision => tools.isKnownId(decision.finding_id, given));
  const standing = new Map(drafts.map(draft => [draft.id, draft]));
  const dropped: { quote: string; reason: string }[] = [];
  for (const { finding_id, action, reason } of known) {
    const finding = standing.get(finding_id);
    if (action !== 'drop' || finding === undefined) continue;
    standing.delete(finding_id);
    dropped.push({ quote: finding.quote, reason: toText(reason, tools.clean) });
  }
  for (const decision of known) {
    const finding = standing.get(decision.finding_id);
    if (finding === undefined) continue;
    const target = decision.action === 'merge' ? standing.get(decision.merge_into ?? '') : undefined;
    if (target !== undefined && target.id !== finding.id) {
      standing.delete(finding.id);
      standing.set(target.id, mergeInto(target, finding));
    } else standing.set(finding.id, await correct(finding, decision, tools));
  }
  return { findings: sortFindings([...standing.values()]), dropped };
}

/** Severity, confidence, then the order of the reviewers. */
export const sortFindings = (findings: readonly ReviewerFinding[]): ReviewerFinding[] =>
  [...findings].sort((a, b) => severityRank(a.severity) - severityRank(b.severity) || b.confidence - a.confidence);

function mergeInto(target: ReviewerFinding, source: ReviewerFinding): ReviewerFinding {
  // Of two places the better one stays.
  const { path, place, startLine, endLine, matchedText, quote, placeReason } = source;
  const better = PLACE_RANK[place] < PLACE_RANK[target.place];
  const { placeReason: targetReason, ...rest } = target;
  const reason = better ? placeReason : targetReason;
  return {
    ...rest,
    ...(better ? { path, place, startLine, endLine, matchedText, quote } : {}),
    ...(reason === undefined ? {} : { placeReason: reason }),
    severity: worstSeverity(target.severity, source.severity),
    confidence: Math.max(target.confidence, source.confidence),
    evidence: [...new Set([...target.evidence, ...source.evidence])],
    cwe: [...new Set([...target.cwe, ...source.cwe])],
    mergedFrom: [...target.mergedFrom, { reviewer: source.tool, id: source.id }, ...source.mergedFrom],
  };
}

async function correct(finding: ReviewerFinding, decision: Decision, tools: DecisionTools): Promise<ReviewerFinding> {
  const { clean, place } = tools;
  const title = toTitle(decision.title ?? '', clean);
  const message = toText(decision.rationale, clean);
  const suggestion = toText(decision.suggestion, clean);
  const quote = clean(decision.quote ?? '').trim();
  const corrected: ReviewerFinding = {
    ...finding,
    severity: decision.severity ?? finding.severity,
    ...(title === '' ? {} : { title }),
    ...(message === '' ? {} : { message }),
    ...(suggestion === '' ? {} : { suggestion }),
  };
  if (quote === '') return corrected;
  const anchor = await place(finding.path, quote);
  // A correction must not cost a finding the place that it has.
  if (PLACE_RANK[anchor.place] > PLACE_RANK[finding.place]) return corrected;
  const { placeReason: _, ...rest } = corrected;
  return { ...rest, ...toPlace(anchor, quote), quote };
}

const PLACE_RANK = { hunk: 0, file: 1, none: 2 } as const;
