import { ApiError, unprocessable } from './api-error.ts';
import type { Call } from './call.ts';
import { type DiffFile, findHunk, type Hunk, listDiffFiles, mergeBase } from './diff.ts';
import type { Repository } from './repository.ts';
import type { PullRequest, Side } from './state.ts';

/** A comment as a client asks for it. */
export interface RequestedPlace {
  path: string;
  position?: number | undefined;
  line?: number | undefined;
  side?: string | undefined;
  start_line?: number | undefined;
  start_side?: string | undefined;
}

/** The same place found in the diff. */
export interface Place {
  path: string;
  side: Side;
  line: number;
  startSide: Side | null;
  startLine: number | null;
  position: number;
  diffHunk: string;
  mergeBase: string;
}

export interface Refusal {
  field: string;
  message: string;
}

const NO_HUNK = "Pull request review thread diff hunk can't be blank";

/** Finds the place in the diff of `commit` against the base, or says in GitHub's words why it is none. */
export function findPlace(
  repo: Repository,
  pull: PullRequest,
  commit: string,
  asked: RequestedPlace,
): Place | Refusal[] {
  const files = listDiffFiles(repo, pull.baseSha, commit);
  const file = files.find(candidate => candidate.path === asked.path);
  if (file === undefined) {
    return [
      { field: 'pull_request_review_thread.path', message: 'Pull request review thread path is invalid' },
      { field: 'pull_request_review_thread.diff_hunk', message: NO_HUNK },
    ];
  }
  const { side, line } = toLine(file, asked);
  const hunk = line === undefined ? undefined : findHunk(files, asked.path, side, line);
  if (line === undefined || hunk === undefined) {
    const message = 'Pull request review thread line must be part of the diff';
    return [
      { field: 'pull_request_review_thread.line', message },
      { field: 'pull_request_review_thread.diff_hunk', message: NO_HUNK },
    ];
  }
  const startSide = toSide(asked.start_side, side);
  const refusal = checkStart(hunk, { side, line, startSide, startLine: asked.start_line });
  if (refusal !== undefined) return [refusal];
  const index = hunk[side].get(line) ?? 0;
  return {
    path: asked.path,
    side,
    line,
    startSide: asked.start_line === undefined ? null : startSide,
    startLine: asked.start_line ?? null,
    position: hunk.offset + index + 1,
    diffHunk: [hunk.header, ...hunk.lines.slice(0, index + 1)].join('\n'),
    mergeBase: mergeBase(repo, pull.baseSha, commit),
  };
}

/** The commit that a review is about: the head, or one that was the pull request's at some time. */
export function checkCommit(call: Call, pull: PullRequest, commitId: string | undefined): string {
  if (commitId === undefined) return pull.headSha;
  const { repo } = call;
  if (repo.sha(commitId) === undefined) throw new ApiError(422, { message: `No commit found for SHA: ${commitId}` });
  const isOfPull =
    commitId === pull.headSha ||
    repo.git('rev-list', pull.headSha, `^${pull.baseSha}`).includes(commitId) ||
    call.site.state.reviewComments.some(comment => comment.originalCommitId === commitId) ||
    call.site.state.reviews.some(review => review.commitId === commitId);
  if (!isOfPull) throw unprocessable(['The commit_id is not part of the pull request']);
  return commitId;
}

function checkStart(
  hunk: Hunk,
  place: { side: Side; line: number; startSide: Side; startLine: number | undefined },
): Refusal | undefined {
  if (place.startLine === undefined) return undefined;
  const field = 'pull_request_review_thread.start_line';
  const end = hunk[place.side].get(place.line) ?? 0;
  const start = hunk[place.startSide].get(place.startLine);
  const sameSideOrder = place.startSide === place.side && place.startLine >= place.line;
  if (sameSideOrder) return { field, message: 'Pull request review thread start line must precede the end line.' };
  if (start === undefined) {
    return { field, message: 'Pull request review thread start line must be part of the same hunk as the line.' };
  }
  if (start >= end) return { field, message: 'Pull request review thread start line must precede the end line.' };
  return undefined;
}

/** The old `position` counts patch lines below the file's first hunk header. */
function toLine(file: DiffFile, asked: RequestedPlace): { side: Side; line: number | undefined } {
  if (asked.line !== undefined || asked.position === undefined) {
    return { side: toSide(asked.side, 'RIGHT'), line: asked.line };
  }
  for (const hunk of file.hunks) {
    for (const side of ['RIGHT', 'LEFT'] as const) {
      for (const [line, index] of hunk[side]) if (hunk.offset + index + 1 === asked.position) return { side, line };
    }
  }
  return { side: 'RIGHT', line: undefined };
}

function toSide(side: string | undefined, otherwise: Side): Side {
  return side === 'LEFT' || side === 'RIGHT' ? side : otherwise;
}
