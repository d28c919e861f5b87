import type { ProjectFacts } from '../risk/row.ts';
import { readRepositoryHost } from './code-findings.ts';
import type { Graph } from './graph.ts';
import { loadQuery } from './load-query.ts';
import { type FactsReading, readFacts } from './read-facts.ts';
import type { Tenant } from './tenant.ts';

/** What the graph tells a review of one repository. */
export interface ReviewFacts extends FactsReading {
  /** Host that serves the repository's code; null where the graph knows none. */
  readonly host: string | null;
  /** The graph has neither facts nor runs of this project: perhaps another one is meant. */
  readonly isEmpty: boolean;
}

/** Reads in READ sessions alone. Rejects where the graph cannot be used; single fact sets may fail, and are named. */
export async function readReviewFacts(graph: Graph, tenant: Tenant, repository: string): Promise<ReviewFacts> {
  const [reading, host, runs] = await Promise.all([
    readFacts(graph, tenant),
    readRepositoryHost(graph, tenant, repository),
    graph.read(loadQuery('review-has-run'), { ...tenant }),
  ]);
  const isEmpty = runs.length === 0 && host === null && reading.failed.length === 0 && holdsNothing(reading.facts);
  return { ...reading, host, isEmpty };
}

/** Verdicts by detector are the user's, whatever the project. */
const holdsNothing = ({ detectorLabels: _, ...facts }: ProjectFacts): boolean =>
  Object.values(facts).every(set => set.size === 0);
