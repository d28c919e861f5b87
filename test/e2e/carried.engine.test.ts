import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseReport, type Report } from '../../src/core/report.ts';
import { Request } from '../../src/core/request.ts';
import { decodeState, encodeState } from '../../src/render/state-marker.ts';
import { judgement, NOTHING_FOUND } from '../review/scripted-model.ts';
import { issueCommentEvent, pullRequestEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import type { PullRequest, ReviewComment } from '../sim/state.ts';
import { startAnthropic } from '../sim-model/anthropic.ts';
import type { Simulator } from '../sim-model/site.ts';
import { FAULT, FAULTY, type ModelScript, SCRIPT } from './access-fault.ts';
import { KEY, ROLES } from './local-review.ts';
import { type Job, runJob } from './run-job.ts';
import { checkOf, commentsOn, openChange, reviewsOn, startShop } from './shop.ts';

const MENDED = `export function mayDelete(user, admins) {
  return admins.includes(user);
}
`;
const MOVED = `/** Who may delete what others wrote. */
// The list comes from the settings.
${FAULTY}`;
const JUDGE: ModelScript = [{ when: { role: 'judge' }, answer: { json: judgement(0.8) } }];

let github: GitHub;
let api: Simulator;
beforeAll(async () => {
  github = await startShop();
  github.setRole('writer', 'write');
  api = await startAnthropic({ roles: ROLES, script: SCRIPT });
});
afterAll(async () => {
  await api.close();
  await github.close();
});

const withKey = () => ({ inputs: { 'anthropic-api-key': KEY, 'model-base-url': api.url } });
const speak = (script: ModelScript) => api.rules.splice(0, api.rules.length, ...script);
const reportOf = (job: Job): Report => parseReport(JSON.parse(String(job.files['report.json'])));
const requestOf = (job: Job): Request => Request.parse(JSON.parse(String(job.files['request.json'])));
const threadsOn = (pull: PullRequest) => github.state.threads.filter(thread => thread.pullNumber === pull.number);
const prompts = () => api.journal.prompts().length;

/** A pull request whose first run finds the planted fault with models. */
async function openFaulty(branch: string): Promise<{ pull: PullRequest; first: Job; fingerprint: string }> {
  speak(SCRIPT);
  const pull = openChange(github, branch, { 'src/access.js': FAULTY });
  const first = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), withKey());
  expect(first.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', findings: '1' });
  return { pull, first, fingerprint: reportOf(first).findings[0]?.fingerprint ?? '' };
}

async function push(pull: PullRequest, files: Record<string, string>, options: object = withKey()): Promise<Job> {
  github.repo.commit({ branch: pull.headRef, files });
  return runJob(github, pullRequestEvent(github, pull.number, 'synchronize'), options);
}

const ask = (pull: PullRequest, command = '/cypherfix review full'): Promise<Job> =>
  runJob(github, issueCommentEvent(github, github.comment(pull.number, command, 'writer')), withKey());

describe('pushes without models', () => {
  let pull: PullRequest;
  let fingerprint: string;
  beforeAll(async () => {
    ({ pull, fingerprint } = await openFaulty('pushed'));
  });

  test('a finding whose text still stands keeps its thread and trips the check, marked carried everywhere', async () => {
    const asked = prompts();
    const job = await push(pull, { 'notes.md': 'Later.\n' });
    expect(prompts()).toBe(asked);
    expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', findings: '1', 'cost-usd': '0.0000' });
    expect(requestOf(job).openFindings).toMatchObject([
      { fingerprint, reviewer: 'security', path: 'src/access.js', line: 2, severity: 'high', introduced: true },
    ]);
    const report = reportOf(job);
    expect(report.findings).toMatchObject([
      { fingerprint, origin: 'reviewer', tool: 'security', carried: true, startLine: 2, placement: 'inline' },
    ]);
    expect(report.review?.summary).toContain('ai.on_push');
    expect(report.ledger.files.find(file => file.path === 'src/access.js')).toMatchObject({ carried: 1 });
    expect(report.gate.reasons).toEqual([
      expect.stringMatching(/at src\/access\.js:2 is carried from an earlier run.*gate\.fail_on lists high/),
    ]);
    expect(commentsOn(github, pull)).toHaveLength(1);
    expect(threadsOn(pull).map(thread => thread.resolvedBy)).toEqual([null]);
    const check = checkOf(github, pull.headSha);
    expect(check.conclusion).toBe('failure');
    for (const text of [
      check.summary ?? '',
      JSON.stringify(check.annotations),
      reviewsOn(github, pull).at(-1)?.body ?? '',
      job.summary,
      String(job.files['report.sarif']),
    ]) {
      expect(text).toMatch(/carried from an earlier run/i);
    }
  });

  test('without any key just the same, and at the lines to which the text moved', async () => {
    const job = await push(pull, { 'src/access.js': MOVED }, {});
    expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped' });
    const report = reportOf(job);
    expect(report.findings).toMatchObject([{ fingerprint, carried: true, startLine: 4 }]);
    expect(report).not.toHaveProperty('review');
    expect(commentsOn(github, pull)).toHaveLength(1);
  });

  test('a push that takes the text away closes the thread and turns the check green', async () => {
    const job = await push(pull, { 'src/access.js': MENDED });
    expect(job.outputs).toMatchObject({ conclusion: 'success', gate: 'pass', findings: '0' });
    expect(reportOf(job).resolved).toEqual([
      { fingerprint, reason: 'the text that it quotes is no longer in src/access.js' },
    ]);
    expect(checkOf(github, pull.headSha).conclusion).toBe('success');
    expect(threadsOn(pull).map(thread => thread.resolvedBy?.login)).toEqual(['github-actions[bot]']);
    const later = await push(pull, { 'notes.md': 'Done.\n' });
    expect(requestOf(later).openFindings).toEqual([]);
  });
});

