import { listDiffFiles, mergeBase } from '../diff.ts';
import { apiUrl, type Site, webUrl } from '../site.ts';
import type { PullRequest } from '../state.ts';
import { renderLabel } from './issue.ts';
import { renderRepository } from './repository.ts';
import { renderUser } from './user.ts';

/** `pull-request-simple`: what lists hold. */
export function renderSimplePull(site: Site, pull: PullRequest): Record<string, unknown> {
  const api = apiUrl(site, `/pulls/${pull.number}`);
  const issue = apiUrl(site, `/issues/${pull.number}`);
  const web = webUrl(site, `/pull/${pull.number}`);
  const links = {
    url: api,
    html_url: web,
    issue_url: issue,
    commits_url: `${api}/commits`,
    review_comments_url: `${api}/comments`,
    review_comment_url: apiUrl(site, '/pulls/comments{/number}'),
    comments_url: `${issue}/comments`,
    statuses_url: apiUrl(site, `/statuses/${pull.headSha}`),
  };
  return {
    ...links,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    id: pull.id,
    node_id: `PR_${pull.id}`,
    number: pull.number,
    state: pull.state,
    locked: pull.locked,
    active_lock_reason: null,
    title: pull.title,
    user: renderUser(site, pull.author),
    body: pull.body,
    labels: pull.labels.map(name => renderLabel(site, name)),
    milestone: null,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.merged ? pull.closedAt : null,
    merge_commit_sha: pull.mergeSha,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    head: renderEnd(site, pull.headRepository, pull.headRef, pull.headSha),
    base: renderEnd(site, site.fullName, pull.baseRef, pull.baseSha),
    author_association: pull.authorAssociation,
    auto_merge: null,
    draft: pull.draft,
    _links: {
      self: { href: api },
      html: { href: web },
      issue: { href: issue },
      comments: { href: links.comments_url },
      review_comments: { href: links.review_comments_url },
      review_comment: { href: links.review_comment_url },
      commits: { href: links.commits_url },
      statuses: { href: links.statuses_url },
    },
  };
}

/** `pull-request`: one of them in full. */
export function renderPull(site: Site, pull: PullRequest): Record<string, unknown> {
  const files = listDiffFiles(site.repo, pull.baseSha, pull.headSha);
  const range = `${mergeBase(site.repo, pull.baseSha, pull.headSha)}..${pull.headSha}`;
  const sum = (count: (file: (typeof files)[number]) => number) =>
    files.reduce((total, file) => total + count(file), 0);
  return {
    ...renderSimplePull(site, pull),
    merged: pull.merged,
    mergeable: pull.state === 'open' ? pull.mergeSha !== null : null,
    rebaseable: pull.state === 'open' ? pull.mergeSha !== null : null,
    mergeable_state: pull.mergeSha === null ? 'dirty' : 'clean',
    merged_by: null,
    comments: site.state.issueComments.filter(comment => comment.number === pull.number).length,
    review_comments: site.state.reviewComments.filter(comment => comment.pullNumber === pull.number).length,
    maintainer_can_modify: pull.headRepository !== site.fullName,
    commits: Number(site.repo.git('rev-list', '--count', range)),
    additions: sum(file => file.additions),
    deletions: sum(file => file.deletions),
    changed_files: files.length,
  };
}

function renderEnd(site: Site, fullName: string, ref: string, sha: string): Record<string, unknown> {
  const [owner = ''] = fullName.split('/');
  return {
    label: `${owner}:${ref}`,
    ref,
    sha,
    user: renderUser(site, site.state.user(owner)),
    // The head repository of a deleted fork is null.
    repo: site.repositories.has(fullName.toLowerCase()) ? renderRepository(site, fullName) : null,
  };
}
