import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCheckRun } from '../../src/github/check-run.ts';
import { closeOpenCheck } from '../../src/publish/close-open-check.ts';
import { type CheckToPublish, publishCheck } from '../../src/publish/publish-check.ts';
import { startWorld, type World } from '../github/on-simulator.ts';
import { secondaryLimit } from '../sim/faults.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.sim.close());

const annotations = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: 'src/b.js',
    startLine: index + 1,
    endLine: index + 1,
    level: 'warning' as const,
    title: `t${index}`,
    message: `m${index}`,
  }));

const check = (change: Partial<CheckToPublish> = {}): CheckToPublish => ({
  id: null,
  headSha: world.pull.headSha,
  externalId: '4242-1',
  conclusion: 'failure',
  title: 'Needs attention',
  summary: 'Two high.',
  annotations: [],
  ...change,
});

const publish = (change: Partial<CheckToPublish> = {}) => publishCheck(world.gh, world.repository, check(change));
const runs = () => world.sim.state.checkRuns;
const sizes = () =>
  world.sim.journal
    .of('checks/update')
    .map(e => ((e.body as { output?: { annotations?: unknown[] } }).output?.annotations ?? []).length);

test('the check left in progress is completed', async () => {
  const { gh, repository, pull } = world;
  const open = await createCheckRun(gh, repository, {
    headSha: pull.headSha,
    externalId: '4242-1',
    output: { title: 'Reviewing', summary: 's' },
  });
  const done = await publish({ id: open.id });
  expect(runs()).toHaveLength(1);
  expect(runs()[0]).toMatchObject({ status: 'completed', conclusion: 'failure', title: 'Needs attention' });
  expect(done.url).toMatch(/^http/);
});

test('120 annotations go in three requests, and the last one completes', async () => {
  await publish({ annotations: annotations(120) });
  expect(sizes()).toEqual([50, 50, 20]);
  const bodies = world.sim.journal.of('checks/update').map(e => (e.body as { status?: string }).status);
  expect(bodies).toEqual([undefined, undefined, 'completed']);
  expect(runs()[0]?.annotations.map(a => a.message)).toEqual(annotations(120).map(a => a.message));
});

test('a second publication of the same run doubles nothing', async () => {
  await publish({ annotations: annotations(70) });
  await publish({ annotations: annotations(70) });
  expect(runs()).toHaveLength(1);
  expect(runs()[0]?.annotations).toHaveLength(70);
});

describe('a lost answer', () => {
  test.each([1, 2, 3])('to request %i doubles no annotation', async nth => {
    let seen = 0;
    world.sim.faults.add({
      match: entry => entry.operation === 'checks/update' && ++seen === nth,
      kind: 'commit-then-502',
    });
    await publish({ annotations: annotations(120) });
    expect(runs()).toHaveLength(1);
    expect(runs()[0]?.annotations).toHaveLength(120);
    expect(runs()[0]?.status).toBe('completed');
  });
});

test('annotations that GitHub refuses do not cost the conclusion', async () => {
  const long = annotations(60).map((a, i) => (i === 3 ? { ...a, title: 'x'.repeat(300) } : a));
  const refusal = { kind: 'respond', status: 422, body: { message: 'Validation Failed' } } as const;
  world.sim.faults.add({
    match: e => e.operation === 'checks/update' && JSON.stringify(e.body).includes('x'.repeat(300)),
    ...refusal,
  });
  expect((await publish({ annotations: long })).refused).toBe(50);
  expect(runs()[0]).toMatchObject({ status: 'completed', conclusion: 'failure' });
  expect(runs()[0]?.annotations).toHaveLength(10);
});

test('the last batch may be refused too', async () => {
  world.sim.faults.add({
    match: e => e.operation === 'checks/update' && JSON.stringify(e.body).includes('"message":"m55"'),
    kind: 'respond',
    status: 422,
    body: { message: 'Validation Failed' },
  });
  expect((await publish({ annotations: annotations(60) })).refused).toBe(10);
  expect(runs()[0]).toMatchObject({ status: 'completed', conclusion: 'failure' });
});

test('a limit is waited out', async () => {
  world.sim.faults.add({ match: 'checks/update', ...secondaryLimit({ retryAfter: 9 }) });
  await publish();
  expect(world.waits).toEqual([9000]);
  expect(runs()[0]?.status).toBe('completed');
});

test('without the permission the refusal is passed on', async () => {
  world.sim.workflowToken.permissions = { contents: 'read', checks: 'read', metadata: 'read' };
  await expect(publish()).rejects.toMatchObject({ kind: 'forbidden' });
});

describe('clean-up', () => {
  const close = (label: string) => closeOpenCheck(world.gh, world.repository, world.pull.headSha, label);
  const open = (externalId: string) =>
    createCheckRun(world.gh, world.repository, {
      headSha: world.pull.headSha,
      externalId,
      output: { title: 'Reviewing', summary: 's' },
    });

  test('closes what this run left in progress, and nothing of another run', async () => {
    await open('4242-1');
    await open('4242-2');
    expect(await close('4242-1')).toBe(true);
    expect(runs().map(r => [r.externalId, r.status, r.conclusion])).toEqual([
      ['4242-1', 'completed', 'cancelled'],
      ['4242-2', 'in_progress', null],
    ]);
  });

  test('leaves a completed check alone', async () => {
    await publish();
    expect(await close('4242-1')).toBe(false);
    expect(runs()[0]?.conclusion).toBe('failure');
    expect(await close('none')).toBe(false);
  });
});
