import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getIDToken } from '@actions/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { refusal, type Scene, startWithPull } from './start-with-pull.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startWithPull();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await scene.github.close();
});

it('serves the artefact of a fork’s run from another host, without the token', async () => {
  const { octokit, place, github } = scene;
  const fork = github.fork('mallory');
  fork.commit({ branch: 'evil', files: { 'x.js': 'x\n' }, parent: github.repo.sha('main') ?? null });
  const pull = github.openPullRequest({ head: 'evil', from: fork });
  const run = github.addWorkflowRun(pull);
  const text = 'a report that repeats itself. '.repeat(100);
  github.addArtifact(run, 'cypherfix', { 'report.json': '{"ok":true}', 'dir/ü.txt': text });
  const { data } = await octokit.rest.actions.getWorkflowRun({ ...place, run_id: run.id });
  expect(data).toMatchObject({
    head_sha: pull.headSha,
    event: 'pull_request',
    pull_requests: [],
    conclusion: 'success',
  });
  const listed = await octokit.rest.actions.listWorkflowRunArtifacts({ ...place, run_id: run.id, name: 'cypherfix' });
  const [artifact] = listed.data.artifacts;
  const download = { ...place, artifact_id: artifact?.id ?? 0, archive_format: 'zip' };
  const archive = Buffer.from((await octokit.rest.actions.downloadArtifact(download)).data as ArrayBuffer);

  const folder = mkdtempSync(join(tmpdir(), 'zip-test-'));
  try {
    writeFileSync(join(folder, 'a.zip'), archive);
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), z.namelist(), z.read("dir/ü.txt").decode())';
    const seen = execFileSync('python3', ['-c', script, join(folder, 'a.zip')], { encoding: 'utf8' });
    expect(seen).toBe(`None ['report.json', 'dir/ü.txt'] ${text}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const [store] = github.journal.of('artifact/zip');
  expect(store).toMatchObject({ status: 200, actor: null });
  const withToken = await fetch(`${github.url}${store?.path}`, {
    headers: { authorization: `Bearer ${github.token}` },
  });
  expect(withToken.status).toBe(401);
});

it('has no archive of an expired artefact', async () => {
  const { octokit, place, github, pull } = scene;
  const artifact = github.addArtifact(github.addWorkflowRun(pull), 'old', {});
  artifact.expired = true;
  const download = { ...place, artifact_id: artifact.id, archive_format: 'zip' };
  expect((await refusal(octokit.rest.actions.downloadArtifact(download))).status).toBe(410);
});

it('links a run of the repository’s own branch to its pull request', async () => {
  const { octokit, place, github, pull } = scene;
  const run = github.addWorkflowRun(pull, { conclusion: 'failure' });
  const { data } = await octokit.rest.actions.getWorkflowRun({ ...place, run_id: run.id });
  expect(data.pull_requests?.map(one => one.number)).toEqual([pull.number]);
});

it('gives the real toolkit an identity token for the audience it asks for', async () => {
  const source = scene.github.createIdTokenSource();
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.stubEnv('ACTIONS_ID_TOKEN_REQUEST_URL', source.url);
  vi.stubEnv('ACTIONS_ID_TOKEN_REQUEST_TOKEN', source.token);
  const token = await getIDToken('https://models.example.test');
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ aud: 'https://models.example.test', repository: 'acme/shop' });
  vi.stubEnv('ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'wrong');
  await expect(getIDToken('x')).rejects.toThrow('401');
});
