import { findHunk, listDiffFiles, mergeBase } from './diff.ts';
import type { Repository } from './repository.ts';
import { type Site, timestamp } from './site.ts';
import type { PullRequest, ReviewComment } from './state.ts';

/** Brings every open pull request up to date with its branches, as GitHub does after a push. */
export function syncPulls(site: Site): void {
  for (const pull of site.state.pulls) {
    if (pull.state !== 'open') continue;
    const headRepository = site.repositories.get(pull.headRepository.toLowerCase());
    const head = headRepository?.sha(`refs/heads/${pull.headRef}`);
    if (head === undefined) closePull(site, pull);
    else if (head !== pull.headSha) moveHead(site, pull, head);
  }
}

/** Points the pull request at a head commit: its refs, its base, its test merge. */
export function setHead(site: Site, pull: PullRequest, head: string): void {
  const { repo } = site;
  const reference = `refs/pull/${pull.number}/head`;
  const source = site.repositories.get(pull.headRepository.toLowerCase());
  if (source !== undefined && source !== repo) {
    repo.git('fetch', '--quiet', '--no-tags', source.directory, `+refs/heads/${pull.headRef}:${reference}`);
  } else {
    repo.setRef(reference, head);
  }
  pull.headSha = head;
  pull.baseSha = repo.sha(`refs/heads/${pull.baseRef}`) ?? pull.baseSha;
  pull.mergeSha = testMerge(repo, pull);
}

export function closePull(site: Site, pull: PullRequest): void {
  pull.state = 'closed';
  pull.closedAt = timestamp(site);
  pull.updatedAt = pull.closedAt;
}

function moveHead(site: Site, pull: PullRequest, head: string): void {
  const before = pull.headSha;
  setHead(site, pull, head);
  pull.updatedAt = timestamp(site);
  if (mergeBase(site.repo, before, head) !== before) {
    for (const review of site.state.reviews) if (review.pullNumber === pull.number) review.commitId = head;
  }
  for (const comment of site.state.reviewComments) {
    if (comment.pullNumber === pull.number && comment.subject === 'line') anchorComment(site, pull, comment);
  }
}

/** Carries a comment from the commit it was made on to the head, or makes it outdated. */
export function anchorComment(site: Site, pull: PullRequest, comment: ReviewComment): void {
  const line = carry(site, pull, comment, comment.originalLine, comment.side);
  const start = comment.originalStartLine;
  const startLine = start === null ? null : carry(site, pull, comment, start, comment.startSide ?? comment.side);
  const outdated = line === null || (start !== null && startLine === null);
  comment.line = outdated ? null : line;
  comment.startLine = outdated ? null : startLine;
  if (!outdated) comment.commitId = pull.headSha;
}

function carry(
  site: Site,
  pull: PullRequest,
  comment: ReviewComment,
  line: number | null,
  side: 'LEFT' | 'RIGHT',
): number | null {
  if (line === null) return null;
  const base = mergeBase(site.repo, pull.baseSha, pull.headSha);
  const [from, to] = side === 'RIGHT' ? [comment.originalCommitId, pull.headSha] : [comment.originalMergeBase, base];
  const moved = from === to ? line : moveLine(site.repo.git('diff', '-U0', from, to, '--', comment.path), line);
  if (moved === null) return null;
  const files = listDiffFiles(site.repo, pull.baseSha, pull.headSha);
  return findHunk(files, comment.path, side, moved) === undefined ? null : moved;
}

/** Where a line of the old file is in the new one; null when the diff touches it. */
function moveLine(diff: string, line: number): number | null {
  let shift = 0;
  for (const [, start, removed = '1', , added = '1'] of diff.matchAll(
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm,
  )) {
    const first = Number(start);
    const count = Number(removed);
    if (count === 0 ? line <= first : line < first) break;
    if (line < first + count) return null;
    shift += Number(added) - count;
  }
  return line + shift;
}

function testMerge(repo: Repository, pull: PullRequest): string | null {
  try {
    const tree = repo.git('merge-tree', '--write-tree', pull.baseSha, pull.headSha).split('\n')[0] ?? '';
    const parents = ['-p', pull.baseSha, '-p', pull.headSha];
    const sha = repo.git('commit-tree', tree, ...parents, '-m', `Merge ${pull.headSha} into ${pull.baseSha}`).trim();
    repo.setRef(`refs/pull/${pull.number}/merge`, sha);
    return sha;
  } catch {
    return null; // merge-tree exits 1 on a conflict, and then GitHub has no such ref
  }
}
