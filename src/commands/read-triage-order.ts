import { toMessage } from '../core/errors.ts';
import { MAX_CLOSED_PULL_REQUESTS, type TriageOrder } from '../core/request.ts';
import { fetchFile } from '../github/contents.ts';
import { GitHubFailure } from '../github/failure.ts';
import { listClosedPullRequests } from '../github/pull-request.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import type { Resolving } from './resolving.ts';

/**
 * The triage that follows the examination of the default branch at `headSha`: asked for by mode `triage`, or due where
 * mode `auto` examines a push or the schedule and the policy names a project. Null where none is.
 */
export async function readTriageOrder(resolving: Resolving, headSha: string): Promise<TriageOrder | null> {
  const { event, inputs } = resolving;
  const asked = inputs.mode === 'triage';
  const automatic = event.name === 'push' || event.name === 'schedule';
  if (!asked && !(inputs.mode === 'auto' && automatic && (await namesProject(resolving, headSha)))) return null;
  const trigger = event.name === 'push' || event.name === 'schedule' ? event.name : 'dispatch';
  return { asked, automatic, trigger, ...(await readClosed(resolving)) };
}

/** A policy that cannot be read is told by the step that works by it. */
async function namesProject({ gh, repository, inputs, context }: Resolving, headSha: string): Promise<boolean> {
  try {
    const bytes = await fetchFile(gh, repository, inputs.configPath, headSha);
    const { project, user } = parsePolicy(bytes, inputs.configPath).triage;
    return project !== null && user !== null;
  } catch (error) {
    context.log.info(`no triage: the policy could not be read: ${toMessage(error)}`);
    return false;
  }
}

async function readClosed({ gh, repository }: Resolving): Promise<Pick<TriageOrder, 'closedPullRequests' | 'notices'>> {
  try {
    const closedPullRequests = await listClosedPullRequests(gh, repository, MAX_CLOSED_PULL_REQUESTS);
    return { closedPullRequests, notices: [] };
  } catch (error) {
    if (!(error instanceof GitHubFailure)) throw error;
    const notice = `What closed pull requests left in the graph stays for now: ${toMessage(error)}.`;
    return { closedPullRequests: [], notices: [notice] };
  }
}
