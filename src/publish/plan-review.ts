import type { Report, ReportFinding } from '../core/report.ts';
import { MAX_REVIEW_COMMENTS } from '../github/limits.ts';
import type { Review } from '../github/reviews.ts';
import { createGoneCheck } from './examined-again.ts';
import { createFindingIndex } from './finding-index.ts';
import { isOpen, type OwnThread } from './own-threads.ts';

/** What our earlier reviews of this pull request left behind. */
export interface Past {
  /** Every review of the pull request. */
  readonly reviews: readonly Review[];
  /** The newest review of our own that carries the review marker; null when there is none. */
  readonly review: Review | null;
  /** Fingerprints that any of our reviews shows in its body. */
  readonly shownInBody: ReadonlySet<string>;
  /** True when that list is cut: a finding that belongs into a body counts as shown, so that none is repeated. */
  readonly isBodyPartial: boolean;
  /** Fingerprints that the newest run saw; null when that cannot be read any more. */
  readonly lastSeen: ReadonlySet<string> | null;
  readonly threads: readonly OwnThread[];
  /** What models cost in earlier runs, in dollars. */
  readonly spentUsd: number;
  /** The head that the acceptance check saw last. */
  readonly acceptanceHead: string | null;
}

export interface ReviewPlan {
  /** New and anchored: one comment each, at most 30. */
  readonly inline: readonly ReportFinding[];
  /** New and shown in the review's body. */
  readonly body: readonly ReportFinding[];
  /** Still there, with a thread of an earlier review. */
  readonly stillInline: readonly ReportFinding[];
  /** Still there, shown in the body of an earlier review. */
  readonly stillInBody: readonly ReportFinding[];
  /** Open threads of ours whose finding is gone or suppressed. */
  readonly close: readonly { readonly own: OwnThread; readonly why: 'gone' | 'suppressed' }[];
  /** Open threads of ours whose finding was not seen, in a file that its tool did not examine. */
  readonly unknown: readonly OwnThread[];
  /** Write a new review, or keep the newest up to date. */
  readonly review: { readonly kind: 'create' } | { readonly kind: 'update'; readonly target: Review };
}

/**
 * Decides what a run writes to the pull request: only what is new, in one review; what is gone is closed. A run with
 * nothing new keeps the newest review's body up to date and writes no second one. Pure.
 */
export function planReview(report: Report, past: Past): ReviewPlan {
  const open = report.findings.filter(f => f.suppressed === undefined && f.placement !== 'summary');
  const findingOf = createFindingIndex(open);
  const toFindings = (fingerprints: Iterable<string>) => new Set([...fingerprints].map(findingOf));
  const standing = toFindings(past.threads.filter(own => isStanding(own, past)).map(own => own.fingerprint));
  const inBody = toFindings(past.shownInBody);
  const isShown = (f: ReportFinding) => inBody.has(f) || (past.isBodyPartial && f.placement === 'body');
  const isKnown = (f: ReportFinding) => standing.has(f) || isShown(f);
  const fresh = open.filter(f => !isKnown(f));
  const anchored = fresh.filter(f => f.placement === 'inline');
  const inline = anchored.slice(0, MAX_REVIEW_COMMENTS);
  const body = fresh.filter(f => !inline.includes(f));
  const target = past.review;
  const isUpdate = fresh.length === 0 && target !== null && target.byViewer;
  return {
    inline,
    body,
    stillInline: open.filter(f => standing.has(f)),
    stillInBody: open.filter(f => !standing.has(f) && isShown(f)),
    ...planThreads(report, past),
    review: isUpdate ? { kind: 'update', target } : { kind: 'create' },
  };
}

/**
 * False for a thread that no longer speaks for its finding: closed when the finding was gone, and now it is back. A
 * thread that a person closed while the finding was there keeps speaking, so that the finding is not posted again.
 */
function isStanding(own: OwnThread, past: Past): boolean {
  return isOpen(own) || past.lastSeen === null || past.lastSeen.has(own.fingerprint);
}

function planThreads(report: Report, past: Past): Pick<ReviewPlan, 'close' | 'unknown'> {
  const findingOf = createFindingIndex(report.findings);
  const isGone = createGoneCheck(report);
  const close: { own: OwnThread; why: 'gone' | 'suppressed' }[] = [];
  const unknown: OwnThread[] = [];
  for (const own of past.threads) {
    if (!isOpen(own) || own.isTouched) continue;
    const finding = findingOf(own.fingerprint);
    if (finding?.suppressed !== undefined) close.push({ own, why: 'suppressed' });
    if (finding !== null) continue;
    if (isGone(own)) close.push({ own, why: 'gone' });
    else unknown.push(own);
  }
  return { close, unknown };
}
