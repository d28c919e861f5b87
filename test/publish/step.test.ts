import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWorld, type World } from '../github/on-simulator.ts';
import { pullRequestEvent } from '../sim/events.ts';
import { runStep } from '../sim/run-step.ts';
import { type Runner, runnerEnvironment } from '../sim/runner.ts';
import { FORK_READ } from '../sim/tokens.ts';
import { buildFinding, buildReport, buildRequest } from './build-report.ts';

// The step as a process of its own, from the sources: what is loaded when, standard output and exit status are real.
const entry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

let world: World;
let runner: Runner;
beforeEach(async () => {
  world = await startWorld();
  runner = runnerEnvironment(world.sim, pullRequestEvent(world.sim, 7, 'opened'), {
    env: { INPUT_GITHUB_TOKEN: world.sim.token },
    runId: 4242,
  });
  const folder = join(runner.temp, 'cypherfix');
  mkdirSync(folder, { recursive: true });
  const { headSha } = world.pull;
  const findings = [buildFinding('a', { message: 'evil\n::set-output name=x::y\n::error::z' })];
  writeFileSync(join(folder, 'report.json'), JSON.stringify(buildReport({ headSha, findings })));
  writeFileSync(join(folder, 'request.json'), JSON.stringify(buildRequest(headSha)));
});
afterEach(async () => {
  await runner.dispose();
  await world.sim.close();
});

test('publish and cleanup as the runner starts them', async () => {
  const published = await runStep('publish', runner.env, { entry });
  expect(published.stderr).toBe('');
  expect(published).toMatchObject({ status: 0, summaryDropped: false });
  expect(published.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', findings: '1' });
  expect(published.outputs['review-url']).toContain('#pullrequestreview-');
  expect(published.summary).toContain('Title of a');
  expect(published.commands.filter(command => command.command === 'set-output')).toEqual([]);
  expect(world.sim.state.checkRuns).toMatchObject([{ status: 'completed', externalId: '4242-1' }]);
  expect(world.sim.journal.entries.every(e => e.headers['user-agent']?.startsWith('cypherfix/'))).toBe(true);

  const cleaned = await runStep('cleanup', runner.env, { entry });
  expect(cleaned).toMatchObject({ status: 0, stderr: '' });
  expect(world.sim.state.checkRuns).toMatchObject([{ conclusion: 'failure' }]);
}, 60_000);

test('a fork’s token leaves annotations and a failing step', async () => {
  world.sim.workflowToken.permissions = FORK_READ;
  const published = await runStep('publish', runner.env, { entry });
  expect(published.status).toBe(1);
  const errors = published.commands.filter(command => command.command === 'error');
  expect(errors.map(command => command.properties['file'])).toContain('src/a.js');
  expect(published.commands.filter(command => command.command === 'set-output')).toEqual([]);
  expect(world.sim.journal.writes().filter(e => e.status < 300)).toEqual([]);
}, 60_000);
