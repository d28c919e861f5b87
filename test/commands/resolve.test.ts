import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { run } from '../../src/commands/resolve.ts';
import { Request } from '../../src/core/request.ts';
import { encodeState } from '../../src/render/state-marker.ts';
import {
  issueCommentEvent,
  pullRequestEvent,
  scheduleEvent,
  type WorkflowEvent,
  workflowDispatchEvent,
} from '../sim/events.ts';
import { forbidden } from '../sim/faults.ts';
import { type GitHub, startGitHub } from '../sim/github.ts';
import type { OpenPullRequest } from '../sim/pulls.ts';
import { type Runner, runnerEnvironment } from '../sim/runner.ts';
import { parseCommandFile } from '../sim/runner-files.ts';

let github: GitHub;
let folder: string;
let runners: Runner[];
let lines: string[];
beforeEach(async () => {
  github = await startGitHub();
  folder = mkdtempSync(join(tmpdir(), 'resolve-'));
  runners = [];
  lines = [];
});
afterEach(async () => {
  for (const runner of runners) await runner.dispose();
  rmSync(folder, { recursive: true, force: true });
  await github.close();
});

/** Runs the step in this process; `env` goes over what the runner gives. */
async function resolve(event: WorkflowEvent, env: Record<string, string | undefined> = {}) {
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const runner = runnerEnvironment(github, event, { env: { ...files, INPUT_GITHUB_TOKEN: github.token, ...env } });
  runners.push(runner);
  const say = (message: string) => lines.push(message);
  const context: CommandContext = {
    env: runner.env,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: new AbortController().signal,
    actionPath: '/nowhere',
    log: { stage: () => () => {}, info: say, warn: say, error: say },
  };
  const outcome = await run([], context).then(
    status => ({ status, error: null }),
    (error: Error) => ({ status: null, error }),
  );
  return {
    ...outcome,
    outputs: parseCommandFile(readFileSync(files.GITHUB_OUTPUT, 'utf8')),
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
    request: () => Request.parse(JSON.parse(readFileSync(join(runner.temp, 'cypherfix/request.json'), 'utf8'))),
    temp: runner.temp,
  };
}

function openPull(files: Record<string, string> = { 'a.py': 'X = 1\n' }) {
  github.repo.setBranch('change', github.repo.sha('main') ?? '');
  github.repo.commit({ branch: 'change', files });
  return github.openPullRequest({ head: 'change', title: 'Add a', body: 'Please' });
}

const OUTPUTS = [
  'conclusion',
  'findings',
  'gate',
  'head-sha',
  'mode',
  'number',
  'reason',
  'report-file',
  'run',
  'sarif-file',
  'test-image',
];

describe('a pull request', () => {
  test('its request holds what analysis and publication need, readable by this user alone', async () => {
    const pull = openPull();
    const { outputs, request, temp, status } = await resolve(pullRequestEvent(github, pull.number, 'opened'));
    expect(status).toBe(0);
    expect(Object.keys(outputs).sort()).toEqual(OUTPUTS);
    expect(outputs).toMatchObject({ run: 'true', mode: 'auto', number: String(pull.number), 'head-sha': pull.headSha });
    expect(request()).toMatchObject({
      task: 'review',
      repository: github.fullName,
      headSha: pull.headSha,
      baseSha: github.repo.sha('main'),
      mergeBaseSha: github.repo.sha('main'),
      restricted: false,
      ref: `refs/pull/${pull.number}/head`,
      pullRequest: { number: pull.number, title: 'Add a', body: 'Please', fork: false, baseRef: 'main' },
      request: { kind: 'review', trigger: 'pull_request.opened', actor: 'octocat' },
    });
    expect(statSync(join(temp, 'cypherfix')).mode & 0o777).toBe(0o700);
    expect(github.state.checkRuns).toMatchObject([{ id: request().checkRunId, status: 'in_progress' }]);
  });

  test('policy comes from the tip of the base branch, not from where the event froze it', async () => {
    const pull = openPull();
    const event = pullRequestEvent(github, pull.number, 'opened');
    github.repo.commit({ branch: 'main', files: { 'README.md': '# moved on\n' } });
    const { request } = await resolve(event);
    expect(request().baseSha).toBe(github.repo.sha('main'));
    expect(request().mergeBaseSha).toBe(github.repo.sha('main~1'));
  });

  test('where no check run may be written, the reason goes into the request and the run goes on', async () => {
    const pull = openPull();
    github.faults.add({ match: 'checks/create', times: 10, ...forbidden() });
    const { outputs, request } = await resolve(pullRequestEvent(github, pull.number, 'opened'));
    expect(outputs['run']).toBe('true');
    expect(request()).toMatchObject({
      checkRunId: null,
      checkRefusal: expect.stringMatching(/not accessible|permission/i),
    });
  });

  test('no token reaches the disk', async () => {
    const pull = openPull();
    const { temp } = await resolve(pullRequestEvent(github, pull.number, 'opened'));
    const { execFileSync } = await import('node:child_process');
    const found = execFileSync('bash', ['-c', 'grep -rlF -- "$1" "$2" || true', 'bash', github.token, temp], {
      encoding: 'utf8',
    });
    expect(found).toBe('');
    expect(lines.join('\n')).not.toContain(github.token);
  });
});

