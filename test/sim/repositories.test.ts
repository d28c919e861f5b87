import { afterEach, beforeEach, expect, it } from 'vitest';
import { refusal, type Scene, startWithPull } from './start-with-pull.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startWithPull({ files: { '.cypherfix.yml': 'version: 1\n', 'src/ä b.js': 'x\n' } });
});
afterEach(() => scene.github.close());

it('describes the repository, a branch and a ref', async () => {
  const { octokit, place, github, pull } = scene;
  const repository = await octokit.rest.repos.get(place);
  expect(repository.data).toMatchObject({ full_name: 'acme/shop', default_branch: 'main', private: false });
  const branch = await octokit.rest.repos.getBranch({ ...place, branch: 'feature' });
  expect(branch.data.commit.sha).toBe(pull.headSha);
  const ref = await octokit.rest.git.getRef({ ...place, ref: 'heads/main' });
  expect(ref.data.object.sha).toBe(github.repo.sha('main'));
  const refs = await octokit.rest.git.listMatchingRefs({ ...place, ref: 'heads/fea' });
  expect(refs.data.map(one => one.ref)).toEqual(['refs/heads/feature']);
  expect((await refusal(octokit.rest.git.getRef({ ...place, ref: 'heads/fea' }))).status).toBe(404);
  expect((await refusal(octokit.rest.repos.get({ owner: 'acme', repo: 'other' }))).status).toBe(404);
});

it('reads a file, a folder and a link at a ref', async () => {
  const { octokit, place, github } = scene;
  const get = async (path: string, ref?: string) =>
    (await octokit.rest.repos.getContent({ ...place, path, ...(ref === undefined ? {} : { ref }) })).data;
  const file = await get('.cypherfix.yml');
  if (!('content' in file)) throw new Error('no file');
  expect(Buffer.from(file.content, 'base64').toString()).toBe('version: 1\n');
  expect(await get('src')).toMatchObject([{ type: 'file', path: 'src/ä b.js' }]);
  expect(await get('')).toHaveLength(5);
  github.repo.commit({ branch: 'feature', files: { link: { mode: '120000', content: '../etc/passwd' } } });
  expect(await get('link', 'feature')).toMatchObject({ type: 'symlink', target: '../etc/passwd' });
  expect((await refusal(get('link'))).status).toBe(404);
  const raw = await octokit.rest.repos.getContent({ ...place, path: 'src/ä b.js', mediaType: { format: 'raw' } });
  expect(String(raw.data)).toBe('x\n');
});

it('reads trees, blobs and commits', async () => {
  const { octokit, place, pull } = scene;
  const tree = await octokit.rest.git.getTree({ ...place, tree_sha: pull.headSha, recursive: 'true' });
  expect(tree.data.tree.map(entry => entry.path)).toContain('src/ä b.js');
  expect(tree.data.truncated).toBe(false);
  const blob = tree.data.tree.find(entry => entry.path === 'b.js');
  const content = await octokit.rest.git.getBlob({ ...place, file_sha: blob?.sha ?? '' });
  expect(Buffer.from(content.data.content, 'base64').toString()).toBe('one\ntwo\nthree\n');
  const commit = await octokit.rest.git.getCommit({ ...place, commit_sha: pull.headSha });
  expect(commit.data).toMatchObject({ message: 'Change files', parents: [{}], verification: { verified: false } });
});

it('reports the rules of a branch', async () => {
  const { octokit, place, github } = scene;
  github.state.branchRules.push(
    { type: 'creation' },
    { type: 'branch_name_pattern', parameters: { operator: 'starts_with', pattern: 'fix/' } },
  );
  const { data } = await octokit.rest.repos.getBranchRules({ ...place, branch: 'cypherfix/1' });
  expect(data.map(rule => rule.type)).toEqual(['creation', 'branch_name_pattern']);
});

it('reports a request outside its subset, and an operation it lacks, when it is closed', async () => {
  const other = await startWithPull();
  await refusal(other.octokit.request('GET /repos/{owner}/{repo}/stargazers', other.place));
  await expect(other.github.close()).rejects.toThrow(
    'no such operation in the OpenAPI subset: GET /repos/acme/shop/stargazers',
  );
});
