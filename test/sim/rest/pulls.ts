import { ApiError } from '../api-error.ts';
import { type Call, findPull, type Handlers, type Reply } from '../call.ts';
import { type DiffFile, listDiffFiles, mergeBase } from '../diff.ts';
import { renderCommit } from '../json/commit.ts';
import { renderPull, renderSimplePull } from '../json/pull.ts';
import { apiUrl, webUrl } from '../site.ts';
import type { PullRequest } from '../state.ts';

const READ = ['pull-requests:read'] as const;
const MAX_LISTED_FILES = 3_000;
const MAX_LISTED_COMMITS = 250;
const MAX_DIFF_FILES = 300;
const MAX_DIFF_LINES = 20_000;
/** A single file's patch is left out above these. */
const MAX_PATCH_LINES = 20_000;
const MAX_PATCH_BYTES = 500_000;

export const pullHandlers: Handlers = {
  'pulls/list': { needs: READ, run: listPulls },
  'pulls/get': {
    needs: READ,
    run: call => {
      const pull = findPull(call);
      return /vnd\.github\.(v3\.)?diff/.test(call.accept) ? rawDiff(call, pull) : { json: renderPull(call.site, pull) };
    },
  },
  'pulls/list-files': {
    needs: READ,
    run: call => {
      const pull = findPull(call);
      const files = listDiffFiles(call.repo, pull.baseSha, pull.headSha).slice(0, MAX_LISTED_FILES);
      return { list: files.map(file => renderFile(call, pull.headSha, file)) };
    },
  },
  'pulls/list-commits': {
    needs: READ,
    run: call => {
      const pull = findPull(call);
      const shas = call.repo.git('rev-list', '--reverse', pull.headSha, `^${pull.baseSha}`).split('\n');
      const listed = shas.filter(sha => sha !== '').slice(0, MAX_LISTED_COMMITS);
      return { list: listed.map(sha => renderCommit(call.site, call.repo, sha)) };
    },
  },
};

/** `diff-entry` of the API. */
export function renderFile(call: Call, head: string, file: DiffFile): Record<string, unknown> {
  const { site } = call;
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  const changes = file.additions + file.deletions;
  const hasPatch = file.patch !== '' && changes <= MAX_PATCH_LINES && Buffer.byteLength(file.patch) <= MAX_PATCH_BYTES;
  return {
    sha: file.blobSha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes,
    blob_url: webUrl(site, `/blob/${head}/${path}`),
    raw_url: webUrl(site, `/raw/${head}/${path}`),
    contents_url: apiUrl(site, `/contents/${path}?ref=${head}`),
    ...(hasPatch ? { patch: file.patch } : {}),
    ...(file.previousPath === undefined ? {} : { previous_filename: file.previousPath }),
  };
}

function listPulls(call: Call): Reply {
  const state = call.query.get('state') ?? 'open';
  const [head, base] = [call.query.get('head'), call.query.get('base')];
  const pulls = call.site.state.pulls.filter(pull => {
    const [owner = ''] = pull.headRepository.split('/');
    if (state !== 'all' && pull.state !== state) return false;
    if (head !== null && head !== `${owner}:${pull.headRef}`) return false;
    return base === null || base === pull.baseRef;
  });
  return { list: pulls.toReversed().map(pull => renderSimplePull(call.site, pull)) };
}

function rawDiff(call: Call, pull: PullRequest): Reply {
  const files = listDiffFiles(call.repo, pull.baseSha, pull.headSha);
  const lines = files.reduce((total, file) => total + file.patch.split('\n').length, 0);
  if (files.length > MAX_DIFF_FILES) throw tooLarge(`files (${MAX_DIFF_FILES})`);
  if (lines > MAX_DIFF_LINES) throw tooLarge(`lines (${MAX_DIFF_LINES})`);
  const raw = call.repo.git('diff', '-M', mergeBase(call.repo, pull.baseSha, pull.headSha), pull.headSha);
  return { raw, type: 'application/vnd.github.diff; charset=utf-8' };
}

function tooLarge(what: string): ApiError {
  const way = "Consider using 'List pull requests files' API or locally cloning the repository instead.";
  return new ApiError(406, {
    message: `Sorry, the diff exceeded the maximum number of ${what}. ${way}`,
    errors: [{ resource: 'PullRequest', field: 'diff', code: 'too_large' }],
  });
}
