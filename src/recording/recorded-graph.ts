import { z } from 'zod';
import type { ReviewGraph } from '../analysis/review-graph.ts';
import { ReportRisk } from '../core/report.ts';

/** What a review heard of the graph: ranks that it changed, and notices. Facts are not kept. */
export const RecordedGraph = z.strictObject({
  ranks: z.array(
    z.strictObject({ fingerprint: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits'), risk: ReportRisk }),
  ),
  notices: z.array(z.string()),
  /** Of keeping the findings. */
  kept: z.array(z.string()),
});
export type RecordedGraph = z.infer<typeof RecordedGraph>;

/** Passes everything on and notes what comes back. */
export function recordingGraph(graph: ReviewGraph): {
  readonly outside: ReviewGraph;
  readonly finish: () => RecordedGraph;
} {
  const ranks: RecordedGraph['ranks'] = [];
  const notices: string[] = [];
  const kept: string[] = [];
  return {
    outside: {
      ...graph,
      async rank(findings) {
        const ranking = await graph.rank(findings);
        for (const [fingerprint, risk] of ranking.changed) ranks.push({ fingerprint, risk });
        notices.push(...ranking.notices);
        return ranking;
      },
      async keep(findings, complete) {
        const told = await graph.keep(findings, complete);
        kept.push(...told);
        return told;
      },
    },
    finish: () => ({ ranks, notices, kept }),
  };
}

/** Says what was heard, and talks to no server. */
export const replayGraph = ({ ranks, notices, kept }: RecordedGraph): ReviewGraph => ({
  begin: () => {},
  rank: async () => ({ changed: new Map(ranks.map(({ fingerprint, risk }) => [fingerprint, risk])), notices }),
  keep: async () => kept,
  close: async () => {},
});
