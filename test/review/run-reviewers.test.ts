import { expect, it } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { setUpReview } from '../../src/review/review-setup.ts';
import { runReviewers } from '../../src/review/run-reviewers.ts';
import { scriptedModel } from './scripted-model.ts';
import { reviewWorld } from './world.ts';

/** A model whose answers to the first reviewer wait until `release`; with `begins` they are told to have begun. */
function hanging({ begins }: { readonly begins: boolean }) {
  const model = scriptedModel({});
  let release = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  const slow: Model = {
    async call(request, signal) {
      if (request.role !== 'security') return model.call(request, signal);
      if (begins) request.onStarted?.();
      await released;
      return model.call({ ...request, onStarted: () => {} }, signal);
    },
  };
  return { slow, release: () => release(), rolesAsked: () => model.requests.map(request => request.role) };
}

it('the others begin with the first one, before it has ended', async () => {
  const { slow, release, rolesAsked } = hanging({ begins: true });
  const runs = runReviewers(await setUpReview({ ...reviewWorld(), model: slow }), 600_000);
  await expect.poll(rolesAsked).toEqual(['correctness', 'style']);
  release();
  expect((await runs).map(run => run.report.status)).toEqual(['ok', 'ok', 'ok']);
});

it('a first one that does not begin keeps the others waiting for so long and no longer', async () => {
  const { slow, release, rolesAsked } = hanging({ begins: false });
  const from = performance.now();
  const runs = runReviewers(await setUpReview({ ...reviewWorld(), model: slow }), 200);
  await expect.poll(rolesAsked).toEqual(['correctness', 'style']);
  expect(performance.now() - from).toBeGreaterThan(190);
  release();
  expect((await runs).map(run => run.report.name)).toEqual(['security', 'correctness', 'style']);
});

it('an interruption while the first one has not begun ends at once, and asks nobody else', async () => {
  const asked: string[] = [];
  const model: Model = {
    call: (request, signal) => {
      asked.push(request.role);
      return new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
  const ending = new AbortController();
  const setup = await setUpReview({ ...reviewWorld(), model, signal: ending.signal });
  const runs = runReviewers(setup, 600_000);
  await expect.poll(() => asked).toEqual(['security']);
  ending.abort(new Error('interrupted'));
  await expect(runs).rejects.toThrow('interrupted');
  // A real model looks at its signal before it sends anything.
  expect(asked.filter(role => role === 'security')).toHaveLength(1);
});
