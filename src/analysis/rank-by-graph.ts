import type { ReportFinding } from '../core/report.ts';
import type { FindingRisk } from '../core/risk.ts';
import { type CodeScope, type CodeVerdict, toCodeFindingId } from '../graph/code-findings.ts';
import type { ReviewFacts } from '../graph/read-review-facts.ts';
import type { PullRequestFinding } from '../graph/save-pull-request.ts';
import { type ScorableFinding, toCodeFindingRow } from '../risk/code-finding.ts';
import { hashEvidence, renderEvidence } from '../risk/evidence.ts';
import { groupKeyOf } from '../risk/group-key.ts';
import { combineLayers, toBaseLayer } from '../risk/layers.ts';
import { detectorKey } from '../risk/learn.ts';
import { type FindingRow, NO_INTEL } from '../risk/row.ts';
import { scoreRow } from '../risk/score.ts';
import { rankAlone } from './rank-findings.ts';

/** What was read, and of which repository. */
export interface GraphKnowledge {
  readonly facts: ReviewFacts;
  /** People's, by fingerprint. */
  readonly verdicts: ReadonlyMap<string, Pick<CodeVerdict, 'status'>>;
  /** Scopes that the findings may stand in. */
  readonly scopes: readonly CodeScope[];
  readonly isPublic: boolean;
}

/**
 * Fingerprint → ranking, where the graph makes it another. Of a public repository's findings it gives away tier and score
 * alone: factors, state and rule are those of a finding of which nothing is known.
 */
export function rankByGraph(
  findings: readonly ScorableFinding[],
  known: GraphKnowledge,
): ReadonlyMap<string, FindingRisk> {
  const changed = new Map<string, FindingRisk>();
  for (const finding of findings) {
    const alone = rankAlone(finding, { public: known.isPublic });
    const whole = rankWhole(finding, known);
    const shown = known.isPublic ? { ...alone, tier: whole.tier, score: whole.score } : whole;
    if (JSON.stringify(shown) !== JSON.stringify(alone)) changed.set(finding.fingerprint, shown);
  }
  return changed;
}

/** A finding of the pull request as it is kept in the graph. */
export function toPullRequestFinding(
  finding: ReportFinding,
  scope: CodeScope,
  known: GraphKnowledge,
): PullRequestFinding {
  const { fingerprint } = finding;
  const id = toCodeFindingId(scope, fingerprint);
  const row = toGraphRow(finding, known);
  const score = scoreRow(row, known.facts.facts, NO_INTEL);
  return {
    id,
    fingerprint,
    row,
    ranking: {
      label: 'CodeFinding',
      id,
      seenUpdatedAt: null,
      base: toBaseLayer(score),
      evidenceHash: hashEvidence(renderEvidence(row)),
      signals: score.signals,
      host: score.host,
      groupKey: groupKeyOf(row),
      detector: detectorKey(row),
      intelDate: null,
      proof: known.facts.proofByHost.get(score.host) ?? [],
      review: null,
    },
  };
}

function rankWhole(finding: ScorableFinding, known: GraphKnowledge): FindingRisk {
  const base = toBaseLayer(scoreRow(toGraphRow(finding, known), known.facts.facts, NO_INTEL));
  const decision = known.verdicts.get(finding.fingerprint);
  const { factors, risk, tier, score, state, tierRule } = combineLayers({ base, decision, evidenceHash: '' });
  return { C: factors.C, L: factors.L, I: factors.I, R: factors.R, risk, tier, score, state, rule: tierRule };
}

/** Its id is that of the node that somebody proved, if one was. */
function toGraphRow(finding: ScorableFinding, { facts, scopes, isPublic }: GraphKnowledge): FindingRow {
  const [repository] = scopes.map(scope => scope.repository);
  const { provenFindingIds } = facts.facts;
  const proven = scopes
    .map(scope => toCodeFindingId(scope, finding.fingerprint))
    .find(nodeId => provenFindingIds.has(nodeId));
  const row = toCodeFindingRow(finding, {
    public: isPublic,
    ...(repository === undefined ? {} : { repository }),
    ...(facts.host === null ? {} : { host: facts.host }),
  });
  return proven === undefined ? row : { ...row, id: proven };
}
