import type { Report } from '../core/report.ts';
import type { GitHub } from '../github/client.ts';
import { type CheckRunTexts, renderCheckRun } from '../render/check-run.ts';
import { finishRequest } from './finish-request.ts';
import { createNotes, type Notes } from './notes.ts';
import { type PublishedCheck, publishCheck } from './publish-check.ts';
import { type PublishedReview, publishReview } from './publish-review.ts';
import { recordSpending } from './record-spending.ts';
import { fetchStanding, type Standing } from './standing.ts';
import type { PublishTarget } from './target.ts';

export interface Publication {
  readonly check: PublishedCheck | null;
  readonly review: PublishedReview | null;
  /** Sentences for the job summary: what was not written to GitHub, and why. */
  readonly notes: readonly string[];
  /** What else was written, in a sentence for the job summary. */
  readonly told?: string;
}

/**
 * Writes a report to GitHub: check run, review, threads, then the answer to whoever asked. Each write that GitHub does
 * not take becomes a note and the others go on. The live state is read first: a moved head, a closed pull request or a
 * lost permission stops the review, never the check of the examined commit. Rejects only when the run is interrupted.
 * `remarks` are sentences that every output must carry, such as where a report came from.
 */
export async function publishReport(
  gh: GitHub,
  report: Report,
  target: PublishTarget,
  remarks: readonly string[],
): Promise<Publication> {
  const notes = createNotes(remarks);
  const standing = await readStanding(gh, target, notes);
  const check = await writeCheck(
    gh,
    target,
    renderCheckRun(report, { notes: notes.all(), serverUrl: target.serverUrl }),
    report.conclusion,
    notes,
  );
  const review =
    standing?.kind === 'current'
      ? await notes.attempt('The review could not be written', () =>
          publishReview(gh, report, { ...target, number: standing.pullRequest.number, notes: remarks }),
        )
      : null;
  notes.add(...(review?.problems ?? []));
  if (review === null) await keepSpending(gh, report, target, notes);
  const isAnswered = standing?.kind === 'current' || standing?.kind === 'stale';
  notes.add(...(await finishRequest(gh, target, isAnswered)));
  return { check, review, notes: notes.all() };
}

/** What models cost counts also where no review was written. */
async function keepSpending(gh: GitHub, report: Report, target: PublishTarget, notes: Notes): Promise<void> {
  const { number } = target;
  if (number === null || report.cost.usd === 0) return;
  const kept = await notes.attempt('What the models cost could not be kept for later runs', () =>
    recordSpending(gh, { ...target, number, usd: report.cost.usd }),
  );
  if (kept === false) notes.add('There is no review yet to keep what the models cost in');
}

async function readStanding(gh: GitHub, target: PublishTarget, notes: Notes): Promise<Standing | null> {
  const { number, repository } = target;
  if (number === null) return null;
  const standing = await notes.attempt('The pull request could not be read again, so no review was written', () =>
    fetchStanding(gh, repository, { ...target, number }),
  );
  if (standing !== null && standing.kind !== 'current') notes.add(`No review was written: ${standing.reason}`);
  return standing;
}

/** Completes the check run where there may be one; what stands in the way becomes a note. */
export async function writeCheck(
  gh: GitHub,
  target: PublishTarget,
  texts: CheckRunTexts,
  conclusion: 'success' | 'failure' | 'neutral',
  notes: Notes,
): Promise<PublishedCheck | null> {
  if (target.check.kind === 'none') return null;
  if (target.check.kind === 'refused') {
    notes.add(`No check run could be written: ${target.check.reason}`);
    return null;
  }
  const id = target.check.kind === 'open' ? target.check.id : null;
  const { headSha, runLabel } = target;
  const check = await notes.attempt('The check run could not be written', () =>
    publishCheck(gh, target.repository, { ...texts, id, headSha, externalId: runLabel, conclusion }),
  );
  if (check !== null && check.refused > 0)
    notes.add(`GitHub did not take ${check.refused} annotations of the check run`);
  return check;
}