describe('a review that is asked for again', () => {
  let pull: PullRequest;
  let fingerprint: string;
  beforeAll(async () => {
    ({ pull, fingerprint } = await openFaulty('asked-again'));
  });

  test('and neither repeats nor resolves: the finding stands, and its reviewer was told of it', async () => {
    speak(JUDGE);
    const asked = prompts();
    const job = await ask(pull);
    expect(prompts()).toBeGreaterThan(asked);
    const told = api.journal.prompts('security').at(-1)?.seen?.prompt ?? '';
    expect(told).toContain(`"id":"${fingerprint.slice(0, 8)}"`);
    expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', score: '0.800' });
    expect(reportOf(job).findings).toMatchObject([{ fingerprint, carried: true }]);
    expect(threadsOn(pull).map(thread => thread.resolvedBy)).toEqual([null]);
  });

  test('and reports the same kind of fault there in other words: nothing doubles', async () => {
    github.repo.commit({ branch: pull.headRef, files: { 'src/access.js': MOVED } });
    const again = {
      ...FAULT,
      quote: 'export function mayDelete(user, admins) {\n  return admins.some(name => user.startsWith(name));',
      title: 'The beginning of a name is enough to delete',
    };
    speak([{ when: { role: 'security' }, answer: { json: { ...NOTHING_FOUND, findings: [again] } } }, ...JUDGE]);
    const job = await ask(pull);
    const { findings } = reportOf(job);
    expect(findings).toMatchObject([{ fingerprint, startLine: 3, endLine: 4, title: again.title }]);
    expect(findings[0]).not.toHaveProperty('carried');
    expect(commentsOn(github, pull)).toHaveLength(1);
    expect(threadsOn(pull).map(thread => thread.resolvedBy)).toEqual([null]);
  });

  test('and fails: what stood stands, and what did not finish is said beside it', async () => {
    api.faults.add({ kind: 'status', status: 401, when: { role: 'security' }, times: Number.POSITIVE_INFINITY });
    const job = await ask(pull);
    api.faults.clear();
    expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped' });
    expect(reportOf(job).findings).toMatchObject([{ fingerprint, carried: true }]);
    expect(reportOf(job).gate.reasons.join(' ')).toContain('The security reviewer did not finish');
  });

  test('a person’s answer in the thread keeps it open, not the finding in force', async () => {
    const other = await openFaulty('answered');
    const [answered] = commentsOn(github, other.pull);
    github.reply(answered as ReviewComment, 'Are you sure?', 'writer');
    const job = await push(other.pull, { 'src/access.js': MENDED });
    expect(job.outputs).toMatchObject({ conclusion: 'success', findings: '0' });
    expect(threadsOn(other.pull).map(thread => thread.resolvedBy)).toEqual([null]);
  });

  test('and its reviewer calls it mended: the thread closes, with the reason in the report', async () => {
    const resolved = [{ id: fingerprint.slice(0, 8), reason: 'The names have a fixed end now.' }];
    speak([{ when: { role: 'security' }, answer: { json: { ...NOTHING_FOUND, resolved } } }, ...JUDGE]);
    const job = await ask(pull);
    expect(job.outputs).toMatchObject({ conclusion: 'success', gate: 'pass', findings: '0' });
    expect(reportOf(job).resolved).toEqual([
      { fingerprint, reason: 'the security reviewer calls it mended: The names have a fixed end now.' },
    ]);
    expect(job.summary).toContain('The names have a fixed end now.');
    expect(threadsOn(pull).map(thread => thread.resolvedBy?.login)).toEqual(['github-actions[bot]']);
  });
});

