import { ApiError, notFound } from '../api-error.ts';
import type { Call, Handlers, Reply } from '../call.ts';
import { listDiffFiles, mergeBase } from '../diff.ts';
import { readCommit, renderCommit, unverified } from '../json/commit.ts';
import { apiUrl, webUrl } from '../site.ts';
import { renderFile } from './pulls.ts';

const READ = ['contents:read'] as const;
const MAX_COMPARE_FILES = 300;
const MAX_COMMIT_FILES = 3_000;
const MAX_TREE_ENTRIES = 100_000;

export const gitDataHandlers: Handlers = {
  'git/get-ref': {
    needs: READ,
    run: call => {
      const ref = `refs/${call.params['ref']}`;
      const [found] = listRefs(call, ref).filter(candidate => candidate['ref'] === ref);
      if (found === undefined) throw notFound();
      return { json: found };
    },
  },
  'git/list-matching-refs': { needs: READ, run: call => ({ list: listRefs(call, `refs/${call.params['ref']}`) }) },
  'git/get-commit': { needs: READ, run: call => ({ json: renderGitCommit(call, call.params['commit_sha'] ?? '') }) },
  'git/get-tree': { needs: READ, run: getTree },
  'git/get-blob': {
    needs: READ,
    run: call => {
      const sha = call.params['file_sha'] ?? '';
      const content = readObject(call, sha);
      const url = apiUrl(call.site, `/git/blobs/${sha}`, call.repo.fullName);
      const base64 = content.toString('base64');
      return { json: { sha, node_id: `B_${sha}`, size: content.length, url, content: base64, encoding: 'base64' } };
    },
  },
  'repos/get-commit': {
    needs: READ,
    run: call => {
      const sha = findCommit(call, call.params['ref'] ?? '');
      const [parent] = readCommit(call.repo, sha).parents;
      const files = parent === undefined ? [] : listDiffFiles(call.repo, parent, sha).slice(0, MAX_COMMIT_FILES);
      return {
        json: { ...renderCommit(call.site, call.repo, sha), files: files.map(file => renderFile(call, sha, file)) },
      };
    },
  },
  'repos/list-commits': {
    needs: READ,
    run: call => {
      const from = findCommit(call, call.query.get('sha') ?? call.site.settings.defaultBranch);
      const shas = call.repo.git('rev-list', from).trim().split('\n');
      return { list: shas.map(sha => renderCommit(call.site, call.repo, sha)) };
    },
  },
  'repos/compare-commits-with-basehead': { needs: READ, run: compare },
};

function listRefs(call: Call, prefix: string): Record<string, unknown>[] {
  const format = '%(refname) %(objecttype) %(objectname)';
  const lines = call.repo.git('for-each-ref', `--format=${format}`).split('\n');
  return lines
    .filter(line => line.startsWith(prefix))
    .map(line => {
      const [ref = '', type = '', sha = ''] = line.split(' ');
      const url = apiUrl(call.site, `/git/${ref}`, call.repo.fullName);
      const object = { type, sha, url: apiUrl(call.site, `/git/${type}s/${sha}`, call.repo.fullName) };
      return { ref, node_id: `REF_${ref}`, url, object };
    });
}

function renderGitCommit(call: Call, ref: string): Record<string, unknown> {
  const commit = readCommit(call.repo, findCommit(call, ref));
  const name = call.repo.fullName;
  return {
    sha: commit.sha,
    node_id: `C_${commit.sha}`,
    url: apiUrl(call.site, `/git/commits/${commit.sha}`, name),
    html_url: webUrl(call.site, `/commit/${commit.sha}`, name),
    author: commit.author,
    committer: commit.committer,
    message: commit.message,
    tree: { sha: commit.tree, url: apiUrl(call.site, `/git/trees/${commit.tree}`, name) },
    parents: commit.parents.map(sha => ({
      sha,
      url: apiUrl(call.site, `/git/commits/${sha}`, name),
      html_url: webUrl(call.site, `/commit/${sha}`, name),
    })),
    verification: unverified(),
  };
}

function getTree(call: Call): Reply {
  const asked = call.params['tree_sha'] ?? '';
  const recursive = call.query.has('recursive');
  let listing: string;
  try {
    listing = call.repo.git('ls-tree', '-l', '-z', ...(recursive ? ['-r', '-t'] : []), asked);
  } catch {
    throw notFound();
  }
  const entries = listing.split('\0').filter(entry => entry !== '');
  const tree = entries.slice(0, MAX_TREE_ENTRIES).map(entry => {
    const [meta = '', path = ''] = entry.split('\t');
    const [mode = '', type = '', sha = '', size = ''] = meta.split(/ +/);
    const url = apiUrl(call.site, `/git/${type}s/${sha}`, call.repo.fullName);
    return { path, mode, type, sha, url, ...(type === 'blob' ? { size: Number(size) } : {}) };
  });
  const sha = call.repo.git('rev-parse', `${asked}^{tree}`).trim();
  const url = apiUrl(call.site, `/git/trees/${sha}`, call.repo.fullName);
  return { json: { sha, url, tree, truncated: entries.length > MAX_TREE_ENTRIES } };
}

function compare(call: Call): Reply {
  const [left = '', right = ''] = (call.params['basehead'] ?? '').split('...');
  const [base, head] = [findCommit(call, left), findCommit(call, right)];
  const fork = mergeBase(call.repo, base, head);
  const list = (range: string) =>
    call.repo
      .git('rev-list', '--reverse', range)
      .split('\n')
      .filter(sha => sha !== '');
  const [ahead, behind] = [list(`${base}..${head}`), list(`${head}..${base}`)];
  const web = webUrl(call.site, `/compare/${left}...${right}`, call.repo.fullName);
  const files = listDiffFiles(call.repo, base, head).slice(0, MAX_COMPARE_FILES);
  const status =
    ahead.length > 0 ? (behind.length > 0 ? 'diverged' : 'ahead') : behind.length > 0 ? 'behind' : 'identical';
  return {
    json: {
      url: apiUrl(call.site, `/compare/${left}...${right}`, call.repo.fullName),
      html_url: web,
      permalink_url: web,
      diff_url: `${web}.diff`,
      patch_url: `${web}.patch`,
      base_commit: renderCommit(call.site, call.repo, base),
      merge_base_commit: renderCommit(call.site, call.repo, fork),
      status,
      ahead_by: ahead.length,
      behind_by: behind.length,
      total_commits: ahead.length,
      commits: ahead.slice(-250).map(sha => renderCommit(call.site, call.repo, sha)),
      files: files.map(file => renderFile(call, head, file)),
    },
  };
}

function findCommit(call: Call, ref: string): string {
  const sha = call.repo.sha(ref) ?? call.repo.sha(`refs/heads/${ref}`);
  if (sha === undefined) throw new ApiError(404, { message: 'Not Found' });
  return sha;
}

function readObject(call: Call, sha: string): Buffer {
  try {
    return call.repo.readObject(sha);
  } catch {
    throw notFound();
  }
}
