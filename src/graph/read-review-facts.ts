import type { ProjectFacts } from '../risk/row.ts';
import { readRepositoryHost } from './code-findings.ts';
import type { Graph } from './graph.ts';
import { listMissingSchema } from './initialise-graph.ts';
import { loadQuery } from './load-query.ts';
import { type FactsReading, readFacts } from './read-facts.ts';
import type { Tenant } from './tenant.ts';

/** What the graph tells a review of one repository. */
export interface ReviewFacts extends FactsReading {
  /** Host that serves the repository's code; null where the graph knows none. */
  readonly host: string | null;
  /** The graph has neither facts nor runs of this project: perhaps another one is meant. */
  readonly isEmpty: boolean;
  /** Without them two runs at once could make two nodes of one finding, and each would be looked for among all. */
  readonly lacksConstraints: boolean;
}

/** Reads in READ sessions alone. Rejects where the graph cannot be used; single fact sets may fail, and are named. */
export async function readReviewFacts(graph: Graph, tenant: Tenant, repository: string): Promise<ReviewFacts> {
  const [reading, host, runs, missing] = await Promise.all([
    readFacts(graph, tenant),
    readRepositoryHost(graph, tenant, repository),
    graph.read(loadQuery('review-has-run'), { ...tenant }),
    // A user that may not list them may still use them.
    listMissingSchema(graph).catch(() => []),
  ]);
  const isEmpty = runs.length === 0 && host === null && reading.failed.length === 0 && holdsNothing(reading.facts);
  const lacksConstraints = missing.some(({ label }) => label === 'CodeFinding');
  return { ...reading, host, isEmpty, lacksConstraints };
}

/** Verdicts by detector are the user's, whatever the project. */
const holdsNothing = ({ detectorLabels: _, ...facts }: ProjectFacts): boolean =>
  Object.values(facts).every(set => set.size === 0);
