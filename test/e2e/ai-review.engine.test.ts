import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseReport, type Report } from '../../src/core/report.ts';
import { judgement } from '../review/scripted-model.ts';
import { pullRequestEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import { startAnthropic } from '../sim-model/anthropic.ts';
import type { Simulator } from '../sim-model/site.ts';
import { createTempRepo, type TempRepo } from '../workspace/temp-repo.ts';
import { FAULTY, SCRIPT } from './access-fault.ts';
import { KEY, ROLES, runReview } from './local-review.ts';
import { runJob } from './run-job.ts';
import { commentsOn, openChange, reviewsOn, startShop } from './shop.ts';

let repo: TempRepo;
let api: Simulator | null = null;
beforeAll(() => {
  repo = createTempRepo();
  repo.write('src/access.js', 'export const admins = [];\n');
  repo.commit('Begin');
  repo.write('src/access.js', FAULTY);
  repo.commit('Let administrators delete');
});
afterEach(async () => {
  await api?.close();
  api = null;
});
afterAll(() => repo.remove());

const summed = (summary: string) => ({ decisions: [], summary });

const toReport = (stdout: string): Report => parseReport(JSON.parse(stdout));
const review = (simulator: Simulator, ...options: string[]) =>
  runReview({ repo: repo.path, base: 'main~1', api: simulator, options });

describe('review --ai', () => {
  test('a fault that no scanner knows is found by the security reviewer, at its line, and trips the gate', async () => {
    api = await startAnthropic({ roles: ROLES, script: SCRIPT });
    const { status, stdout, stderr } = await review(api);
    expect(status, stderr).toBe(1);
    const report = toReport(stdout);
    expect(api.journal.prompts('security').map(({ rule }) => rule)).toEqual(['rule 1', 'planted']);
    expect(report.findings).toMatchObject([
      {
        origin: 'reviewer',
        tool: 'security',
        cwe: ['CWE-863'],
        path: 'src/access.js',
        startLine: 2,
        endLine: 2,
        introduced: true,
        placement: 'inline',
        suggestion: 'Compare the whole name: admins.includes(user).',
      },
    ]);
    expect(report.gate.reasons[0]).toContain('security broken-access-control/CWE-863) at src/access.js:2');
    expect(report.review).toMatchObject({ score: 0.8, threshold: 0.6, budgetLimited: false });
    expect(report.review?.reviewers.map(one => [one.name, one.status])).toEqual([
      ['security', 'ok'],
      ['correctness', 'ok'],
      ['style', 'ok'],
    ]);
    expect(report.cost.usd).toBeGreaterThan(0);
    expect(report.cost.usd).toBeLessThan(1.5);
    expect(report.cost.byRole.find(row => row.role === 'security')).toMatchObject({ calls: 2 });
    expect(report.ledger.files[0]?.examinedBy).toEqual(expect.arrayContaining(['gitleaks', 'security', 'style']));
  });

  test('a weak review is revised exactly once, with the judge’s words, and the better version is shown', async () => {
    const revise = /This review was judged too weak[\s\S]*Too thin\./;
    api = await startAnthropic({
      roles: ROLES,
      script: [
        { name: 'revised', when: { role: 'reflection', prompt: revise }, answer: { json: summed('After criticism.') } },
        { when: { role: 'reflection' }, answer: { json: summed('Before criticism.') } },
        { when: { role: 'judge' }, times: 1, answer: { json: judgement(0.4, 'Too thin.') } },
        { when: { role: 'judge' }, answer: { json: judgement(0.5, 'Still thin.') } },
        ...SCRIPT,
      ],
    });
    const { status, stdout, stderr } = await review(api);
    expect(status, stderr).toBe(1);
    const report = toReport(stdout);
    expect(api.journal.prompts('reflection').map(({ rule }) => rule)).toEqual(['rule 2', 'revised']);
    expect(api.journal.prompts('judge')).toHaveLength(2);
    expect(report.review).toMatchObject({ score: 0.5, revisions: 1, summary: 'After criticism.' });
    expect(report.findings).toHaveLength(1);
    expect(report.gate.reasons.join(' ')).toContain('0.5');
  });

  test('a key that the provider refuses ends neutral with the reason', async () => {
    api = await startAnthropic({ roles: ROLES, key: 'sk-ant-another-one' });
    const { status, stdout, stderr } = await review(api);
    expect(status, stderr).toBe(2);
    const report = toReport(stdout);
    expect(report).toMatchObject({ conclusion: 'neutral', gate: { tripped: false }, review: { score: null } });
    expect(report.gate.reasons).toHaveLength(3);
    for (const reason of report.gate.reasons) expect(reason).toMatch(/^The \w+ reviewer did not finish: unauthorized/);
    expect(report.review?.reviewers.map(one => one.status)).toEqual(['failed', 'failed', 'failed']);
  });

  test('a key without money ends neutral for the one reviewer that meets it', async () => {
    api = await startAnthropic({ roles: ROLES, script: SCRIPT.filter(rule => rule.when?.role === 'judge') });
    api.faults.add({ kind: 'status', status: 402, when: { role: 'style' }, times: Number.POSITIVE_INFINITY });
    const { status, stdout, stderr } = await review(api);
    expect(status, stderr).toBe(2);
    const report = toReport(stdout);
    expect(report.gate.reasons).toEqual([expect.stringContaining('The style reviewer did not finish: payment')]);
    expect(report.review?.reviewers.map(one => one.status)).toEqual(['ok', 'ok', 'failed']);
    expect(report.review?.score).toBe(0.8);
  });

  test('without a key ends with the name of the variable', async () => {
    const { status, stdout, stderr } = await runReview({ repo: repo.path, base: 'main~1', options: ['--ai'] });
    expect([status, stdout]).toEqual([69, '']);
    expect(stderr).toContain('ANTHROPIC_API_KEY');
  });

  test('a budget of two cents gives a partial review that says so, and costs no more', async () => {
    api = await startAnthropic({ roles: ROLES, script: SCRIPT });
    const policy = join(repo.path, '..', `${basename(repo.path)}-policy.yml`);
    writeFileSync(policy, 'ai: { budget_usd: 0.02 }\n');
    const { stdout, stderr } = await review(api, '--config', policy);
    rmSync(policy);
    const report = toReport(stdout);
    expect(report.review?.budgetLimited, stderr).toBe(true);
    expect(report.cost.usd).toBeLessThanOrEqual(0.02);
    expect(report.notices.join(' ')).toContain('partial');
  });

  test('is never used unasked, whatever keys there are', async () => {
    api = await startAnthropic({ roles: ROLES });
    const { status, stdout, stderr } = await runReview({
      repo: repo.path,
      base: 'main~1',
      env: { ANTHROPIC_API_KEY: KEY, MODEL_BASE_URL: api.url },
    });
    expect(status, stderr).toBe(0);
    expect(api.journal.prompts('security')).toEqual([]);
    const report = toReport(stdout);
    expect(report).not.toHaveProperty('review');
    expect(report.cost).toMatchObject({ usd: 0, calls: 0 });
    expect(report.timings).not.toHaveProperty('ai');
  });
});

describe('in the action', () => {
  let github: GitHub;
  beforeAll(async () => {
    github = await startShop();
  });
  afterAll(() => github.close());

  test('a key brings the reviewers in, and shows nowhere else', async () => {
    api = await startAnthropic({ roles: ROLES, script: SCRIPT });
    const pull = openChange(github, 'access', { 'src/access.js': FAULTY });
    const inputs = { 'anthropic-api-key': KEY, 'model-base-url': api.url };
    const first = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), { inputs });
    expect(first.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped', findings: '1', score: '0.800' });
    expect(Number(first.outputs['cost-usd'])).toBeGreaterThan(0);
    expect(commentsOn(github, pull).map(({ path, line }) => [path, line])).toEqual([['src/access.js', 2]]);
    expect(reviewsOn(github, pull)[0]?.body).toContain('### AI review');
    expect(first.log + first.summary).not.toContain(KEY);
    for (const [name, content] of Object.entries(first.files)) expect(content.includes(KEY), name).toBe(false);
    for (const [id, step] of Object.entries(first.steps)) {
      const holdsKey = Object.values(step.env ?? {}).includes(KEY);
      expect(holdsKey, id).toBe(id === 'analyze');
    }
  });

  test('an identity federation lets the reviewers in without any key', async () => {
    const federation = { ruleId: 'fdrl_1', organizationId: 'org_1', subject: `repo:${github.fullName}:pull_request` };
    api = await startAnthropic({ roles: ROLES, script: SCRIPT, federation });
    const pull = openChange(github, 'federated', { 'src/access.js': FAULTY });
    const inputs = {
      'anthropic-federation-rule-id': federation.ruleId,
      'anthropic-organization-id': federation.organizationId,
      'model-base-url': api.url,
    };
    const { url, token } = github.createIdTokenSource();
    const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
      inputs,
      env: { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token },
    });
    expect(api.journal.of('token')).toHaveLength(1);
    expect(job.outputs).toMatchObject({ gate: 'tripped', score: '0.800' });
    expect(job.log).not.toContain('sk-ant-oat01-');
  });

  test('a bot gets the scanners alone, and the summary says so', async () => {
    api = await startAnthropic({ roles: ROLES, script: SCRIPT });
    const pull = openChange(github, 'by-a-bot', { 'src/access.js': FAULTY }, { author: 'dependabot[bot]' });
    github.state.user('dependabot[bot]').type = 'Bot';
    const inputs = { 'anthropic-api-key': KEY, 'model-base-url': api.url };
    const event = pullRequestEvent(github, pull.number, 'opened', { sender: 'dependabot[bot]' });
    const job = await runJob(github, event, { inputs });
    expect(api.journal.prompts()).toEqual([]);
    expect(job.outputs).toMatchObject({ conclusion: 'success', score: '', 'cost-usd': '0.0000' });
    expect(job.summary).toContain('the scanners alone work');
  });
});