describe('what earlier runs left', () => {
  test('is nothing where there was none', async () => {
    const pull = openPull();
    const { request } = await resolve(pullRequestEvent(github, pull.number, 'opened'));
    expect(request()).toMatchObject({ openFindings: [], openFindingsUnread: null, spentUsd: 0, acceptanceHead: null });
  });

  test('holds the sum of costs and the head that acceptance saw, of our own reviews alone', async () => {
    const pull = openPull();
    const acceptanceHead = 'ef'.repeat(20);
    const review = (state: Parameters<typeof encodeState>[0]) =>
      `<!-- cypherfix:v1 review head=${pull.headSha} -->\n${encodeState(state)}`;
    const state = { headSha: pull.headSha, findings: [], spentUsd: 1.25, acceptanceHead };
    const bot = github.workflowToken.user;
    const at = { pullNumber: pull.number, commitId: pull.headSha, submittedAt: null, minimized: null };
    const add = (author: typeof bot, body: string) =>
      github.state.reviews.push({ ...at, id: github.state.nextId(), author, body, state: 'COMMENTED' });
    add(bot, review(state));
    add(bot, review({ headSha: pull.headSha, findings: [] }));
    add(github.state.user('mallory'), review({ ...state, spentUsd: 900, acceptanceHead: pull.headSha }));
    const { request } = await resolve(pullRequestEvent(github, pull.number, 'synchronize'));
    expect(request()).toMatchObject({ spentUsd: 1.25, acceptanceHead });
  });

  test('that cannot be read is said in the request, and the run goes on', async () => {
    const pull = openPull();
    github.faults.add({ match: 'graphql/repository', times: 50, ...forbidden() });
    const { status, request } = await resolve(pullRequestEvent(github, pull.number, 'opened'));
    expect(status).toBe(0);
    expect(request().openFindings).toEqual([]);
    expect(request().openFindingsUnread).toMatch(/^What reviewers found in earlier runs could not be read: .*\.$/);
  });
});

