import type { Site } from '../site.ts';
import type { User } from '../state.ts';

/** `simple-user` of the API, and `sender` of an event. */
export function renderUser(site: Site, user: User): Record<string, unknown> {
  const api = `${site.url}/users/${encodeURIComponent(user.login)}`;
  return {
    login: user.login,
    id: user.id,
    node_id: `U_${user.id}`,
    avatar_url: `${site.url}/avatars/${user.id}`,
    gravatar_id: '',
    url: api,
    html_url: `${site.url}/${encodeURIComponent(user.login)}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: user.type,
    site_admin: false,
  };
}
