import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pullRequestEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import { startAnthropic } from '../sim-model/anthropic.ts';
import type { Fault } from '../sim-model/faults.ts';
import type { Simulator } from '../sim-model/site.ts';
import { createTempRepo, type TempRepo } from '../workspace/temp-repo.ts';
import { interrupt, ROLES, startReview, until } from './local-review.ts';
import { runJob } from './run-job.ts';
import { checkOf, openChange, reviewsOn, startShop } from './shop.ts';

const ALWAYS = Number.POSITIVE_INFINITY;
const MOST_MS = 5_000;
const CHANGE = { 'lib.js': 'export const add = (a, b) => a + b;\n' };

let repo: TempRepo;
let api: Simulator;
beforeAll(() => {
  repo = createTempRepo();
  repo.write('README.md', '# Shop\n');
  repo.commit('Begin');
  repo.write('lib.js', CHANGE['lib.js']);
  repo.commit('Add');
});
afterAll(() => repo.remove());
afterEach(() => api.close());

/** Where a run can hang for long, and how the simulator tells that it does. */
const PLACES: readonly [string, Fault, () => boolean][] = [
  ['without headers', { kind: 'stall', at: 'headers' }, () => api.journal.prompts().length > 0],
  [
    'in a stalled answer',
    { kind: 'stall', at: 'body' },
    () => api.journal.prompts().filter(exchange => exchange.startedAt !== null).length === 3,
  ],
  [
    'in the sleep before another try',
    { kind: 'status', status: 429, retryAfter: 50 },
    () => api.journal.prompts().some(exchange => exchange.endedAt !== null),
  ],
];

describe.each(PLACES)('interrupted %s', (_, fault, isThere) => {
  test.each(['SIGINT', 'SIGTERM'] as const)('by %s: ends at once with 130, nothing is left', async signal => {
    api = await startAnthropic({ roles: ROLES });
    api.faults.add({ ...fault, times: ALWAYS });
    const running = startReview({ repo: repo.path, base: 'main~1', api });
    const { status, stdout, stderr, ms, containers } = await interrupt(running, isThere, signal);
    expect([status, stdout], stderr).toEqual([130, '']);
    expect(stderr).toContain('interrupted');
    expect(ms).toBeLessThan(MOST_MS);
    expect(containers).toEqual([]);
    // Nobody asks again behind an interruption.
    const asked = api.journal.prompts().length;
    await new Promise(resolve => setTimeout(resolve, 300));
    expect(api.journal.prompts()).toHaveLength(asked);
  });
});

describe('in the action', () => {
  let github: GitHub;
  beforeAll(async () => {
    github = await startShop({ files: { 'README.md': '# Shop\n' } });
  });
  afterAll(() => github.close());

  test('cancelled in the exchange of tokens: the check is closed, nothing is published, no container is left', async () => {
    const federation = { ruleId: 'fdrl_1', organizationId: 'org_1' };
    api = await startAnthropic({ roles: ROLES, federation });
    api.faults.add({ kind: 'stall', at: 'headers', when: { operation: 'token' }, times: ALWAYS });
    const pull = openChange(github, 'exchange', CHANGE);
    const { url, token } = github.createIdTokenSource();
    const cancel = new AbortController();
    let from = Number.NaN;
    const waiting = until(() => api.journal.of('token').length > 0).then(() => {
      from = performance.now();
      cancel.abort();
    });
    let ms = Number.NaN;
    const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
      inputs: {
        'anthropic-federation-rule-id': federation.ruleId,
        'anthropic-organization-id': federation.organizationId,
        'model-base-url': api.url,
      },
      env: { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token },
      cancel: cancel.signal,
      before: step => {
        if (step === 'cleanup') ms = performance.now() - from;
      },
    });
    await waiting;
    expect(job.steps['analyze']).toMatchObject({ outcome: 'cancelled', result: { status: 130, signal: null } });
    expect(ms).toBeLessThan(MOST_MS);
    expect(api.journal.prompts()).toEqual([]);
    expect(checkOf(github, pull.headSha)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    expect(reviewsOn(github, pull)).toEqual([]);
  });
});
