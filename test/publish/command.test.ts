import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run as cleanUp } from '../../src/commands/cleanup.ts';
import type { CommandContext } from '../../src/commands/context.ts';
import { publish } from '../../src/commands/publish.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import { NO_COST, type Report, type ReportFinding } from '../../src/core/report.ts';
import type { Request } from '../../src/core/request.ts';
import { decodeState } from '../../src/render/state-marker.ts';
import { inputVariable } from '../../src/runner/inputs.ts';
import { startWorld, type World } from '../github/on-simulator.ts';
import { startFakeDaemon } from '../sandbox/fake-daemon.ts';
import { workflowRunEvent } from '../sim/events.ts';
import { forbidden, secondaryLimit } from '../sim/faults.ts';
import { FORK_READ } from '../sim/tokens.ts';
import { buildFinding, buildReport, buildRequest } from './build-report.ts';

let world: World;
let temp: string;
beforeEach(async () => {
  world = await startWorld();
  temp = mkdtempSync(join(tmpdir(), 'publish-'));
});
afterEach(async () => {
  rmSync(temp, { recursive: true, force: true });
  await world.sim.close();
});

const a = buildFinding('a');
const b = buildFinding('b', { path: 'src/b.js', startLine: 5, endLine: 5, severity: 'medium' });
const hidden = buildFinding('hidden', { placement: 'summary', severity: 'low' });

interface Step {
  readonly report?: Report | string | null;
  readonly request?: Partial<Request>;
  readonly inputs?: Record<string, string>;
  readonly env?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const file = (name: string) => join(temp, 'cypherfix', name);
const head = () => world.pull.headSha;
const report = (findings: readonly ReportFinding[] = [a, b, hidden], change: Partial<Report> = {}) =>
  buildReport({ headSha: head(), findings, change });

function toContext(
  inputs: Record<string, string>,
  env: Record<string, string>,
  signal: AbortSignal = new AbortController().signal,
) {
  const printed: string[] = [];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      printed.push(String(chunk));
      done();
    },
  });
  const context: CommandContext = {
    env: {
      RUNNER_TEMP: temp,
      GITHUB_REPOSITORY: 'octo/repo',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_API_URL: world.sim.url,
      GITHUB_RUN_ID: '4242',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_OUTPUT: join(temp, 'outputs'),
      GITHUB_STEP_SUMMARY: join(temp, 'summary'),
      CYPHERFIX_HOME: join(temp, 'home'),
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [inputVariable(name), value])),
      ...env,
    },
    stdout,
    stderr: stdout,
    signal,
    actionPath: temp,
    log: SILENT_LOG,
  };
  return { context, printed };
}

