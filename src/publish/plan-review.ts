import type { Report, ReportFinding } from '../core/report.ts';
import { MAX_REVIEW_COMMENTS } from '../github/limits.ts';
import type { Review } from '../github/reviews.ts';
import type { OwnThread } from './own-threads.ts';

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
  const standing = new Set(past.threads.filter(own => isStanding(own, past)).map(own => own.fingerprint));
  const isShown = (f: ReportFinding) =>
    past.shownInBody.has(f.fingerprint) || (past.isBodyPartial && f.placement === 'body');
  const isKnown = (f: ReportFinding) => standing.has(f.fingerprint) || isShown(f);
  const fresh = open.filter(f => !isKnown(f));
  const anchored = fresh.filter(f => f.placement === 'inline');
  const inline = anchored.slice(0, MAX_REVIEW_COMMENTS);
  const body = fresh.filter(f => !inline.includes(f));
  const target = past.review;
  const isUpdate = fresh.length === 0 && target !== null && target.byViewer;
  return {
    inline,
    body,
    stillInline: open.filter(f => standing.has(f.fingerprint)),
    stillInBody: open.filter(f => !standing.has(f.fingerprint) && isShown(f)),
    ...planThreads(report, past),
    review: isUpdate ? { kind: 'update', target } : { kind: 'create' },
  };
}

/**
 * False for a thread that no longer speaks for its finding: closed when the finding was gone, and now it is back. A
 * thread that a person closed while the finding was there keeps speaking, so that the finding is not posted again.
 */
function isStanding(own: OwnThread, past: Past): boolean {
  const isClosed = own.thread.isResolved || own.isMarkedGone;
  return !isClosed || past.lastSeen === null || past.lastSeen.has(own.fingerprint);
}

function planThreads(report: Report, past: Past): Pick<ReviewPlan, 'close' | 'unknown'> {
  const present = new Map(report.findings.map(f => [f.fingerprint, f]));
  const close: { own: OwnThread; why: 'gone' | 'suppressed' }[] = [];
  const unknown: OwnThread[] = [];
  for (const own of past.threads) {
    if (own.thread.isResolved || own.isMarkedGone || own.isTouched) continue;
    const finding = present.get(own.fingerprint);
    if (finding?.suppressed !== undefined) close.push({ own, why: 'suppressed' });
    if (finding !== undefined) continue;
    if (isExamined(report, own)) close.push({ own, why: 'gone' });
    else unknown.push(own);
  }
  return { close, unknown };
}

/**
 * True when this run can tell that the finding is gone: the file was deleted or left the change, or every tool that had
 * reported it examined the file without trouble. Where the comment names no tool, all of the run's scanners must have
 * ended well.
 */
function isExamined(report: Report, own: OwnThread): boolean {
  const { path } = own.thread;
  const file = report.ledger.files.find(f => f.path === path || f.previousPath === path);
  if (file === undefined) return !report.subject.all;
  if (file.status === 'deleted') return true;
  const examined = file.examinedBy.filter(tool => !file.partial?.some(p => p.tool === tool));
  if (own.tools.length > 0) return own.tools.every(tool => examined.includes(tool));
  return examined.length > 0 && report.scanners.every(s => s.status === 'ok' || s.status === 'skipped');
}
