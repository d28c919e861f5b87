import { apiUrl, type Site, webUrl } from '../site.ts';
import { renderUser } from './user.ts';

/** Addresses under the repository's own, by the name of their field. */
const LINKS: Record<string, string> = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
};
const CREATED_AT = '2025-01-02T03:04:05Z';

/** `full-repository` of the API; events and pull requests carry the same fields. */
export function renderRepository(site: Site, fullName = site.fullName): Record<string, unknown> {
  const [owner = '', name = ''] = fullName.split('/');
  const open = [...site.state.issues, ...site.state.pulls].filter(issue => issue.state === 'open').length;
  const links = Object.entries(LINKS).map(([field, path]) => [field, apiUrl(site, path, fullName)]);
  return {
    id: site.state.user(fullName).id,
    node_id: `R_${site.state.user(fullName).id}`,
    name,
    full_name: fullName,
    owner: renderUser(site, site.state.user(owner)),
    private: site.settings.private,
    visibility: site.settings.private ? 'private' : 'public',
    fork: fullName !== site.fullName,
    description: null,
    url: apiUrl(site, '', fullName),
    html_url: webUrl(site, '', fullName),
    ...Object.fromEntries(links),
    git_url: `${webUrl(site, '.git', fullName)}`,
    ssh_url: `git@${new URL(site.url).hostname}:${fullName}.git`,
    clone_url: webUrl(site, '.git', fullName),
    svn_url: webUrl(site, '', fullName),
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    default_branch: site.settings.defaultBranch,
    ...counts(open),
    has_issues: true,
    has_projects: true,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    custom_properties: {},
    archived: false,
    disabled: false,
    pushed_at: CREATED_AT,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
  };
}

function counts(open: number): Record<string, number> {
  return {
    size: 1,
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    subscribers_count: 0,
    network_count: 0,
    open_issues: open,
    open_issues_count: open,
  };
}
