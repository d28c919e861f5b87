import type { GitHub } from '../github/client.ts';
import { GitHubFailure } from '../github/failure.ts';
import type { RepositoryName } from '../github/repository-name.ts';
import { minimizeComment, type ReviewThread, replyToThread, resolveReviewThread } from '../github/review-threads.ts';

export interface ThreadToClose {
  readonly thread: ReviewThread;
  /** Text and marker of the answer that says why, where neither resolving nor folding is permitted. */
  readonly reply: { readonly body: string; readonly marker: string };
}

export interface ClosedThreads {
  readonly resolved: number;
  /** Folded or answered, because the token may not resolve. */
  readonly marked: number;
  /** One line for each thread that could not be touched. */
  readonly problems: readonly string[];
}

/**
 * Closes threads whose finding is gone: resolves them, or folds the comment away, or answers in the thread, whichever
 * the token may do first. Resolving needs `contents: write`, which a review job does not have.
 */
export async function closeThreads(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
  threads: readonly ThreadToClose[],
): Promise<ClosedThreads> {
  const ways = [
    {
      name: 'resolved',
      open: true,
      applies: (t: ThreadToClose) => t.thread.viewerCanResolve,
      run: (t: ThreadToClose) => resolveReviewThread(gh, t.thread.nodeId),
    },
    {
      name: 'marked',
      open: true,
      applies: (t: ThreadToClose) => t.thread.comments[0] !== undefined,
      run: (t: ThreadToClose) => minimizeComment(gh, t.thread.comments[0]?.nodeId ?? '', 'RESOLVED'),
    },
    {
      name: 'marked',
      open: true,
      applies: (t: ThreadToClose) => t.thread.comments[0] !== undefined,
      run: (t: ThreadToClose) =>
        replyToThread(gh, repository, number, t.thread.comments[0]?.id ?? 0, t.reply.body, t.reply.marker),
    },
  ];
  const count = { resolved: 0, marked: 0 };
  const problems: string[] = [];
  for (const thread of threads) {
    let closed = false;
    let problem = 'the token may not resolve, fold or answer it';
    for (const way of ways) {
      if (closed || !way.open || !way.applies(thread)) continue;
      try {
        await way.run(thread);
        closed = true;
        count[way.name === 'resolved' ? 'resolved' : 'marked'] += 1;
      } catch (error) {
        if (!(error instanceof GitHubFailure)) throw error;
        problem = error.message;
        // What was refused for one thread is refused for all: not asked again.
        if (error.kind === 'forbidden') way.open = false;
        else if (error.kind !== 'not-found') break;
      }
    }
    if (!closed) problems.push(`thread at ${thread.thread.path} stays open: ${problem}`);
  }
  return { ...count, problems };
}
