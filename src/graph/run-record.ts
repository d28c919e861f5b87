import { randomUUID } from 'node:crypto';
import type { Graph, GraphTx } from './graph.ts';
import { loadQuery } from './load-query.ts';
import { MINUTE_MS, RUN_LIMITS, type RunLimits } from './run-limits.ts';
import type { Tenant } from './tenant.ts';

export interface RunStart {
  /** What started it, in one word. */
  readonly trigger: string;
  /** Started by no person: cooldown and daily cap hold. */
  readonly automatic: boolean;
  readonly modelVersion: string;
}

export type Authorization =
  | {
      readonly status: 'granted';
      readonly runId: string;
      /** Earlier runs that had fallen silent; they are marked failed (agent_lost). */
      readonly lost: readonly string[];
    }
  | RefusedStart;

export interface RefusedStart {
  readonly status: 'refused';
  readonly why: 'live' | 'cooldown' | 'daily_cap';
  /** For people. */
  readonly reason: string;
  /** The run that is in the way. */
  readonly runId?: string;
}

export interface RunProgress {
  /** Up to 40 characters. */
  readonly phase: string;
  /** 0 to 100. */
  readonly progress: number;
}

/**
 * Opens a run in one transaction that holds the project's lock: of two starts at once one is refused. Runs without a
 * heartbeat are marked first. A refusal is a value; an unusable graph rejects.
 */
export function authorizeRun(
  graph: Graph,
  tenant: Tenant,
  start: RunStart,
  limits: RunLimits = RUN_LIMITS,
): Promise<Authorization> {
  // Chosen before the first attempt, so that a repeated attempt knows the run that a lost answer hid.
  const runId = randomUUID();
  return graph.write(tx => authorize(tx, tenant, { ...start, runId }, limits), { timeoutMs: limits.authorizeMs });
}

async function authorize(
  tx: GraphTx,
  tenant: Tenant,
  start: RunStart & { readonly runId: string },
  limits: RunLimits,
): Promise<Authorization> {
  const params = { ...tenant, ttlMs: limits.ttlMs };
  await tx.run(loadQuery('run-lock-project'), params);
  const live = await tx.run(loadQuery('run-list-live'), params);
  if (live.some(run => run['id'] === start.runId)) return { status: 'granted', runId: start.runId, lost: [] };
  const silent = live.filter(run => run['lost'] === true).map(run => run['id']);
  const marked = silent.length === 0 ? [] : await tx.run(loadQuery('run-mark-lost'), { ...params, ids: silent });
  const lost = marked.map(run => String(run['id']));
  const left = live.find(run => !lost.includes(String(run['id'])));
  if (left !== undefined) return refuseForLive(String(left['id']), String(left['phase']), left['heartbeatAt']);
  if (start.automatic) {
    const refusal = await refuseAutomatic(tx, tenant, limits);
    if (refusal !== undefined) return refusal;
  }
  const { runId, trigger, automatic, modelVersion } = start;
  await tx.run(loadQuery('run-create'), {
    ...tenant,
    runId,
    trigger: trigger.slice(0, 40),
    automatic,
    modelVersion: modelVersion.slice(0, 40),
  });
  return { status: 'granted', runId, lost };
}

const refuseForLive = (runId: string, phase: string, heartbeatAt: unknown): RefusedStart => ({
  status: 'refused',
  why: 'live',
  runId,
  reason: `run ${runId} of this project is still at work (${phase}, last heard of at ${heartbeatAt ?? 'no time'})`,
});

async function refuseAutomatic(tx: GraphTx, tenant: Tenant, limits: RunLimits): Promise<RefusedStart | undefined> {
  const runs = await tx.run(loadQuery('run-list-automatic'), { ...tenant });
  const sinceEndMs = Math.min(...runs.map(run => Number(run['sinceEndMs'])));
  if (sinceEndMs < limits.cooldownMs) {
    return {
      status: 'refused',
      why: 'cooldown',
      reason: `the last automatic run ended less than ${inMinutes(limits.cooldownMs)} ago; the next may start in ${inMinutes(limits.cooldownMs - sinceEndMs)}`,
    };
  }
  const agesMs = runs.map(run => Number(run['sinceStartMs'])).filter(age => age < limits.capWindowMs);
  if (agesMs.length < limits.dailyCap) return undefined;
  return {
    status: 'refused',
    why: 'daily_cap',
    reason: `${agesMs.length} automatic runs started within ${inMinutes(limits.capWindowMs)}, the most allowed; the next may start in ${inMinutes(limits.capWindowMs - Math.max(...agesMs))}`,
  };
}

function inMinutes(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  if (minutes % 60 === 0 && minutes > 60) return `${minutes / 60} hours`;
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** Shows that the run lives, and how far it is. `abort` when it was ended by somebody else, or is not there. */
export async function heartbeatRun(
  graph: Graph,
  tenant: Tenant,
  runId: string,
  { phase, progress }: RunProgress,
  limits: RunLimits = RUN_LIMITS,
): Promise<'go-on' | 'abort'> {
  const rows = await graph.write(
    tx =>
      tx.run(loadQuery('run-heartbeat'), {
        ...tenant,
        runId,
        phase: phase.slice(0, 40),
        progress: Math.min(100, Math.max(0, Math.round(progress) || 0)),
      }),
    { timeoutMs: limits.heartbeatMs, attempts: 2 },
  );
  return rows.length === 0 ? 'abort' : 'go-on';
}

export type Claim = { readonly status: 'claimed' } | { readonly status: 'refused'; readonly reason: string };

/**
 * The last moment to be refused, running → publishing. A run that somebody marked, or that nobody has heard of for too
 * long, may not publish. Claiming twice is the same as once.
 */
export function claimRun(graph: Graph, tenant: Tenant, runId: string, limits: RunLimits = RUN_LIMITS): Promise<Claim> {
  return graph.write(
    async tx => {
      await tx.run(loadQuery('run-lock-project'), { ...tenant });
      const [run] = await tx.run(loadQuery('run-lock'), { ...tenant, runId, ttlMs: limits.ttlMs });
      if (run === undefined) return { status: 'refused', reason: `run ${runId} is not in the graph` };
      if (run['status'] === 'publishing') return { status: 'claimed' };
      if (run['status'] !== 'running') {
        const fault = run['errorClass'];
        const why = typeof fault === 'string' ? `${run['status']} (${fault})` : run['status'];
        return { status: 'refused', reason: `run ${runId} was ended meanwhile: ${why}` };
      }
      if (run['lost'] === true) {
        return { status: 'refused', reason: `run ${runId} has been silent for ${inMinutes(limits.ttlMs)} or longer` };
      }
      await tx.run(loadQuery('run-claim'), { ...tenant, runId });
      return { status: 'claimed' };
    },
    { timeoutMs: limits.authorizeMs },
  );
}
