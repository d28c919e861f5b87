import { toEmptyReport } from '../core/empty-report.ts';
import { toMessage } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import type { Request } from '../core/request.ts';
import type { VerdictOrder, VerdictResult } from '../core/verdict.ts';
import type { Graph } from '../graph/graph.ts';
import { GraphError } from '../graph/graph-failure.ts';
import type { CommandContext } from './context.ts';
import type { GraphAccess } from './graph-access.ts';

/**
 * Writes a person's verdict into the graph and reports what came of it. A graph that cannot be used is an answer, not a
 * failure of the run: whoever asked reads why. Rejects only when the run is interrupted.
 */
export async function recordVerdict(
  request: Request,
  order: VerdictOrder,
  access: GraphAccess | null,
  { log, signal }: Pick<CommandContext, 'log' | 'signal'>,
): Promise<Report> {
  const result = await record(request.repository, order, access, { log, signal });
  const isRecorded = result.status === 'recorded';
  return {
    ...toEmptyReport({
      subject: { repository: request.repository },
      request: request.request,
      generatedAt: new Date().toISOString(),
    }),
    conclusion: isRecorded ? 'success' : 'neutral',
    gate: { tripped: false, reasons: isRecorded ? [] : [`The verdict was not recorded: ${result.message}.`] },
    verdict: result,
  };
}

async function record(
  repository: string,
  order: VerdictOrder,
  access: GraphAccess | null,
  { log, signal }: Pick<CommandContext, 'log' | 'signal'>,
): Promise<VerdictResult> {
  const { fingerprint, verdict, by } = order;
  const not = (status: VerdictResult['status'], message: string): VerdictResult => ({
    fingerprint,
    verdict,
    by,
    status,
    message,
    scopes: [],
  });
  if (access === null) return not('unavailable', 'the workflow gives this step no neo4j-uri');
  let graph: Graph | undefined;
  try {
    const { connectGraph } = await import('../graph/neo4j.ts');
    const { findFingerprints, writeVerdict } = await import('../graph/verdicts.ts');
    graph = await connectGraph({ ...access, signal });
    const tenant = { userId: order.userId, projectId: order.projectId };
    const [found, other] = await findFingerprints(graph, tenant, repository, fingerprint);
    if (other !== undefined) {
      return not('ambiguous', 'more than one finding begins with this id, so that more of its letters are needed');
    }
    if (found === undefined) return not('unknown', UNKNOWN);
    const outcome = await writeVerdict(graph, tenant, {
      repository,
      fingerprint: found,
      verdict,
      by,
      reason: order.reason,
    });
    if (outcome.status === 'busy') return not('busy', 'another run holds the finding; ask again in a minute');
    if (outcome.status === 'unknown') return not('unknown', UNKNOWN);
    return {
      fingerprint: found,
      verdict,
      by,
      status: 'recorded',
      scopes: outcome.scopes.map(({ scope, before, tier, score }) => ({ scope, before, tier, score })),
    };
  } catch (error) {
    if (signal.aborted || !(error instanceof GraphError)) throw error;
    // Its text may name the server, which is nobody's business on GitHub; the job's log masks what is secret in it.
    log.warn(`the graph: ${toMessage(error)}${error.hint === undefined ? '' : ` → ${error.hint}`}`);
    return not('unavailable', "the graph could not be used; the job's log says why");
  } finally {
    await graph?.close();
  }
}

const UNKNOWN = 'the graph holds no finding with this id; a review with the graph at hand puts it there';
