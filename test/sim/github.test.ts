import { getOctokit } from '@actions/github';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitHub, startGitHub } from './github.ts';

const FILE = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
let github: GitHub;
let place: { owner: string; repo: string };
let octokit: ReturnType<typeof getOctokit>;

beforeEach(async () => {
  github = await startGitHub({ files: { 'a.js': `${FILE.join('\n')}\n` } });
  place = { owner: github.owner, repo: github.name };
  octokit = getOctokit(github.token, { baseUrl: github.url });
});
afterEach(() => github.close());

describe('pull requests', () => {
  it('serves one in full', async () => {
    github.repo.setBranch('feature', github.repo.sha('main') ?? '');
    github.repo.commit({ branch: 'feature', files: { 'a.js': FILE.with(9, 'eval(x)').join('\n'), 'b.js': 'x\n' } });
    const pull = github.openPullRequest({ head: 'feature' });
    const { data } = await octokit.rest.pulls.get({ ...place, pull_number: pull.number });
    expect(data).toMatchObject({ head: { sha: pull.headSha }, changed_files: 2, mergeable: true, draft: false });
    const files = await octokit.paginate(octokit.rest.pulls.listFiles, {
      ...place,
      pull_number: pull.number,
      per_page: 1,
    });
    expect(files.map(file => [file.filename, file.status])).toEqual([
      ['a.js', 'modified'],
      ['b.js', 'added'],
    ]);
  });
});