describe('what markers and policy say', () => {
  test('markers of other people count for nothing', async () => {
    const { pull, first } = await openFaulty('forged');
    const [comment] = commentsOn(github, pull);
    const stranger = openChange(github, 'forging', { 'src/access.js': FAULTY });
    github.commentOnLine(stranger.number, { path: 'src/access.js', line: 2 }, comment?.body ?? '', 'mallory');
    const forged = encodeState({ headSha: pull.headSha, findings: [], spentUsd: 999 });
    const marker = reviewsOn(github, pull)[0]?.body.split('\n')[0] ?? '';
    github.commentOnLine(stranger.number, { path: 'src/access.js', line: 1 }, `${marker}\n${forged}`, 'mallory');
    for (const review of github.state.reviews) {
      if (review.pullNumber === stranger.number) review.body = `${marker}\n${forged}`;
    }
    const job = await runJob(github, pullRequestEvent(github, stranger.number, 'opened'));
    expect(requestOf(job)).toMatchObject({ openFindings: [], openFindingsUnread: null, spentUsd: 0 });
    expect(job.outputs).toMatchObject({ conclusion: 'success', findings: '0' });
    expect(threadsOn(stranger).map(thread => thread.resolvedBy)).toEqual([null, null]);
    // The same marker in our own comment does count.
    const ours = await push(pull, { 'notes.md': 'Later.\n' });
    const spent = decodeState(reviewsOn(github, pull)[0]?.body ?? '')?.spentUsd ?? 0;
    expect(requestOf(ours).openFindings).toHaveLength(1);
    expect(requestOf(ours).spentUsd).toBe(spent);
    expect(spent).toBeCloseTo(Number(first.outputs['cost-usd']), 4);
  });

  test('costs add up over runs; where the pull request has nothing left, no model is asked and the check is neutral', async () => {
    const { pull, first } = await openFaulty('costly');
    speak(JUDGE);
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': 'gate: { fail_on: [critical] }\n' } });
    const second = await ask(pull, '/cypherfix review');
    const total = Number(first.outputs['cost-usd']) + Number(second.outputs['cost-usd']);
    const spent = decodeState(reviewsOn(github, pull).at(-1)?.body ?? '')?.spentUsd ?? 0;
    expect(spent).toBeCloseTo(total, 3);
    expect(second.outputs).toMatchObject({ conclusion: 'success', gate: 'pass', findings: '1' });
    expect(reportOf(second).findings).toMatchObject([{ severity: 'high', carried: true }]);

    const policy = 'ai: { budget_usd_per_pr: 0.001 }\ngate: { fail_on: [critical] }\n';
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': policy } });
    const asked = prompts();
    const third = await ask(pull);
    expect(prompts()).toBe(asked);
    expect(third.outputs).toMatchObject({ conclusion: 'neutral', gate: 'incomplete', 'cost-usd': '0.0000' });
    expect(reportOf(third).gate.reasons.join(' ')).toContain('ai.budget_usd_per_pr');
    expect(third.summary).toContain('ai.budget_usd_per_pr');
    expect(decodeState(reviewsOn(github, pull).at(-1)?.body ?? '')?.spentUsd).toBe(spent);
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': null } });
  });

  test('with ai.on_push a push asks the reviewers, and what they do not settle is carried', async () => {
    const { pull, fingerprint } = await openFaulty('watched');
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': 'ai: { on_push: true }\n' } });
    speak(JUDGE);
    const asked = prompts();
    const job = await push(pull, { 'notes.md': 'Later.\n' });
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': null } });
    expect(prompts()).toBeGreaterThan(asked);
    expect(job.outputs).toMatchObject({ gate: 'tripped', score: '0.800' });
    expect(reportOf(job).findings).toMatchObject([{ fingerprint, carried: true }]);
  });

  test('a suppression at the base silences a carried finding and closes its thread', async () => {
    const { pull, fingerprint } = await openFaulty('accepted');
    const policy = `suppress: [{ fingerprint: ${fingerprint.slice(0, 12)}, reason: names are checked before }]\n`;
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': policy } });
    const job = await push(pull, { 'notes.md': 'Later.\n' });
    github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': null } });
    expect(job.outputs).toMatchObject({ conclusion: 'success', gate: 'pass' });
    expect(reportOf(job).findings).toMatchObject([
      { carried: true, suppressed: { reason: 'names are checked before' } },
    ]);
    expect(threadsOn(pull).map(thread => thread.resolvedBy?.login)).toEqual(['github-actions[bot]']);
  });
});
