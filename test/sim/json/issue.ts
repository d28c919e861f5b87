import { apiUrl, type Site, webUrl } from '../site.ts';
import type { Issue, IssueComment, PullRequest, Reaction } from '../state.ts';
import { renderUser } from './user.ts';

export function isPull(issue: Issue): issue is PullRequest {
  return 'headSha' in issue;
}

/** `issue` of the API; a pull request seen as an issue carries the key `pull_request`. */
export function renderIssue(site: Site, issue: Issue): Record<string, unknown> {
  const api = apiUrl(site, `/issues/${issue.number}`);
  const web = webUrl(site, `/${isPull(issue) ? 'pull' : 'issues'}/${issue.number}`);
  return {
    id: issue.id,
    node_id: `${isPull(issue) ? 'PR' : 'I'}_${issue.id}`,
    url: api,
    repository_url: apiUrl(site, ''),
    labels_url: `${api}/labels{/name}`,
    comments_url: `${api}/comments`,
    events_url: `${api}/events`,
    html_url: web,
    number: issue.number,
    state: issue.state,
    state_reason: issue.stateReason,
    title: issue.title,
    body: issue.body,
    user: renderUser(site, issue.author),
    labels: issue.labels.map(name => renderLabel(site, name)),
    assignee: null,
    assignees: [],
    milestone: null,
    locked: issue.locked,
    active_lock_reason: null,
    comments: site.state.issueComments.filter(comment => comment.number === issue.number).length,
    reactions: countReactions(site, `issue/${issue.number}`, api),
    author_association: isPull(issue) ? issue.authorAssociation : 'NONE',
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    ...(isPull(issue) ? { draft: issue.draft, pull_request: pullLinks(site, issue, web) } : {}),
  };
}

export function renderLabel(site: Site, name: string): Record<string, unknown> {
  const { id } = site.state.user(`label ${name}`);
  const url = apiUrl(site, `/labels/${encodeURIComponent(name)}`);
  return { id, node_id: `LA_${id}`, url, name, color: 'ededed', default: false, description: '' };
}

export function renderIssueComment(site: Site, comment: IssueComment): Record<string, unknown> {
  const issue = [...site.state.pulls, ...site.state.issues].find(candidate => candidate.number === comment.number);
  const kind = issue !== undefined && isPull(issue) ? 'pull' : 'issues';
  return {
    id: comment.id,
    node_id: `IC_${comment.id}`,
    url: apiUrl(site, `/issues/comments/${comment.id}`),
    html_url: webUrl(site, `/${kind}/${comment.number}#issuecomment-${comment.id}`),
    issue_url: apiUrl(site, `/issues/${comment.number}`),
    user: renderUser(site, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: association(site, comment.author.login),
    performed_via_github_app: null,
  };
}

export function renderReaction(site: Site, reaction: Reaction): Record<string, unknown> {
  const { id, content, createdAt } = reaction;
  return { id, node_id: `REA_${id}`, user: renderUser(site, reaction.user), content, created_at: createdAt };
}

/** Lossy on purpose, as on GitHub: private members show as CONTRIBUTOR or NONE. */
export function association(site: Site, login: string): string {
  const role = site.state.collaborators.get(login.toLowerCase());
  return role === undefined || role === 'none' || role === 'read' ? 'NONE' : 'COLLABORATOR';
}

/** How often each reaction was left; GitHub lists all eight, those nobody chose too. */
function countReactions(site: Site, subject: string, api: string): Record<string, unknown> {
  const left = site.state.reactions.filter(reaction => reaction.subject === subject);
  const names = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'];
  const counts = names.map(name => [name, left.filter(reaction => reaction.content === name).length]);
  return { url: `${api}/reactions`, total_count: left.length, ...Object.fromEntries(counts) };
}

function pullLinks(site: Site, pull: PullRequest, web: string): Record<string, unknown> {
  return {
    url: apiUrl(site, `/pulls/${pull.number}`),
    html_url: web,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    merged_at: null,
  };
}
