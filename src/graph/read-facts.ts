import { toMessage } from '../core/errors.ts';
import type { ProjectFacts } from '../risk/row.ts';
import type { Graph, Row } from './graph.ts';
import { readGraphFailure } from './graph-failure.ts';
import { PROOF_TYPES } from './live-proof.ts';
import { loadQuery } from './load-query.ts';
import { FACT_SETS, type FactSet, type ProofLink, reduceFacts } from './reduce-facts.ts';
import type { Tenant } from './tenant.ts';

export interface FactsReading {
  readonly facts: ProjectFacts;
  /** By host: what proves that it was broken into. */
  readonly proofByHost: ReadonlyMap<string, readonly ProofLink[]>;
  /** Fact sets that could not be read, with the reason; they are empty then, which means "not known". */
  readonly failed: readonly string[];
}

/** Who lists ports without having looked. */
const PASSIVE_SOURCES = ['shodan', 'censys', 'fofa', 'netlas', 'zoomeye', 'internetdb', 'criminalip', 'uncover'];

/**
 * What the graph knows of the project around its findings, and people's verdicts by detector. A set that cannot be read
 * is left empty and named; rejects only where the graph cannot be reached or refuses the user.
 */
export async function readFacts(
  graph: Graph,
  tenant: Tenant,
  options: { readonly timeoutMs?: number } = {},
): Promise<FactsReading> {
  const params = { proofTypes: PROOF_TYPES, passiveSources: PASSIVE_SOURCES, ...tenant };
  const failed: string[] = [];
  const sets = await Promise.all(
    FACT_SETS.map(async (set): Promise<[FactSet, readonly Row[]]> => {
      try {
        return [set, await graph.read(loadQuery(`facts-${set}`), params, options)];
      } catch (error) {
        const failure = readGraphFailure(error);
        if (failure === 'unreachable' || failure === 'unauthorized') throw error;
        failed.push(`${set}: ${toMessage(error).slice(0, 200)}`);
        return [set, []];
      }
    }),
  );
  return { ...reduceFacts(new Map(sets)), failed: failed.sort() };
}
