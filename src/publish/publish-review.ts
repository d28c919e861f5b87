import type { Report, ReportFinding } from '../core/report.ts';
import type { GitHub } from '../github/client.ts';
import type { RepositoryName } from '../github/repository-name.ts';
import { type Review, updateReview } from '../github/reviews.ts';
import { findAcceptanceBlock } from '../render/acceptance-section.ts';
import { type ClosedThreads, closeThreads } from './close-threads.ts';
import { fetchPast, shownInBody } from './fetch-past.ts';
import { createFindingIndex } from './finding-index.ts';
import { isOwn } from './ownership.ts';
import { type Past, planReview, type ReviewPlan } from './plan-review.ts';
import { postReview } from './post-review.ts';
import { isPartOf, isReviewOf, renderClosing, renderComment, renderPart, renderReview } from './review-texts.ts';

export interface ReviewTarget {
  readonly repository: RepositoryName;
  readonly number: number;
  readonly headSha: string;
  readonly serverUrl: string;
  /** Sentences that the review must carry, such as where a report came from. */
  readonly notes: readonly string[];
  readonly trustedBots: readonly string[];
}

export interface PublishedReview {
  readonly url: string;
  /** Inline comments that this run added. */
  readonly posted: number;
  readonly still: number;
  readonly closed: ClosedThreads;
  /** What GitHub did not take, in sentences. */
  readonly problems: readonly string[];
}

/**
 * Reads what our earlier runs left on the pull request, writes only what is new and closes what is gone. Rejects with
 * GitHubFailure when the review could not be written; nothing is lost then, since the job summary holds everything.
 */
export async function publishReview(gh: GitHub, report: Report, target: ReviewTarget): Promise<PublishedReview> {
  const { repository, number, trustedBots } = target;
  const past = await fetchPast(gh, repository, number, trustedBots);
  const plan = planReview(report, past);
  const written =
    plan.review.kind === 'create'
      ? await create(gh, report, target, plan, past)
      : await update(gh, report, target, plan, past, plan.review.target);
  const closed = await closeThreads(
    gh,
    repository,
    number,
    plan.close.map(({ own, why }) => ({
      thread: own.thread,
      reply: renderClosing(own.fingerprint, why, target.headSha),
    })),
  );
  const problems = [...written.problems, ...closed.problems];
  return {
    url: written.url,
    posted: written.posted,
    still: plan.stillInline.length + plan.stillInBody.length,
    closed,
    problems,
  };
}

interface Written {
  readonly url: string;
  readonly posted: number;
  readonly problems: readonly string[];
}

async function create(
  gh: GitHub,
  report: Report,
  target: ReviewTarget,
  plan: ReviewPlan,
  past: Past,
): Promise<Written> {
  const known = new Set(past.reviews.map(review => review.id));
  const isNew = (review: Review) => !known.has(review.id) && isOwn(review, target.trustedBots);
  const posted = await postReview(gh, target.repository, {
    number: target.number,
    headSha: target.headSha,
    comments: plan.inline.map(finding => toComment(report, finding, target)),
    renderBody: inBody => {
      const moved = plan.inline.filter((_, index) => inBody.includes(index));
      const inline = plan.inline.filter((_, index) => !inBody.includes(index));
      return renderReview(report, {
        ...target,
        ...toMemory(report, past, target),
        inline: [...inline, ...plan.stillInline],
        body: [...moved, ...plan.body],
      });
    },
    renderPart: part => renderPart(target.headSha, part),
    isReview: candidate => isNew(candidate) && isReviewOf(candidate.body, target.headSha),
    isPart: (candidate, part) => isNew(candidate) && isPartOf(candidate.body, target.headSha, part),
  });
  const { length } = posted.refused;
  const problems = length === 0 ? [] : [`GitHub did not take ${length} inline comments; they are in the review's body`];
  return { url: posted.url, posted: plan.inline.length - length, problems };
}

async function update(
  gh: GitHub,
  report: Report,
  target: ReviewTarget,
  plan: ReviewPlan,
  past: Past,
  review: Review,
): Promise<Written> {
  const own = new Set([...shownInBody(review)].map(createFindingIndex(report.findings)));
  const inBody = plan.stillInBody.filter(finding => own.has(finding));
  // GitHub keeps line ends as it likes; only a change of text is worth a write.
  const before = review.body.replace(/\r\n/g, '\n').trim();
  const acceptance = findAcceptanceBlock(before, target.headSha);
  const view = { ...target, ...toMemory(report, past, target), acceptance };
  const body = renderReview(report, { ...view, inline: plan.stillInline, body: inBody });
  if (body.trim() !== before) {
    await updateReview(gh, target.repository, target.number, review.id, body);
  }
  return { url: review.url, posted: 0, problems: [] };
}

/** What the next run reads in the review's hidden state besides findings. */
const toMemory = (report: Report, { spentUsd, acceptanceHead }: Past, { headSha }: ReviewTarget) => ({
  spentUsd: spentUsd + report.cost.usd,
  acceptanceHead: (report.acceptance?.issues.length ?? 0) > 0 ? headSha : acceptanceHead,
});

const toComment = (report: Report, finding: ReportFinding, target: ReviewTarget) => ({
  path: finding.path,
  line: finding.endLine,
  startLine: finding.startLine,
  body: renderComment(report, finding, target),
});
