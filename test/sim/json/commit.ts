import type { Repository } from '../repository.ts';
import { apiUrl, type Site, webUrl } from '../site.ts';

export interface CommitFacts {
  sha: string;
  tree: string;
  parents: string[];
  author: { name: string; email: string; date: string };
  committer: { name: string; email: string; date: string };
  message: string;
}

export function readCommit(repo: Repository, sha: string): CommitFacts {
  const format = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x00');
  const fields = repo.git('log', '-1', `--format=${format}`, sha).split('\0');
  const [full = '', tree = '', parents = '', an = '', ae = '', ad = '', cn = '', ce = '', cd = '', message = ''] =
    fields;
  return {
    sha: full,
    tree,
    parents: parents.split(' ').filter(parent => parent !== ''),
    author: { name: an, email: ae, date: toDate(ad) },
    committer: { name: cn, email: ce, date: toDate(cd) },
    message: message.trimEnd(),
  };
}

/** `commit` of the API, without its files. */
export function renderCommit(site: Site, repo: Repository, sha: string): Record<string, unknown> {
  const commit = readCommit(repo, sha);
  const name = repo.fullName;
  return {
    sha: commit.sha,
    node_id: `C_${commit.sha}`,
    url: apiUrl(site, `/commits/${commit.sha}`, name),
    html_url: webUrl(site, `/commit/${commit.sha}`, name),
    comments_url: apiUrl(site, `/commits/${commit.sha}/comments`, name),
    commit: {
      url: apiUrl(site, `/git/commits/${commit.sha}`, name),
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      comment_count: 0,
      tree: { sha: commit.tree, url: apiUrl(site, `/git/trees/${commit.tree}`, name) },
      verification: unverified(),
    },
    // Null when the address belongs to no account.
    author: null,
    committer: null,
    parents: commit.parents.map(parent => ({
      sha: parent,
      url: apiUrl(site, `/commits/${parent}`, name),
      html_url: webUrl(site, `/commit/${parent}`, name),
    })),
  };
}

export function unverified(): Record<string, unknown> {
  return { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };
}

function toDate(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19)}Z`;
}
