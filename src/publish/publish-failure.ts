import type { GitHub } from '../github/client.ts';
import { renderErrorCheckRun } from '../render/check-run.ts';
import { finishRequest } from './finish-request.ts';
import { createNotes } from './notes.ts';
import type { Publication } from './publish-report.ts';
import { writeCheck } from './publish-report.ts';
import type { PublishTarget } from './target.ts';

export const WHAT_TO_DO = 'Run the job again; if it ends the same way, its log says what is missing.';

/** Says on GitHub that the run has no result, and why: nothing was examined, so the check fails. */
export async function publishFailure(gh: GitHub, target: PublishTarget, reason: string): Promise<Publication> {
  const notes = createNotes();
  const check = await writeCheck(gh, target, renderErrorCheckRun(reason, WHAT_TO_DO), 'failure', notes);
  notes.add(...(await finishRequest(gh, target, false)));
  return { check, review: null, notes: notes.all() };
}
