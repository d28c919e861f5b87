import { ApiError, notFound } from '../api-error.ts';
import type { Call, Handlers, Reply } from '../call.ts';
import { apiUrl, webUrl } from '../site.ts';

const MAX_INLINE_BYTES = 1_000_000;
const MAX_RAW_BYTES = 100_000_000;

export const contentHandlers: Handlers = {
  'repos/get-content': { needs: ['contents:read'], run: getContent },
};

/** A file, a directory's listing, or a symbolic link; the raw form on request. */
function getContent(call: Call): Reply {
  const path = (call.params['path'] ?? '').replace(/^\/+|\/+$/g, '');
  const ref = call.query.get('ref') ?? call.site.settings.defaultBranch;
  const sha = call.repo.sha(ref) ?? call.repo.sha(`refs/heads/${ref}`);
  if (sha === undefined) throw notFound(`No commit found for the ref ${ref}`);
  const inDirectory = path === '' ? [] : listTree(call, sha, path);
  const [entry] = inDirectory;
  if (path === '' || entry?.type === 'tree')
    return { json: listTree(call, sha, `${path}/`).map(item => describe(call, ref, item)) };
  if (entry === undefined) throw notFound();
  const bytes = call.repo.read(sha, path);
  if (/vnd\.github\.(v3\.)?raw/.test(call.accept)) {
    return { raw: bytes, type: 'application/vnd.github.raw+json; charset=utf-8' };
  }
  const described = describe(call, ref, entry);
  if (entry.mode === '120000') return { json: { ...described, target: bytes.toString('utf8') } };
  if (bytes.length > MAX_RAW_BYTES) {
    const error = { resource: 'Blob', field: 'data', code: 'too_large' };
    throw new ApiError(403, { message: 'This API returns blobs up to 100 MB in size.', errors: [error] });
  }
  const inline = bytes.length <= MAX_INLINE_BYTES;
  const content = inline ? bytes.toString('base64').replace(/.{60}/g, '$&\n') : '';
  return { json: { ...described, content, encoding: inline ? 'base64' : 'none' } };
}

interface TreeEntry {
  mode: string;
  type: string;
  sha: string;
  size: number;
  path: string;
}

function listTree(call: Call, sha: string, path: string): TreeEntry[] {
  const args = path === '/' ? [] : ['--', path];
  const listing = call.repo.git('ls-tree', '-l', '-z', '--full-tree', sha, ...args);
  return listing
    .split('\0')
    .filter(line => line !== '')
    .map(line => {
      const [meta = '', name = ''] = line.split('\t');
      const [mode = '', type = '', object = '', size = ''] = meta.split(/ +/);
      return { mode, type, sha: object, size: Number(size) || 0, path: name };
    });
}

function describe(call: Call, ref: string, entry: TreeEntry): Record<string, unknown> {
  const { site, repo } = call;
  const type =
    entry.mode === '120000'
      ? 'symlink'
      : entry.type === 'tree'
        ? 'dir'
        : entry.type === 'commit'
          ? 'submodule'
          : 'file';
  const escaped = entry.path.split('/').map(encodeURIComponent).join('/');
  const self = apiUrl(site, `/contents/${escaped}?ref=${encodeURIComponent(ref)}`, repo.fullName);
  const git = apiUrl(site, `/git/${entry.type === 'tree' ? 'trees' : 'blobs'}/${entry.sha}`, repo.fullName);
  const html = webUrl(site, `/${entry.type}/${encodeURIComponent(ref)}/${escaped}`, repo.fullName);
  return {
    type,
    name: entry.path.split('/').at(-1) ?? '',
    path: entry.path,
    sha: entry.sha,
    size: entry.size,
    url: self,
    html_url: html,
    git_url: git,
    download_url: type === 'file' ? webUrl(site, `/raw/${encodeURIComponent(ref)}/${escaped}`, repo.fullName) : null,
    _links: { self, git, html },
  };
}
