import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Report } from '../core/report.ts';
import type { Request, TriageOrder } from '../core/request.ts';
import { listPullRequests, readRepositoryHost } from '../graph/code-findings.ts';
import type { Graph } from '../graph/graph.ts';
import { describeItem, listMissingSchema } from '../graph/initialise-graph.ts';
import { connectGraph } from '../graph/neo4j.ts';
import type { Tenant } from '../graph/tenant.ts';
import type { Policy } from '../policy/schema.ts';
import { keepHeapTight } from '../runner/tight-heap.ts';
import type { OwnFindings } from '../triage/own-findings.ts';
import { toOwnFindings } from '../triage/own-report.ts';
import { runTriage, type TriageOutcome } from '../triage/run-triage.ts';
import type { TriageModel } from '../triage/triage-model.ts';
import type { CommandContext } from './context.ts';
import type { GraphAccess } from './graph-access.ts';
import { TriageNotReady } from './graph-fault.ts';
import { hasCredential, type ModelAccess } from './model-access.ts';
import { toTriageModel } from './triage-model-setup.ts';
import { toDefaultBranchId, toTriageStore } from './triage-store.ts';

/** What a triage of the default branch works with. */
export interface TreeTriage {
  readonly request: Request;
  readonly order: TriageOrder;
  readonly policy: Policy;
  readonly access: GraphAccess | null;
  readonly models: ModelAccess;
}

export interface TreeOutcome {
  readonly outcome: TriageOutcome;
  readonly model: TriageModel | null;
  /** Beside those of the outcome. */
  readonly notices: readonly string[];
}

/**
 * Sees before anything is examined whether the triage can be made: the address is given, the project named, the server
 * answers and has its indexes. Throws CypherFixError('missing') where not.
 */
export async function assertTriageReady(triage: TreeTriage, context: CommandContext): Promise<void> {
  toTenant(triage.policy);
  await withGraph(triage.access, context, assertSchema);
}

/** One run of the protocol with the findings of the whole tree in it. Rejects when the graph cannot be used. */
export async function triageTree(triage: TreeTriage, report: Report, context: CommandContext): Promise<TreeOutcome> {
  const { request, order, policy, access, models } = triage;
  keepHeapTight();
  const tenant = toTenant(policy);
  const now = () => Date.now();
  const setup = hasCredential(models, policy)
    ? await toTriageModel(models, policy, { asked: false, lifetime: context.signal, now })
    : null;
  const model = setup?.status === 'ok' ? setup.model : null;
  const { intel_file: intelFile, review_budget: reviewBudget } = policy.triage;
  const outcome = await withGraph(access, context, async graph => {
    await assertSchema(graph);
    return runTriage({
      store: toTriageStore(graph, tenant),
      start: { trigger: order.trigger, automatic: order.automatic },
      own: await toOwn(graph, tenant, request, order, report),
      target: { repository: request.repository, branch: request.defaultBranch },
      // A step before ours may have downloaded the feeds.
      intelFolder: intelFile === null ? null : resolve(context.env['GITHUB_WORKSPACE'] ?? '.', intelFile),
      model,
      reviewBudget,
      log: context.log,
      now,
      random: () => randomBytes(8).toString('hex'),
      signal: context.signal,
    });
  });
  const notices = setup?.status === 'none' ? [`No evidence was reviewed by a model: ${setup.reason}.`] : [];
  return { outcome, model, notices: [...order.notices, ...notices] };
}

function toTenant({ triage: { project, user } }: Policy): Tenant {
  if (project !== null && user !== null) return { userId: user, projectId: project };
  throw new TriageNotReady('a triage needs triage.project and triage.user in the policy', {
    hint: 'set both in .cypherfix.yml on the default branch',
  });
}

async function withGraph<T>(
  access: GraphAccess | null,
  { signal }: CommandContext,
  work: (graph: Graph) => Promise<T>,
): Promise<T> {
  if (access === null) {
    throw new TriageNotReady('a triage needs the graph, and the workflow gives no neo4j-uri', {
      hint: 'set the inputs neo4j-uri, neo4j-user and neo4j-password from secrets',
    });
  }
  const graph = await connectGraph({ ...access, signal });
  try {
    return await work(graph);
  } finally {
    await graph.close();
  }
}

async function assertSchema(graph: Graph): Promise<void> {
  const missing = await listMissingSchema(graph);
  if (missing.length === 0) return;
  throw new TriageNotReady(`the graph lacks ${missing.map(describeItem).slice(0, 3).join(', ')}`, {
    hint: 'run triage --neo4j URI --init once',
  });
}

async function toOwn(
  graph: Graph,
  tenant: Tenant,
  { repository, private: isPrivate }: Request,
  { closedPullRequests }: TriageOrder,
  report: Report,
): Promise<OwnFindings> {
  const host = await readRepositoryHost(graph, tenant, repository);
  const known = closedPullRequests.length === 0 ? [] : await listPullRequests(graph, tenant, repository);
  const closed = new Set(closedPullRequests);
  return toOwnFindings(report, {
    repository,
    context: { repository, public: !isPrivate, ...(host === null ? {} : { host }) },
    closedPullRequests: known.filter(number => closed.has(number)),
    toId: toDefaultBranchId(repository),
  });
}
