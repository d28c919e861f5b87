import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchForkReport } from '../../src/publish/fetch-fork-report.ts';
import { startWorld, type World } from '../github/on-simulator.ts';
import type { PullRequest, WorkflowRun } from '../sim/state.ts';
import { buildReport } from './build-report.ts';

let world: World;
let fork: PullRequest;
beforeEach(async () => {
  world = await startWorld();
  const copy = world.sim.fork('mallory');
  copy.commit({ branch: 'patch', parent: copy.sha('main') ?? null, files: { 'src/a.js': 'eval(1)\n' } });
  fork = world.sim.openPullRequest({ head: 'patch', from: copy, number: 21 });
});
afterEach(() => world.sim.close());

const fetchReport = (run: WorkflowRun, headSha = fork.headSha) =>
  fetchForkReport(world.gh, world.repository, run.id, headSha);

function runWith(report: unknown, change: Partial<WorkflowRun> = {}): WorkflowRun {
  const run = world.sim.addWorkflowRun(fork, change);
  const text = typeof report === 'string' ? report : JSON.stringify(report);
  world.sim.addArtifact(run, `cypherfix-${fork.headSha}`, { 'report.json': text, 'evil.sh': 'rm -rf /' });
  return run;
}

const good = (change = {}) => buildReport({ headSha: fork.headSha, number: 21, ...change });

test('a report about the very head of the open pull request is taken', async () => {
  const fetched = await fetchReport(runWith(good()));
  expect(fetched).toMatchObject({ number: 21, headSha: fork.headSha });
  expect(fetched.report.subject.pullRequest).toBe(21);
});

describe('what is refused', () => {
  test.each<[string, () => WorkflowRun, RegExp]>([
    ['another pull request', () => runWith(good({ number: 7 })), /another pull request/],
    ['no pull request at all', () => runWith(good({ number: null })), /another pull request/],
    ['another commit', () => runWith(good({ headSha: 'a'.repeat(40) })), /another head commit/],
    ['another repository', () => runWith(repository('octo/other')), /another repository/],
    ['keys that we do not write', () => runWith({ ...good(), extra: 1 }), /not what this version writes/],
    ['no JSON', () => runWith('boom'), /not what this version writes/],
    ['a run of another event', () => runWith(good(), { event: 'push' }), /started by 'push'/],
    ['a run of another commit', () => runWith(good(), { headSha: world.pull.headSha }), /another commit/],
    ['no artefact', () => world.sim.addWorkflowRun(fork), /left no artefact/],
  ])('%s', async (_name, run, reason) => {
    await expect(fetchReport(run())).rejects.toThrow(reason);
  });

  const repository = (name: string) => {
    const report = good();
    return { ...report, subject: { ...report.subject, repository: name } };
  };

  test('a head that the pull request no longer has', async () => {
    const { headSha } = fork;
    const run = runWith(good());
    world.sim.site.repositories.get('mallory/repo')?.commit({ branch: 'patch', files: { 'src/z.js': 'z\n' } });
    await expect(fetchReport(run, headSha)).rejects.toThrow(/no open pull request/);
  });

  test('a closed pull request', async () => {
    const run = runWith(good());
    world.sim.closePullRequest(21);
    await expect(fetchReport(run)).rejects.toThrow(/no open pull request/);
  });

  test('an artefact that is no ZIP', async () => {
    const run = world.sim.addWorkflowRun(fork);
    world.sim.addArtifact(run, `cypherfix-${fork.headSha}`, Buffer.from('not a zip'));
    await expect(fetchReport(run)).rejects.toThrow(/no usable ZIP/);
  });
});
