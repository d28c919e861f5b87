import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Request } from '../../src/core/request.ts';
import { uploadWantedSarif } from '../../src/publish/upload-sarif.ts';
import { renderSarif } from '../../src/render/sarif.ts';
import { startWorld, type World } from '../github/on-simulator.ts';
import { buildFinding, buildReport, buildRequest } from './build-report.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.sim.close());

const WANTED = 'version: 1\nsarif: { upload: true }\n';

async function upload(policy: string | null, change: Partial<Request> = {}) {
  const { sim, gh, pull } = world;
  const files = { '.cypherfix.yml': policy };
  const baseSha = policy === null ? sim.repo.sha('main') : sim.repo.commit({ branch: 'main', files });
  const report = buildReport({ headSha: pull.headSha, findings: [buildFinding('a')] });
  const request = buildRequest(pull.headSha, { baseSha: baseSha ?? null, ...change });
  return uploadWantedSarif(gh, request, '.cypherfix.yml', renderSarif(report), async () => {});
}

test('the policy at the base asks for it', async () => {
  expect(await upload(WANTED)).toEqual([]);
  expect(world.sim.state.sarifs).toMatchObject([
    { commitSha: world.pull.headSha, ref: 'refs/pull/7/head', errors: [] },
  ]);
});

test.each<[string, string | null, Partial<Request>]>([
  ['there is no policy', null, {}],
  ['the policy does not ask', 'version: 1\n', {}],
  ['the run is restricted', WANTED, { restricted: true }],
  ['nothing was analysed', WANTED, { baseSha: null }],
])('nothing is uploaded when %s', async (_name, policy, change) => {
  expect(await upload(policy, change)).toEqual([]);
  expect(world.sim.journal.of('code-scanning/upload-sarif')).toEqual([]);
});

test('the head does not decide', async () => {
  world.sim.repo.commit({ branch: 'feature', files: { '.cypherfix.yml': WANTED } });
  expect(await upload(null)).toEqual([]);
  expect(world.sim.state.sarifs).toEqual([]);
});

test('a refusal is said', async () => {
  world.sim.workflowToken.permissions = { contents: 'read', metadata: 'read' };
  expect(await upload(WANTED)).toEqual([expect.stringMatching(/not uploaded.*Resource not accessible/)]);
});

test('a policy that cannot be read is said', async () => {
  expect(await upload('version: 2\nnonsense: 1\n')).toEqual([expect.stringMatching(/policy could not be read/)]);
});
