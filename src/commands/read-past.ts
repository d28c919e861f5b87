import { toMessage } from '../core/errors.ts';
import { severityRank } from '../core/finding.ts';
import { MAX_OPEN_FINDINGS, type OpenAiFinding } from '../core/open-finding.ts';
import type { Request } from '../core/request.ts';
import { GitHubFailure } from '../github/failure.ts';
import { fetchPast } from '../publish/fetch-past.ts';
import { isOpen, type OwnThread } from '../publish/own-threads.ts';
import type { Resolving } from './resolving.ts';

type PastOfRequest = Pick<Request, 'openFindings' | 'openFindingsUnread' | 'spentUsd' | 'acceptanceHead'>;

/** Where there is no pull request there is nothing to remember. */
export const NO_PAST: PastOfRequest = {
  openFindings: [],
  openFindingsUnread: null,
  spentUsd: 0,
  acceptanceHead: null,
};

/**
 * What our earlier runs left on a pull request and `analyze` has to know: it has no way to GitHub. Where GitHub does not
 * give it, the reason is said, so that nothing that stood open counts as gone. Rejects only when the run is interrupted.
 */
export async function readPast({ gh, repository, inputs, context }: Resolving, number: number): Promise<PastOfRequest> {
  try {
    const past = await fetchPast(gh, repository, number, inputs.trustedBots);
    const { spentUsd, acceptanceHead } = past;
    return { ...toOpenFindings(past.threads), spentUsd, acceptanceHead };
  } catch (error) {
    if (context.signal.aborted || !(error instanceof GitHubFailure)) throw error;
    const reason = `What reviewers found in earlier runs could not be read: ${toMessage(error)}`.slice(0, 900);
    context.log.warn(reason);
    return { ...NO_PAST, openFindingsUnread: `${reason.replace(/\.$/, '')}.` };
  }
}

/** Reviewers' findings whose thread is open, each once, the worst first. Pure. */
export function toOpenFindings(
  threads: readonly OwnThread[],
): Pick<PastOfRequest, 'openFindings' | 'openFindingsUnread'> {
  const open = new Map<string, OpenAiFinding>();
  for (const own of threads) if (own.reviewed !== null && isOpen(own)) open.set(own.fingerprint, own.reviewed);
  const sorted = [...open.values()].sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
  const left = sorted.length - MAX_OPEN_FINDINGS;
  return {
    openFindings: sorted.slice(0, MAX_OPEN_FINDINGS),
    openFindingsUnread:
      left > 0 ? `${left} open findings of reviewers are beyond the ${MAX_OPEN_FINDINGS} that a run looks at.` : null,
  };
}
