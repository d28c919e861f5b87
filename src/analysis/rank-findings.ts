import type { FindingRisk } from '../core/risk.ts';
import type { PlaceableFinding } from '../findings/place.ts';
import { type RepositoryContext, type ScorableFinding, scoreFinding, toCodeFindingRow } from '../risk/code-finding.ts';
import { NO_FACTS } from '../risk/facts.ts';
import { NO_INTEL } from '../risk/row.ts';
import type { ReviewGraph } from './review-graph.ts';

export interface RankedFindings {
  /** Fingerprint → ranking. */
  readonly ranks: ReadonlyMap<string, FindingRisk>;
  readonly notices: readonly string[];
}

/** Ranks by the score model: by the finding and its repository, and by what the graph knows beyond them. */
export async function rankFindings(
  findings: readonly PlaceableFinding[],
  context: Pick<RepositoryContext, 'public'>,
  graph: ReviewGraph,
): Promise<RankedFindings> {
  const scorable = findings.map(toScorable);
  const ranks = new Map(scorable.map(finding => [finding.fingerprint, rankAlone(finding, context)]));
  const { changed, notices } = await graph.rank(scorable);
  for (const [fingerprint, risk] of changed) if (ranks.has(fingerprint)) ranks.set(fingerprint, risk);
  return { ranks, notices };
}

/** The rank of a finding of which nothing is known but itself and its repository. */
export const rankAlone = (finding: ScorableFinding, { public: isPublic }: Pick<RepositoryContext, 'public'>) =>
  scoreFinding(toCodeFindingRow(finding, { public: isPublic }), NO_FACTS, NO_INTEL);

function toScorable({ primary, ...finding }: PlaceableFinding): ScorableFinding {
  const { tool, ruleId, title, message } = primary;
  const { fingerprint, severity, confidence, cwe, path, tools } = finding;
  return { fingerprint, tool, ruleId, title, message, severity, confidence, cwe, path, tools };
}