describe('the issues that a pull request is to settle', () => {
  const CRITERIA = '- [ ] AC-1: it adds up';

  function openLinked(request: Partial<OpenPullRequest> = {}, policy: string | null = null) {
    if (policy !== null) github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': policy } });
    for (const number of [21, 22, 23]) github.openIssue({ number, title: `Issue ${number}`, body: CRITERIA });
    github.repo.setBranch('23-totals', github.repo.sha('main') ?? '');
    github.repo.commit({ branch: '23-totals', files: { 'a.py': 'X = 1\n' } });
    const body = 'Closes: #22\n\n`fixes #24`, fixes other/place#25';
    return github.openPullRequest({ head: '23-totals', title: 'Add up', body, closes: [21], ...request });
  }
  const issuesOf = async (event: WorkflowEvent) => {
    const { request, status } = await resolve(event);
    expect(status).toBe(0);
    const { issues, issueNotices, restricted } = request();
    return { numbers: issues.map(issue => issue.number), issues, issueNotices, restricted };
  };

  test('come from the links of GitHub, the keywords and the name of the branch', async () => {
    const pull = openLinked();
    const { numbers, issues, issueNotices } = await issuesOf(pullRequestEvent(github, pull.number, 'opened'));
    expect(numbers).toEqual([21, 22, 23]);
    expect(issues[0]).toEqual({ number: 21, title: 'Issue 21', body: CRITERIA, state: 'open' });
    expect(issueNotices).toEqual([]);
  });

  test('are not read where the policy turns the check off', async () => {
    const pull = openLinked({}, 'acceptance: { mode: off }\n');
    expect((await issuesOf(pullRequestEvent(github, pull.number, 'opened'))).numbers).toEqual([]);
    expect(github.journal.entries.map(entry => entry.path).filter(path => path.includes('/issues/'))).toEqual([]);
  });

  test('of a bot are read only when somebody who may write asks for it', async () => {
    const pull = openLinked({ author: 'dependabot[bot]' });
    github.state.user('dependabot[bot]').type = 'Bot';
    const opened = pullRequestEvent(github, pull.number, 'opened', { sender: 'dependabot[bot]' });
    expect(await issuesOf(opened)).toMatchObject({ numbers: [], restricted: true });
    github.setRole('writer', 'write');
    const comment = github.comment(pull.number, '/cypherfix review', 'writer');
    expect(await issuesOf(issueCommentEvent(github, comment))).toMatchObject({
      numbers: [21, 22, 23],
      restricted: false,
    });
  });

  test('a token without `issues: read` leaves a notice, and the run goes on', async () => {
    const pull = openLinked();
    github.faults.add({ match: 'issues/get', times: 10, ...forbidden() });
    const { numbers, issueNotices } = await issuesOf(pullRequestEvent(github, pull.number, 'opened'));
    expect(numbers).toEqual([]);
    expect(issueNotices).toHaveLength(3);
    expect(issueNotices[0]).toMatch(/^acceptance: issue 21 was not read: .*(not accessible|permission)/i);
  });

  test.each([
    ['tests: { command: make }', 'node'],
    ['tests: { image: go }\nacceptance: { command: make }', 'go'],
    ['acceptance: { mode: off, command: make }', ''],
    ['tests: { image: python }', ''],
    [`tests: { command: make, image: 'example.test/a@sha256:${'0'.repeat(64)}' }`, ''],
  ])('%s: prepare gets the image of the tests, where any run', async (policy, image) => {
    const pull = openLinked({}, `${policy}\n`);
    const { outputs } = await resolve(pullRequestEvent(github, pull.number, 'opened'));
    expect(outputs['test-image']).toBe(image);
  });

  test('links that GitHub refuses leave a notice, and so does a number that is no issue where a keyword names it', async () => {
    const pull = openLinked({ closes: [], body: 'Fixes #77' });
    const first = await issuesOf(pullRequestEvent(github, pull.number, 'opened'));
    expect(first.numbers).toEqual([23]);
    expect(first.issueNotices).toEqual([expect.stringContaining('there is no issue 77 that this token may read')]);
    github.faults.add({
      match: entry =>
        entry.operation === 'graphql/repository' && JSON.stringify(entry.body).includes('ListClosingIssues'),
      times: 10,
      kind: 'respond',
      status: 200,
      body: { data: null, errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] },
    });
    const second = await issuesOf(pullRequestEvent(github, pull.number, 'opened'));
    expect(second.numbers).toEqual([23]);
    expect(second.issueNotices.join()).toContain('the issues that GitHub links were not read');
  });
});

test('a schedule examines the tip of the default branch', async () => {
  const { request, outputs } = await resolve(scheduleEvent(github));
  expect(request()).toMatchObject({
    task: 'whole-tree',
    headSha: github.repo.sha('main'),
    mergeBaseSha: null,
    pullRequest: null,
  });
  expect(outputs).toMatchObject({ run: 'true', number: '', 'head-sha': github.repo.sha('main') });
});

