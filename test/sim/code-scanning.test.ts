import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { refusal, type Scene, startWithPull } from './start-with-pull.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startWithPull();
});
afterEach(() => scene.github.close());

const result = (line = 1) => ({
  ruleId: 'eval',
  message: { text: 'eval' },
  locations: [{ physicalLocation: { artifactLocation: { uri: 'a.js' }, region: { startLine: line } } }],
});
const sarif = (results: unknown[]) => ({
  version: '2.1.0',
  runs: [{ tool: { driver: { name: 'CypherFix', rules: [{ id: 'eval' }] } }, results }],
});
const pack = (document: unknown) => gzipSync(JSON.stringify(document)).toString('base64');

function upload(packed: string, ref = 'refs/heads/feature') {
  const { octokit, place, pull } = scene;
  return octokit.rest.codeScanning.uploadSarif({ ...place, commit_sha: pull.headSha, ref, sarif: packed });
}

async function poll(id: string): Promise<(string | undefined)[]> {
  const ask = () => scene.octokit.rest.codeScanning.getSarif({ ...scene.place, sarif_id: id });
  return [(await ask()).data.processing_status, (await ask()).data.processing_status];
}

it('accepts a good file and finishes it at the second look', async () => {
  const { data, status } = await upload(pack(sarif([result()])));
  expect(status).toBe(202);
  expect(await poll(data.id ?? '')).toEqual(['pending', 'complete']);
  expect(scene.github.state.sarifs[0]).toMatchObject({ errors: [], kept: 1, ref: 'refs/heads/feature' });
});

it('keeps 5,000 results of a run and fails a file of more than 25,000', async () => {
  await upload(pack(sarif(Array.from({ length: 6_000 }, () => result()))));
  await upload(pack(sarif(Array.from({ length: 25_001 }, () => result()))));
  const [kept, refused] = scene.github.state.sarifs;
  expect(kept?.kept).toBe(5_000);
  expect(await poll(refused?.id ?? '')).toEqual(['pending', 'failed']);
  expect(refused?.errors).toEqual(['25001 results, at most 25000 are allowed']);
});

it('fails a file that breaks the standard, or has a result without a place', async () => {
  await upload(pack({ version: '2.1.0', runs: [{ results: [] }] }));
  await upload(pack(sarif([{ message: { text: 'nowhere' } }])));
  const [bad, placeless] = scene.github.state.sarifs;
  expect(bad?.errors.join()).toContain("must have required property 'tool'");
  expect(placeless?.errors.join()).toContain('expected at least one location');
});

it('refuses what is no gzip, too large, on a bad ref, or not permitted', async () => {
  expect((await refusal(upload('bm9uc2Vuc2U='))).status).toBe(400);
  expect((await refusal(upload(Buffer.alloc(10 * 1024 * 1024 + 1).toString('base64')))).status).toBe(413);
  expect((await refusal(upload(pack(sarif([])), 'feature'))).status).toBe(422);
  scene.github.workflowToken.permissions = { contents: 'read' };
  expect((await refusal(upload(pack(sarif([]))))).status).toBe(403);
});