async function step({ report: content = report(), request = {}, inputs = {}, env = {}, signal }: Step = {}) {
  mkdirSync(join(temp, 'cypherfix'), { recursive: true });
  writeFileSync(join(temp, 'outputs'), '');
  writeFileSync(join(temp, 'summary'), '');
  writeFileSync(file('request.json'), JSON.stringify(buildRequest(head(), request)));
  if (content !== null)
    writeFileSync(file('report.json'), typeof content === 'string' ? content : JSON.stringify(content));
  const { context, printed } = toContext({ 'github-token': world.sim.token, ...inputs }, env, signal);
  const status = await publish(context, token => world.client({ token, signal: context.signal })).catch(error => error);
  const outputs = Object.fromEntries(
    [...readFileSync(join(temp, 'outputs'), 'utf8').matchAll(/^([\w-]+)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map(m => [
      m[1],
      m[3],
    ]),
  );
  return { status, outputs, summary: readFileSync(join(temp, 'summary'), 'utf8'), printed };
}

const checks = () => world.sim.state.checkRuns;
const OUTPUTS = 11;

function expectEverything(summary: string) {
  for (const name of ['a', 'b', 'hidden']) expect(summary).toContain(`Title of ${name}`);
}

describe('a review', () => {
  test('is published with check, review, summary and outputs', async () => {
    const { status, outputs, summary, printed } = await step();
    expect(status).toBe(0);
    expect(world.sim.state.reviews).toHaveLength(1);
    expect(checks()).toHaveLength(1);
    expect(checks()[0]).toMatchObject({ status: 'completed', conclusion: 'failure', externalId: '4242-1' });
    expect(Object.keys(outputs)).toHaveLength(OUTPUTS);
    expect(outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', findings: '3', 'cost-usd': '0.0000' });
    expect(outputs['review-url']).toContain('#pullrequestreview-');
    expect(outputs['check-url']).toMatch(/^http/);
    expect(outputs['report-file']).toBe(file('report.json'));
    expectEverything(summary);
    expect(printed.join('')).not.toContain('::error');
  });

  test('orders its writes: check, review, then the answer', async () => {
    const comment = world.sim.comment(7, '/cypherfix review', 'alice');
    world.pull.labels.push('cypherfix:review');
    await step({
      request: {
        request: {
          kind: 'review',
          trigger: 'issue_comment',
          actor: 'alice',
          commentId: comment.id,
          label: 'cypherfix:review',
        },
      },
    });
    expect(world.sim.journal.writes().map(e => e.operation)).toEqual([
      'checks/create',
      'checks/update',
      'pulls/create-review',
      'reactions/create-for-issue-comment',
      'issues/remove-label',
    ]);
    expect(world.sim.state.reactions[0]?.content).toBe('rocket');
    expect(world.sim.findPullRequest(7).labels).toEqual([]);
  });

  test('answers a command in a review thread there', async () => {
    const comment = world.sim.commentOnLine(7, { path: 'src/a.js', line: 3 }, '/cypherfix review', 'alice');
    await step({
      request: { request: { kind: 'review', trigger: 'issue_comment', actor: 'alice', commentId: comment.id } },
      env: { GITHUB_EVENT_NAME: 'pull_request_review_comment' },
    });
    expect(world.sim.state.reactions.map(r => r.subject)).toEqual([`review-comment/${comment.id}`]);
  });

  test('published twice doubles nothing', async () => {
    await step();
    await step();
    expect(world.sim.state.reviews).toHaveLength(1);
    expect(checks()).toHaveLength(1);
    expect(checks()[0]?.annotations).toHaveLength(2);
    expect(world.sim.state.reviewComments).toHaveLength(2);
  });

  test.each([
    ['true', 1],
    ['auto', 0],
    ['false', 0],
  ] as const)('with fail-on-gate %s ends with %i', async (failOnGate, status) => {
    expect((await step({ inputs: { 'fail-on-gate': failOnGate } })).status).toBe(status);
  });

  test('with 120 findings shows every one somewhere and annotates all', async () => {
    const many = Array.from({ length: 120 }, (_, i) =>
      buildFinding(`m${i}`, { path: 'src/b.js', startLine: i + 1, endLine: i + 1 }),
    );
    const { summary } = await step({ report: report(many) });
    expect(checks()[0]?.annotations).toHaveLength(120);
    expect(world.sim.state.reviewComments).toHaveLength(30);
    for (const finding of many) expect(summary).toContain(finding.title);
  });

  test('that is clean is a success', async () => {
    const { outputs } = await step({ report: report([]) });
    expect(outputs).toMatchObject({ conclusion: 'success', gate: 'pass', findings: '0' });
    expect(checks()[0]?.conclusion).toBe('success');
    expect(world.sim.state.reviews).toHaveLength(1);
  });
});

describe('the live state', () => {
  test('a moved head: the check of the old commit is completed, no review is written', async () => {
    const old = head();
    const request = buildRequest(old);
    const content = report();
    world.sim.repo.commit({ branch: 'feature', files: { 'src/c.js': 'c\n' } });
    const { status, summary } = await step({ report: content, request });
    expect(status).toBe(0);
    expect(world.sim.state.reviews).toEqual([]);
    expect(checks()).toMatchObject([{ headSha: old, status: 'completed', conclusion: 'failure' }]);
    expect(summary).toContain('the head moved');
    expectEverything(summary);
  });

  test('a moved head loses no cost: the newest review of our own keeps the sum', async () => {
    const cost = { ...NO_COST, usd: 0.25, calls: 1 };
    await step({ report: report([], { cost }) });
    const before = decodeState(world.sim.state.reviews[0]?.body ?? '');
    expect(before?.spentUsd).toBe(0.25);
    const old = head();
    world.sim.repo.commit({ branch: 'feature', files: { 'src/c.js': 'c\n' } });
    const late = buildReport({ headSha: old, change: { cost } });
    const { summary } = await step({ report: late, request: buildRequest(old) });
    expect(summary).toContain('the head moved');
    expect(world.sim.state.reviews).toHaveLength(1);
    expect(decodeState(world.sim.state.reviews[0]?.body ?? '')).toEqual({ ...before, spentUsd: 0.5 });
  });

  test('and says so where there is no review yet to keep it in', async () => {
    const old = head();
    world.sim.repo.commit({ branch: 'feature', files: { 'src/c.js': 'c\n' } });
    const late = buildReport({ headSha: old, change: { cost: { ...NO_COST, usd: 0.25, calls: 1 } } });
    const { summary } = await step({ report: late, request: buildRequest(old) });
    expect(summary).toContain('There is no review yet to keep what the models cost in');
  });

  test('a closed pull request gets no review', async () => {
    world.sim.closePullRequest(7);
    const { summary } = await step();
    expect(world.sim.state.reviews).toEqual([]);
    expect(checks()[0]?.status).toBe('completed');
    expect(summary).toContain('was closed');
  });

  test('who lost write permission gets no review and a confused face', async () => {
    const comment = world.sim.comment(7, '/cypherfix review', 'alice');
    world.sim.setRole('alice', 'read');
    const { summary } = await step({
      request: { request: { kind: 'review', trigger: 'issue_comment', actor: 'alice', commentId: comment.id } },
    });
    expect(world.sim.state.reviews).toEqual([]);
    expect(world.sim.state.reactions[0]?.content).toBe('confused');
    expect(summary).toContain('no write permission');
    expect(checks()[0]?.status).toBe('completed');
  });
});

describe('what may not be written', () => {
  test('a fork’s token: everything is in the summary and ten annotations of a type', async () => {
    world.sim.workflowToken.permissions = FORK_READ;
    const many = Array.from({ length: 15 }, (_, i) =>
      buildFinding(`n${i}`, { path: 'src/b.js', startLine: i + 1, endLine: i + 1 }),
    );
    const { status, outputs, summary, printed } = await step({ report: report([a, b, hidden, ...many]) });
    expect(status).toBe(1);
    expect(world.sim.state.reviews).toEqual([]);
    expect(outputs).toMatchObject({ gate: 'tripped', 'check-url': '', 'review-url': '' });
    expectEverything(summary);
    expect(summary).toContain('Resource not accessible by integration');
    const lines = printed.join('').split('\n');
    expect(lines.filter(line => line.startsWith('::error '))).toHaveLength(10);
    expect(lines.filter(line => line.startsWith('::warning '))).toHaveLength(1);
  });

  test('a check that was refused at the start is not tried again', async () => {
    const { summary } = await step({ request: { checkRefusal: 'the token of a fork may not write checks' } });
    expect(checks()).toEqual([]);
    expect(world.sim.journal.of('checks/create')).toEqual([]);
    expect(summary).toContain('the token of a fork may not write checks');
    expect(world.sim.state.reviews).toHaveLength(1);
  });

  test('a review that GitHub refuses costs neither check nor summary', async () => {
    world.sim.faults.add({ match: 'pulls/create-review', ...forbidden() });
    const { status, summary } = await step();
    expect(status).toBe(0);
    expect(checks()[0]?.status).toBe('completed');
    expectEverything(summary);
    expect(summary).toContain('The review could not be written');
  });

  test('a limit that lasts costs the review alone', async () => {
    world.sim.faults.add({ match: 'pulls/create-review', ...secondaryLimit({ retryAfter: 4000 }) });
    const { summary } = await step();
    expect(checks()[0]?.status).toBe('completed');
    expectEverything(summary);
    expect(summary).toContain('secondary rate limit');
  });

  test('without a token all is in the summary', async () => {
    const { status, summary, printed } = await step({ inputs: { 'github-token': '' } });
    expect(status).toBe(1);
    expect(world.sim.journal.entries).toEqual([]);
    expectEverything(summary);
    expect(printed.join('')).toContain('::error file=src/a.js');
  });
});

describe('a report that is not there or not ours', () => {
  async function expectRefused(wanted: Step, words: RegExp) {
    const { outputs, summary } = await step(wanted);
    expect(world.sim.state.reviews).toEqual([]);
    expect(checks()).toMatchObject([{ headSha: head(), status: 'completed', conclusion: 'failure' }]);
    expect(Object.keys(outputs)).toHaveLength(OUTPUTS);
    expect(outputs).toMatchObject({ conclusion: 'failure', gate: 'error', findings: '0' });
    expect(summary).toMatch(words);
  }

  test.each<[string, string, RegExp]>([
    ['failure', 'failure', /ended without a report/],
    ['cancelled', 'cancelled', /was cancelled/],
    ['skipped', 'skipped', /did not start/],
  ])('the analysis ended with %s', async (_name, outcome, words) => {
    await expectRefused({ report: null, env: { CYPHERFIX_ANALYZE_OUTCOME: outcome } }, words);
  });

  test('no JSON', () => expectRefused({ report: '{' }, /not what this version writes/));
  test('another key', () => expectRefused({ report: JSON.stringify({ ...report(), x: 1 }) }, /not what this version/));
  test('another commit', () =>
    expectRefused({ report: buildReport({ headSha: 'a'.repeat(40), findings: [a] }) }, /another head commit/));
  test('another pull request', () =>
    expectRefused({ report: buildReport({ headSha: head(), number: 8 }) }, /another pull request/));

  test('another repository in the request: nothing is written at all', async () => {
    const { status, outputs } = await step({ request: { repository: 'octo/other' } });
    expect(status).toMatchObject({ code: 'policy' });
    expect(outputs).toMatchObject({ gate: 'error' });
    expect(world.sim.journal.entries).toEqual([]);
  });

  test('another pull request than the input names', async () => {
    const { status } = await step({ inputs: { 'pull-request': '9' } });
    expect(status).toMatchObject({ code: 'policy' });
  });

  test('a check of another commit is not completed', async () => {
    const other = world.sim.repo.sha('main') ?? '';
    const { createCheckRun } = await import('../../src/github/check-run.ts');
    const output = { title: 't', summary: 's' };
    const check = await createCheckRun(world.gh, world.repository, { headSha: other, externalId: 'x', output });
    await step({ request: { checkRunId: check.id } });
    expect(checks().find(c => c.id === check.id)?.status).toBe('in_progress');
  });
});

describe('other tasks', () => {
  test('a whole tree: check and summary, no review', async () => {
    const content = buildReport({ headSha: head(), number: null, findings: [a, b, hidden] });
    const { summary } = await step({
      report: content,
      request: { task: 'whole-tree', pullRequest: null, mergeBaseSha: null, ref: 'refs/heads/main' },
    });
    expect(world.sim.state.reviews).toEqual([]);
    expectEverything(summary);
  });

  test('a merge group: success with a link', async () => {
    const ref = `refs/heads/gh-readonly-queue/main/pr-7-${'a'.repeat(40)}`;
    const { status, outputs, summary } = await step({
      report: null,
      request: { task: 'merge-group', pullRequest: null, ref },
    });
    expect(status).toBe(0);
    expect(checks()).toMatchObject([{ status: 'completed', conclusion: 'success' }]);
    expect(checks()[0]?.summary).toContain('https://github.test/octo/repo/pull/7');
    expect(summary).toContain('/pull/7');
    expect(outputs).toMatchObject({ gate: 'empty' });
    expect(world.sim.state.reviews).toEqual([]);
  });

  test('the artefact of a fork’s run', async () => {
    const copy = world.sim.fork('mallory');
    copy.commit({ branch: 'patch', parent: copy.sha('main') ?? null, files: { 'src/a.js': 'eval(1)\neval(2)\n' } });
    const fork = world.sim.openPullRequest({ head: 'patch', from: copy, number: 21 });
    const run = world.sim.addWorkflowRun(fork);
    const change = { cost: { ...NO_COST, usd: 99, calls: 1 } };
    const content = buildReport({ headSha: fork.headSha, number: 21, findings: [a], change });
    world.sim.addArtifact(run, `cypherfix-${fork.headSha}`, { 'report.json': JSON.stringify(content) });
    const { outputs, summary } = await step({
      report: null,
      request: { task: 'publish-artifact', pullRequest: null, headSha: fork.headSha, artifactRunId: run.id },
      env: { GITHUB_EVENT_NAME: 'workflow_run' },
    });
    expect(world.sim.state.reviews).toMatchObject([{ pullNumber: 21 }]);
    expect(world.sim.state.reviews[0]?.body).toContain('its author can alter');
    expect(decodeState(world.sim.state.reviews[0]?.body ?? '')?.spentUsd).toBe(0);
    expect(checks()).toMatchObject([{ headSha: fork.headSha, status: 'completed', conclusion: 'failure' }]);
    expect(checks()[0]?.summary).toContain('its author can alter');
    expect(summary).toContain('its author can alter');
    expect(existsSync(outputs['report-file'] ?? '')).toBe(true);
    expect(existsSync(outputs['sarif-file'] ?? '')).toBe(true);
  });
});

describe('a folder of an earlier run', () => {
  const inputs = () => ({ mode: 'publish', 'report-path': join(temp, 'earlier') });
  const moveThere = () => {
    mkdirSync(join(temp, 'earlier'), { recursive: true });
    writeFileSync(join(temp, 'earlier', 'request.json'), JSON.stringify(buildRequest(head())));
    writeFileSync(join(temp, 'earlier', 'report.json'), JSON.stringify(report()));
  };
  const startedBy = (headSha: string) => {
    const run = world.sim.addWorkflowRun(world.pull, { headSha });
    const path = join(temp, 'event.json');
    writeFileSync(path, JSON.stringify(workflowRunEvent(world.sim, run).payload));
    return { GITHUB_EVENT_NAME: 'workflow_run', GITHUB_EVENT_PATH: path };
  };

  test('is published', async () => {
    moveThere();
    const { outputs } = await step({ report: null, request: { task: 'merge-group' }, inputs: inputs() });
    expect(world.sim.state.reviews).toHaveLength(1);
    expect(outputs['report-file']).toBe(join(temp, 'earlier', 'report.json'));
  });

  test('of the run that started this one is published', async () => {
    moveThere();
    await step({ report: null, inputs: inputs(), env: startedBy(head()) });
    expect(world.sim.state.reviews).toHaveLength(1);
  });

  test('of another commit than the run that started this one is refused', async () => {
    moveThere();
    const { status } = await step({ report: null, inputs: inputs(), env: startedBy(world.sim.repo.sha('main') ?? '') });
    expect(status).toMatchObject({ code: 'policy' });
    expect(world.sim.journal.writes()).toEqual([]);
  });
});

test('a cancelled publication leaves all findings in the summary', async () => {
  const controller = new AbortController();
  world.sim.faults.add({ match: 'pulls/create-review', kind: 'delay', ms: 3000 });
  world.sim.after('checks/update', () => {
    setTimeout(() => controller.abort(), 300);
  });
  const { status, outputs, summary } = await step({ signal: controller.signal });
  expect(status).toMatchObject({ code: 'interrupted' });
  expectEverything(summary);
  expect(Object.keys(outputs)).toHaveLength(OUTPUTS);
  expect(checks()[0]?.status).toBe('completed');
});

describe('clean-up', () => {
  test('closes this run’s check and removes the request, and never fails', async () => {
    const { createCheckRun } = await import('../../src/github/check-run.ts');
    const output = { title: 't', summary: 's' };
    await createCheckRun(world.gh, world.repository, { headSha: head(), externalId: '4242-1', output });
    mkdirSync(join(temp, 'cypherfix', 'repo.git'), { recursive: true });
    writeFileSync(file('request.json'), JSON.stringify(buildRequest(head())));
    const { context } = toContext({ 'github-token': world.sim.token }, {});
    expect(await cleanUp([], context)).toBe(0);
    expect(checks()).toMatchObject([{ status: 'completed', conclusion: 'cancelled' }]);
    expect([existsSync(file('request.json')), existsSync(file('repo.git'))]).toEqual([false, false]);
    world.sim.workflowToken.permissions = {};
    expect(await cleanUp([], context)).toBe(0);
    expect(await cleanUp([], toContext({}, { RUNNER_TEMP: join(temp, 'none') }).context)).toBe(0);
  });

  test('removes the containers of this run and no other', async () => {
    const labels = (runLabel: string) => ({
      'cypherfix.run': runLabel,
      'cypherfix.owner': 'another-machine:1/1/1',
      'cypherfix.expires': String(Date.now() + 600_000),
    });
    const daemon = await startFakeDaemon({
      'GET /containers/json': {
        json: [
          { Id: 'own', Labels: labels('4242-1') },
          { Id: 'other', Labels: labels('4242-2') },
        ],
      },
      'DELETE /containers/own': { status: 204 },
    });
    try {
      const { context } = toContext({}, { DOCKER_HOST: `unix://${daemon.socketPath}` });
      expect(await cleanUp([], context)).toBe(0);
      const removed = daemon.calls.filter(call => call.method === 'DELETE').map(call => call.url.split('?')[0]);
      expect(removed).toEqual(['/containers/own']);
    } finally {
      await daemon.close();
    }
  });

  test.each(['pull_request', 'issue_comment'])(
    'finds the head through the event %s where there is no request yet',
    async name => {
      const { createCheckRun } = await import('../../src/github/check-run.ts');
      const output = { title: 't', summary: 's' };
      await createCheckRun(world.gh, world.repository, { headSha: head(), externalId: '4242-1', output });
      const { issueCommentEvent, pullRequestEvent } = await import('../sim/events.ts');
      const event = join(temp, 'event.json');
      const { payload } =
        name === 'pull_request'
          ? pullRequestEvent(world.sim, 7, 'opened')
          : issueCommentEvent(world.sim, world.sim.comment(7, '/cypherfix review', 'alice'));
      writeFileSync(event, JSON.stringify(payload));
      const env = { GITHUB_EVENT_PATH: event, GITHUB_EVENT_NAME: name };
      await cleanUp([], toContext({ 'github-token': world.sim.token }, env).context);
      expect(checks()).toMatchObject([{ status: 'completed', conclusion: 'cancelled' }]);
    },
  );
});
