import type { ReportFinding } from '../core/report.ts';
import type { FindingRisk } from '../core/risk.ts';
import type { ScorableFinding } from '../risk/code-finding.ts';

/**
 * The attack-surface graph as a review sees it. A graph that cannot be used is told in a notice; methods reject only when
 * the run is interrupted.
 */
export interface ReviewGraph {
  /** Begins to read, so that the answer is there when it is asked for. */
  begin(): void;
  /** What the graph's facts and people's verdicts make of the findings' ranks. */
  rank(findings: readonly ScorableFinding[]): Promise<GraphRanking>;
  /**
   * Keeps the pull request's findings, so that verdicts can be given on them; nothing where the run is of none. Returns
   * notices. `complete`: everything was examined, so that what is not among them is gone.
   */
  keep(findings: readonly ReportFinding[], complete: boolean): Promise<readonly string[]>;
  /** Lets the server go; never rejects. */
  close(): Promise<void>;
}

export interface GraphRanking {
  /** Fingerprint → ranking, where it is another than without the graph; as much of it as may be shown. */
  readonly changed: ReadonlyMap<string, FindingRisk>;
  /** Plain sentences. */
  readonly notices: readonly string[];
}

/** A run without a graph, for reasons that people are told, or that are no one's business. */
export const withoutGraph = (notices: readonly string[] = []): ReviewGraph => ({
  begin: () => {},
  rank: async () => ({ changed: new Map(), notices }),
  keep: async () => [],
  close: async () => {},
});
