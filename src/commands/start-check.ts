import { toMessage } from '../core/errors.ts';
import type { Request } from '../core/request.ts';
import { createCheckRun } from '../github/check-run.ts';
import { GitHubFailure } from '../github/failure.ts';
import { toRunLabel } from '../runner/folder.ts';
import type { Resolving } from './resolving.ts';

/** Writes the check in progress; a token that may not write one (a fork's) leaves the reason instead. */
export async function startCheck(
  { gh, repository, context }: Resolving,
  headSha: string,
): Promise<Pick<Request, 'checkRunId' | 'checkRefusal'>> {
  try {
    const check = await createCheckRun(gh, repository, {
      headSha,
      externalId: toRunLabel(context.env, 'local'),
      output: { title: 'Examining the change…', summary: 'The scanners run; the result replaces this text.' },
    });
    return { checkRunId: check.id, checkRefusal: null };
  } catch (error) {
    if (!(error instanceof GitHubFailure)) throw error;
    context.log.info(`no check run: ${toMessage(error)}`);
    return { checkRunId: null, checkRefusal: toMessage(error) };
  }
}
