import { listDiffFiles } from '../diff.ts';
import { association } from '../json/issue.ts';
import { apiUrl, type Site, webUrl } from '../site.ts';
import type { Issue, IssueComment, PullRequest } from '../state.ts';
import { hasPermission, type Token } from '../tokens.ts';
import { renderActor, renderMinimized } from './actor.ts';
import { connect, type PageArguments } from './connection.ts';
import { renderReview, renderThread } from './review-objects.ts';
import { GraphError } from './schema.ts';

export function renderRepository(site: Site, token: Token): Record<string, unknown> {
  const [owner = '', name = ''] = site.fullName.split('/');
  const { state, repo } = site;
  const branch = (ref: string) => {
    const oid = repo.sha(`refs/heads/${ref}`);
    return oid === undefined
      ? null
      : { id: `REF_${ref}`, name: ref, prefix: 'refs/heads/', target: { __typename: 'Commit', id: `C_${oid}`, oid } };
  };
  return {
    __typename: 'Repository',
    id: `R_${state.user(site.fullName).id}`,
    name,
    nameWithOwner: site.fullName,
    owner: renderActor(site, state.user(owner)),
    url: webUrl(site, ''),
    isPrivate: site.settings.private,
    isFork: false,
    defaultBranchRef: () => branch(site.settings.defaultBranch),
    ref: ({ qualifiedName }: { qualifiedName: string }) => branch(qualifiedName.replace(/^refs\/heads\//, '')),
    pullRequest: ({ number }: { number: number }) => {
      if (!hasPermission(token, 'pull-requests:read')) {
        throw new GraphError('FORBIDDEN', 'Resource not accessible by integration');
      }
      const pull = state.pulls.find(candidate => candidate.number === number);
      if (pull === undefined) {
        throw new GraphError('NOT_FOUND', `Could not resolve to a PullRequest with the number of ${number}.`);
      }
      return renderPull(site, token, pull);
    },
    issues: (args: PageArguments & { labels?: string[] | null; states?: string[] | null }) => {
      if (!hasPermission(token, 'issues:read')) {
        throw new GraphError('FORBIDDEN', 'Resource not accessible by integration');
      }
      const wanted = args.labels?.map(label => label.toLowerCase());
      const found = state.issues.filter(
        issue =>
          (!wanted || issue.labels.some(label => wanted.includes(label.toLowerCase()))) &&
          (!args.states || args.states.includes(issue.state.toUpperCase())),
      );
      return connect('issues', found, issue => renderIssue(site, token, issue))(args);
    },
    issue: ({ number }: { number: number }) => {
      const issue = state.issues.find(candidate => candidate.number === number);
      if (issue !== undefined && hasPermission(token, 'issues:read')) return renderIssue(site, token, issue);
      throw new GraphError('NOT_FOUND', `Could not resolve to an Issue with the number of ${number}.`);
    },
  };
}

export function renderPull(site: Site, token: Token, pull: PullRequest): Record<string, unknown> {
  const { state } = site;
  const reviews = state.reviews.filter(review => review.pullNumber === pull.number);
  const threads = state.threads.filter(thread => thread.pullNumber === pull.number);
  const files = () => listDiffFiles(site.repo, pull.baseSha, pull.headSha);
  // An issue that the token may not read is left out without a word.
  const closing = hasPermission(token, 'issues:read')
    ? state.issues.filter(issue => pull.closes.includes(issue.number))
    : [];
  return {
    ...renderIssueFields(site, token, pull, 'PullRequest'),
    id: `PR_${pull.id}`,
    url: webUrl(site, `/pull/${pull.number}`),
    state: pull.merged ? 'MERGED' : pull.state.toUpperCase(),
    isDraft: pull.draft,
    merged: pull.merged,
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    baseRefName: pull.baseRef,
    baseRefOid: pull.baseSha,
    isCrossRepository: pull.headRepository !== site.fullName,
    changedFiles: () => files().length,
    reviews: connect('reviews', reviews, review => renderReview(site, token, review)),
    reviewThreads: connect('reviewThreads', threads, thread => renderThread(site, token, thread)),
    closingIssuesReferences: connect('closingIssuesReferences', closing, issue => renderIssue(site, token, issue)),
    repository: () => renderRepository(site, token),
  };
}

export function renderIssue(site: Site, token: Token, issue: Issue): Record<string, unknown> {
  return {
    ...renderIssueFields(site, token, issue, 'Issue'),
    id: `I_${issue.id}`,
    url: webUrl(site, `/issues/${issue.number}`),
    state: issue.state.toUpperCase(),
    stateReason: issue.stateReason?.toUpperCase() ?? null,
    repository: () => renderRepository(site, token),
  };
}

export function renderIssueComment(site: Site, token: Token, comment: IssueComment): Record<string, unknown> {
  return {
    __typename: 'IssueComment',
    id: `IC_${comment.id}`,
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    author: renderActor(site, comment.author),
    authorAssociation: association(site, comment.author.login),
    body: comment.body,
    url: webUrl(site, `/pull/${comment.number}#issuecomment-${comment.id}`),
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    ...renderMinimized(token, comment),
    viewerDidAuthor: comment.author.id === token.user.id,
  };
}

function renderIssueFields(site: Site, token: Token, issue: Issue, type: string): Record<string, unknown> {
  const comments = site.state.issueComments.filter(comment => comment.number === issue.number);
  const labels = issue.labels.map(name => ({ id: `LA_${name}`, name, url: apiUrl(site, `/labels/${name}`) }));
  return {
    __typename: type,
    databaseId: issue.id,
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    author: renderActor(site, issue.author),
    authorAssociation: association(site, issue.author.login),
    locked: issue.locked,
    closed: issue.state === 'closed',
    createdAt: issue.createdAt,
    updatedAt: issue.updatedAt,
    closedAt: issue.closedAt,
    comments: connect('comments', comments, comment => renderIssueComment(site, token, comment)),
    labels: connect('labels', labels, label => label),
    viewerDidAuthor: issue.author.id === token.user.id,
  };
}
