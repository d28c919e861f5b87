import { toEmptyReport } from '../core/empty-report.ts';
import { toMessage } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import type { Request } from '../core/request.ts';
import type { VerdictOrder, VerdictResult } from '../core/verdict.ts';
import type { Graph } from '../graph/graph.ts';
import type { CommandContext } from './context.ts';
import type { GraphAccess } from './graph-access.ts';
import { toTellable } from './graph-fault.ts';

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
  const result = await record(request, order, access, { log, signal });
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
  { repository, private: isPrivate }: Request,
  order: VerdictOrder,
  access: GraphAccess | null,
  { log, signal }: Pick<CommandContext, 'log' | 'signal'>,
): Promise<VerdictResult> {
  const { fingerprint, verdict, by } = order;
  const isPublic = !isPrivate;
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
    const fault = toTellable(error, isPublic);
    const answer = toTellable(error, true);
    if (signal.aborted || fault === null || answer === null) throw error;
    log.warn(`${toMessage(fault)}${fault.hint === undefined ? '' : ` → ${fault.hint}`}`);
    // The server is nobody's business in a comment.
    return not('unavailable', toMessage(answer));
  } finally {
    await graph?.close();
  }
}

const UNKNOWN = 'the graph holds no finding with this id; a review with the graph at hand puts it there';
