import { REVIEWERS, type ReviewOutcome } from './outcome.ts';

/** The review without a model: it says so, finds nothing, disputes nothing and is judged by nobody. */
export function stubReview(threshold: number, reason: string = 'no model key is configured'): ReviewOutcome {
  return {
    findings: [],
    scannerNotes: [],
    resolved: [],
    review: {
      score: null,
      threshold,
      dimensions: null,
      revisions: 0,
      summary: `No AI reviewer looked at this change: ${reason}. The scanners did.`,
      budgetLimited: false,
      reviewers: REVIEWERS.map(name => ({ name, model: 'none', status: 'stub', calls: 0 })),
      dropped: [],
      disputes: [],
      injection: {},
    },
    failures: [],
    examined: [],
    notShown: [],
  };
}