describe('a triage of the default branch', () => {
  const policy = (text: string) => github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': text } });
  const PROJECT = 'version: 1\ntriage: { project: p, user: u }\n';

  test('mode triage asks for it, with the pull requests that are closed', async () => {
    const [first, second] = [openPull(), openPull()];
    github.closePullRequest(first.number);
    github.setRole('writer', 'write');
    const { request, outputs } = await resolve(workflowDispatchEvent(github, {}, 'writer'), { INPUT_MODE: 'triage' });
    expect(second.state).toBe('open');
    expect(request()).toMatchObject({
      task: 'whole-tree',
      request: { kind: 'triage', trigger: 'workflow_dispatch' },
      triage: { asked: true, automatic: false, trigger: 'dispatch', closedPullRequests: [first.number], notices: [] },
    });
    expect(outputs).toMatchObject({ run: 'true', mode: 'triage' });
  });

  test('the schedule of mode auto makes one where the policy names a project, by nobody’s hand', async () => {
    policy(PROJECT);
    const { request } = await resolve(scheduleEvent(github));
    expect(request()).toMatchObject({
      request: { kind: 'review' },
      triage: { asked: false, automatic: true, trigger: 'schedule' },
    });
  });

  test.each([
    ['no project', 'version: 1\n', 'auto'],
    ['a policy that cannot be read', 'version: 9\n', 'auto'],
    ['mode review', PROJECT, 'review'],
  ])('%s: none follows', async (_, text, mode) => {
    policy(text);
    const { request } = await resolve(scheduleEvent(github), { INPUT_MODE: mode });
    expect(request().triage).toBeNull();
    expect(github.journal.of('pulls/list')).toEqual([]);
  });

  test('a token that may not list pull requests leaves what they left in the graph', async () => {
    github.faults.add({ match: 'pulls/list', ...forbidden() });
    const { request } = await resolve(scheduleEvent(github), { INPUT_MODE: 'triage' });
    expect(request().triage).toMatchObject({
      closedPullRequests: [],
      notices: [expect.stringContaining('closed pull requests left in the graph stays')],
    });
  });

  test('in mode triage another event, branch or a pull request is skipped with the reason', async () => {
    const pull = openPull();
    const onSide = workflowDispatchEvent(github, {});
    const cases: [WorkflowEvent, Record<string, string>, string][] = [
      [pullRequestEvent(github, pull.number, 'opened'), {}, 'not on pull_request'],
      [workflowDispatchEvent(github, {}), { INPUT_PULL_REQUEST: String(pull.number) }, 'takes no pull-request'],
      [{ ...onSide, payload: { ...onSide.payload, ref: 'refs/heads/side' } }, {}, 'not on refs/heads/side'],
    ];
    for (const [event, env, reason] of cases) {
      const { outputs, summary } = await resolve(event, { INPUT_MODE: 'triage', ...env });
      expect(outputs['run']).toBe('false');
      expect(summary).toContain(reason);
    }
    expect(github.journal.entries).toEqual([]);
  });
});

test('mode publish with a folder asks GitHub for nothing', async () => {
  const { outputs } = await resolve(scheduleEvent(github), { INPUT_MODE: 'publish', INPUT_REPORT_PATH: 'report' });
  expect(outputs).toMatchObject({ run: 'true', mode: 'publish', 'head-sha': '' });
  expect(github.journal.entries).toEqual([]);
});

describe('what is wrong is an error that names it, and the outputs say error', () => {
  test.each<[what: string, env: Record<string, string | undefined>, message: RegExp]>([
    ['an input', { INPUT_MODE: 'dance' }, /input mode: 'dance' is not allowed, expected one of auto/],
    ['a number', { INPUT_PULL_REQUEST: '-3' }, /input pull-request: '-3'/],
    ['no payload', { GITHUB_EVENT_PATH: '/nowhere/event.json' }, /payload \/nowhere\/event.json cannot be read/],
    ['no repository', { GITHUB_REPOSITORY: undefined }, /GITHUB_REPOSITORY is not set/],
    ['no token', { INPUT_GITHUB_TOKEN: '' }, /token/i],
    ['a token that is not one', { INPUT_GITHUB_TOKEN: 'ghs_wrong' }, /401|credentials|token/i],
  ])('%s', async (_, env, message) => {
    const { error, outputs } = await resolve(scheduleEvent(github), env);
    expect(error?.message).toMatch(message);
    expect(outputs).toMatchObject({ run: 'false', gate: 'error', conclusion: '' });
    expect(Object.keys(outputs).sort()).toEqual(OUTPUTS);
  });
});
