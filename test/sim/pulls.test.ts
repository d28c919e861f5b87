import { afterEach, expect, it } from 'vitest';
import { LINES, refusal, type Scene, startWithPull, toText } from './start-with-pull.ts';

let scene: Scene;
afterEach(() => scene.github.close());

it('serves a pull request in full, as an issue and in lists', async () => {
  scene = await startWithPull({}, { draft: true, labels: ['cypherfix:review'], body: 'Please look.' });
  const { octokit, at, place, pull } = scene;
  const { data } = await octokit.rest.pulls.get(at);
  expect(data).toMatchObject({
    head: { sha: pull.headSha, ref: 'feature', repo: { full_name: 'acme/shop' } },
    base: { sha: pull.baseSha, ref: 'main' },
    changed_files: 4,
    commits: 1,
    draft: true,
    mergeable: true,
    labels: [{ name: 'cypherfix:review' }],
    user: { login: 'octocat', type: 'User' },
  });
  expect(data.merge_commit_sha).toMatch(/^[0-9a-f]{40}$/);
  const issue = await octokit.rest.issues.get({ ...place, issue_number: pull.number });
  expect(issue.data.pull_request?.url).toBe(data.url);
  const listed = await octokit.rest.pulls.list({ ...place, head: 'acme:feature' });
  expect(listed.data.map(one => one.number)).toEqual([pull.number]);
  expect((await octokit.rest.pulls.list({ ...place, base: 'other' })).data).toEqual([]);
  expect((await refusal(octokit.rest.pulls.get({ ...place, pull_number: 999 }))).status).toBe(404);
});

it('lists files as GitHub does: renames, deletions, binaries without a patch', async () => {
  scene = await startWithPull();
  const { octokit, at, github } = scene;
  const odd = 'ä "b"\tc.txt';
  const files = {
    'logo.png': Buffer.from([0, 1, 2, 0, 255]),
    [odd]: 'something else\n',
    link: { mode: '120000', content: 'a.js' },
  };
  github.repo.commit({ branch: 'feature', files });
  const found = await octokit.paginate(octokit.rest.pulls.listFiles, { ...at, per_page: 3 });
  const byName = new Map(found.map(file => [file.filename, file]));
  expect([...byName.keys()].sort()).toEqual(['a.js', 'b.js', 'gone.js', 'link', 'logo.png', 'new.js', odd].sort());
  expect(byName.get('new.js')).toMatchObject({ status: 'renamed', previous_filename: 'old.js', changes: 0 });
  expect(byName.get('new.js')).not.toHaveProperty('patch');
  expect(byName.get('logo.png')).not.toHaveProperty('patch');
  expect(byName.get('gone.js')).toMatchObject({ status: 'removed', deletions: 1, patch: '@@ -1 +0,0 @@\n-x' });
  expect(byName.get('a.js')).toMatchObject({ additions: 2, deletions: 2 });
  expect(github.journal.of('pulls/list-files')).toHaveLength(3);
});

it('gives the raw diff, and 406 above 300 files', async () => {
  scene = await startWithPull();
  const { octokit, at, github } = scene;
  const diff = { ...at, mediaType: { format: 'diff' } };
  expect(String((await octokit.rest.pulls.get(diff)).data)).toContain('+eval(x)');
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`many/${index}.txt`, `${index}\n`]));
  github.repo.commit({ branch: 'feature', files: many });
  expect(await refusal(octokit.rest.pulls.get(diff))).toMatchObject({
    status: 406,
    errors: [{ resource: 'PullRequest', field: 'diff', code: 'too_large' }],
  });
  const files = await octokit.paginate(octokit.rest.pulls.listFiles, { ...at, per_page: 100 });
  expect(files).toHaveLength(304);
});

it('leaves the patch of a huge file out and stops at 3,000 files', async () => {
  scene = await startWithPull();
  const { octokit, at, github } = scene;
  const files: Record<string, string> = { 'huge.txt': 'a long line of text\n'.repeat(30_000) };
  for (let index = 0; index < 3_100; index++) files[`z/${index}.txt`] = 'x\n';
  github.repo.commit({ branch: 'feature', files });
  const found = await octokit.paginate(octokit.rest.pulls.listFiles, { ...at, per_page: 100 });
  expect(found).toHaveLength(3_000);
  const huge = found.find(file => file.filename === 'huge.txt');
  expect(huge?.additions).toBe(30_000);
  expect(huge).not.toHaveProperty('patch');
});

it('has no test merge on a conflict and closes when the branch goes', async () => {
  scene = await startWithPull();
  const { octokit, at, github, pull } = scene;
  github.repo.commit({ branch: 'main', files: { 'a.js': toText(LINES.with(9, 'other')) } });
  github.repo.commit({ branch: 'feature', files: { 'c.js': 'c\n' } });
  expect((await octokit.rest.pulls.get(at)).data).toMatchObject({ mergeable: false, merge_commit_sha: null });
  github.repo.deleteBranch('feature');
  expect((await octokit.rest.pulls.get(at)).data.state).toBe('closed');
  expect(pull.closedAt).not.toBeNull();
});

it('keeps the head of a fork in the base repository, under refs/pull', async () => {
  scene = await startWithPull();
  const { octokit, github, place } = scene;
  const fork = github.fork('mallory');
  const head = fork.commit({ branch: 'evil', parent: github.repo.sha('main') ?? null, files: { 'x.js': 'x\n' } });
  const pull = github.openPullRequest({ head: 'evil', from: fork });
  const { data } = await octokit.rest.pulls.get({ ...place, pull_number: pull.number });
  expect(data).toMatchObject({
    head: { sha: head, label: 'mallory:evil', repo: { full_name: 'mallory/shop', fork: true } },
    author_association: 'NONE',
    user: { login: 'mallory' },
  });
  expect(github.repo.sha(`refs/pull/${pull.number}/head`)).toBe(head);
  const next = fork.commit({ branch: 'evil', files: { 'y.js': 'y\n' } });
  expect(github.findPullRequest(pull.number).headSha).toBe(next);
});

it('lists and compares commits', async () => {
  scene = await startWithPull();
  const { octokit, at, place, github, pull } = scene;
  github.repo.commit({ branch: 'feature', files: { 'c.js': 'c\n' }, message: 'Add c\n\nBecause.' });
  const commits = await octokit.rest.pulls.listCommits(at);
  expect(commits.data.map(one => one.commit.message)).toEqual(['Change files', 'Add c\n\nBecause.']);
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
    ...place,
    basehead: `main...${pull.headSha}`,
  });
  expect(data).toMatchObject({ status: 'ahead', ahead_by: 2, behind_by: 0, total_commits: 2 });
  expect(data.files).toHaveLength(5);
  const single = await octokit.rest.repos.getCommit({ ...place, ref: pull.headSha });
  expect(single.data.files?.map(file => file.filename)).toEqual(['c.js']);
});
