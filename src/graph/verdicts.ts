import type { Tier } from '../risk/data/tier-rules.ts';
import { combineLayers, type FinalLayer } from '../risk/layers.ts';
import { takeCodePoints } from '../risk/text.ts';
import type { Graph, GraphTx, Row } from './graph.ts';
import { readGraphFailure } from './graph-failure.ts';
import { toFinalProperties } from './layer-properties.ts';
import { isProvenNow, PROOF_TYPES } from './live-proof.ts';
import { loadQuery } from './load-query.ts';
import { parseStoredBase, parseStoredReview, type Stored } from './stored-layers.ts';
import type { Tenant } from './tenant.ts';

/** What a person may say of a finding. */
export const VERDICTS = { real: 'confirmed', 'false-positive': 'likely_noise', reset: 'unreviewed' } as const;
export type Verdict = keyof typeof VERDICTS;

export interface VerdictRequest {
  /** `owner/name` */
  readonly repository: string;
  readonly fingerprint: string;
  readonly verdict: Verdict;
  /** Login of a person with write permission. */
  readonly by: string;
  /** In their words; may be empty. */
  readonly reason: string;
}

/** One node of the finding after the verdict; `tier` is null where no run has scored it yet. */
export interface JudgedScope {
  readonly scope: string;
  readonly before: Tier | null;
  readonly tier: Tier | null;
  readonly score: number | null;
  readonly state: string | null;
}

export type VerdictOutcome =
  | { readonly status: 'recorded'; readonly scopes: readonly JudgedScope[] }
  /** The graph holds no such finding, or it is muted. */
  | { readonly status: 'unknown' }
  /** Another transaction held it; nothing was written. */
  | { readonly status: 'busy' };

const VERDICT_MS = 15_000;

/** At most two fingerprints of the repository's findings that begin with `prefix` (hex). */
export async function findFingerprints(
  graph: Graph,
  tenant: Tenant,
  repository: string,
  prefix: string,
): Promise<string[]> {
  const rows = await graph.read(loadQuery('verdict-find'), { ...tenant, repository, prefix });
  return rows.map(row => String(row['fingerprint']));
}

/**
 * Writes a person's decision on every scope of a finding and ranks it anew, in one transaction of 15 seconds. Rejects
 * where the graph cannot be used.
 */
export async function writeVerdict(
  graph: Graph,
  tenant: Tenant,
  request: VerdictRequest,
  options: { readonly timeoutMs?: number } = {},
): Promise<VerdictOutcome> {
  try {
    const scopes = await graph.write(tx => judge(tx, tenant, request), {
      timeoutMs: options.timeoutMs ?? VERDICT_MS,
      attempts: 2,
    });
    return scopes.length === 0 ? { status: 'unknown' } : { status: 'recorded', scopes };
  } catch (error) {
    const failure = readGraphFailure(error);
    if (failure === 'busy' || failure === 'lock') return { status: 'busy' };
    throw error;
  }
}

async function judge(tx: GraphTx, tenant: Tenant, request: VerdictRequest): Promise<JudgedScope[]> {
  const { repository, fingerprint, verdict } = request;
  const found = await tx.run(loadQuery('verdict-lock'), {
    ...tenant,
    repository,
    fingerprint,
    proofTypes: PROOF_TYPES,
  });
  const status = VERDICTS[verdict];
  const judged = found.map(row => rescore(row, status));
  if (judged.length > 0) {
    await tx.run(loadQuery('verdict-write'), {
      ...tenant,
      decided: status !== 'unreviewed',
      rows: judged.map(({ node, final }) => ({
        node,
        rescored: final !== undefined,
        properties: { ...toDecision(request), ...(final === undefined ? {} : toFinalProperties(final)) },
      })),
    });
  }
  return judged.map(({ scope, before, final }) => ({
    scope,
    before,
    tier: final?.tier ?? null,
    score: final?.score ?? null,
    state: final?.state ?? null,
  }));
}

function rescore(row: Row, status: string) {
  const finding = row['finding'] as Stored;
  const base = parseStoredBase(finding);
  const id = String(finding['id'] ?? '');
  const node = { ...finding, confirmed: row['confirmed'] };
  const final: FinalLayer | undefined =
    base === undefined
      ? undefined
      : combineLayers({
          base,
          review: parseStoredReview(finding),
          decision: { status },
          evidenceHash: String(finding['triage_evidence_hash'] ?? ''),
          provenNow: isProvenNow(node, 'CodeFinding', id),
        });
  const before = finding['triage_tier'];
  return {
    node: row['node'],
    scope: String(finding['scope'] ?? ''),
    before: typeof before === 'string' ? (before as Tier) : null,
    final,
  };
}

/** The decision layer; a reset leaves no trace of an earlier one. */
function toDecision({ verdict, by, reason }: VerdictRequest): Record<string, unknown> {
  const isReset = verdict === 'reset';
  const text = takeCodePoints(reason.replace(/\s+/g, ' ').trim(), 500);
  return {
    triage_status: VERDICTS[verdict],
    triage_source: isReset ? null : 'human',
    triage_confidence: isReset ? null : 1,
    triage_reason: isReset || text === '' ? null : text,
    triage_verdict_by: isReset ? null : takeCodePoints(by, 128),
    triage_verdict_channel: null,
    triage_verdict_token: null,
  };
}
