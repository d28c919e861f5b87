import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parseReport, type Report } from '../../src/core/report.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { readReviewFacts } from '../../src/graph/read-review-facts.ts';
import { makeProject, openGraph, type TestProject } from '../graph/project.ts';
import { answerHttp, type Listener, listen, refuseHandshake } from '../graph/server/fake-bolt.ts';
import { issueCommentEvent, pullRequestEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import type { PullRequest } from '../sim/state.ts';
import { createTempRepo } from '../workspace/temp-repo.ts';
import { runReview } from './local-review.ts';
import { type Job, runJob } from './run-job.ts';
import { CLEAN, FAULTY, openChange, reviewsOn, startShop } from './shop.ts';

/** What nobody may see who cannot see the graph. */
const HIDDEN = 'hidden-host.example';

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
  // A server that has just started plans each query for the first time.
  await readReviewFacts(graph, { userId: 'nobody', projectId: 'nothing' }, 'no/name');
});
afterAll(() => graph?.close());

const newProject = (): TestProject =>
  makeProject(graph, { userId: `u-${Math.random()}`, projectId: `p-${Math.random()}` });
const policyOf = ({ tenant }: TestProject, rest = '') =>
  `triage: { project: '${tenant.projectId}', user: '${tenant.userId}' }\n${rest}`;
const access = (uri = inject('neo4j').uri) => {
  const { user, password } = inject('neo4j');
  return { 'neo4j-uri': uri, 'neo4j-user': user, 'neo4j-password': password };
};
const reportOf = (job: Job): Report => parseReport(JSON.parse(String(job.files['report.json'])));
const rankOf = (report: Report, ruleId: string) => report.findings.find(finding => finding.ruleId === ruleId)?.risk;

/** The repository's code is live, and its rule S602 was always wrong so far. */
const seed = (project: TestProject, repository: string) =>
  project.run(
    `CREATE (:GithubRepository {user_id: $userId, project_id: $projectId, full_name: $repository})-[:DEPLOYED_TO]->
       (b:BaseURL {user_id: $userId, project_id: $projectId, url: 'https://${HIDDEN}'})-[:HAS_ENDPOINT]->
       (:Endpoint {user_id: $userId, project_id: $projectId, is_live: true})
     WITH 1 AS one UNWIND range(1, 12) AS i
     CREATE (:CodeFinding {user_id: $userId, project_id: $projectId, repository: 'acme/other', scope: 'default',
       fingerprint: toString(i), id: toString(i), triage_detector: $detector, triage_source: 'human',
       triage_status: 'likely_noise'})`,
    { repository, detector: 'code:ruff:s602' },
  );

describe('a private repository', () => {
  let github: GitHub;
  let project: TestProject;
  let pull: PullRequest;
  beforeAll(async () => {
    project = newProject();
    // Severities trip nothing.
    const policy = policyOf(project, 'gate: { fail_on: [], max_tier: T4 }\n');
    github = await startShop({ settings: { private: true }, files: { '.cypherfix.yml': policy } });
    github.setRole('writer', 'write');
    await seed(project, github.fullName);
    pull = openChange(github, 'faulty', { 'app.py': FAULTY });
  });
  afterAll(() => github?.close());

  const review = (action: 'opened' | 'reopened') =>
    runJob(github, pullRequestEvent(github, pull.number, action), { inputs: access() });

  test('is ranked by facts and verdicts, and a verdict on its finding counts at once and in the next review', async () => {
    const first = await review('opened');
    const report = reportOf(first);
    expect(rankOf(report, 'S307')).toMatchObject({ R: { evidence: 'a live endpoint on this host' } });
    expect(rankOf(report, 'S602')?.C.evidence).toContain('you judged 0 of 12 of these real');
    expect(report.conclusion).toBe('failure');
    expect(report.gate.reasons.join()).toContain("the policy's gate.max_tier");

    for (const { id, risk } of report.findings.filter(finding => finding.risk?.tier !== 'T4')) {
      const comment = github.comment(pull.number, `/cypherfix verdict ${id} false-positive tried it`, 'writer');
      await runJob(github, issueCommentEvent(github, comment), { inputs: access() });
      const answer = github.state.issueComments.at(-1)?.body ?? '';
      expect(answer).toContain(`Recorded: finding \`${id}\` is a false positive.`);
      expect(answer).toContain(risk?.tier);
      expect(answer).toContain('T4');
    }

    const again = reportOf(await review('reopened'));
    expect(rankOf(again, 'S307')).toMatchObject({ tier: 'T4', score: 0, state: 'false_positive' });
    expect([again.conclusion, again.gate.reasons]).toEqual(['success', []]);
  });

  test('a fork’s run leaves the graph alone, and hears nothing of it', async () => {
    const before = await project.run('MATCH (n {project_id: $projectId}) RETURN count(n) AS nodes');
    const forked = openChange(github, 'patch-1', { 'app.py': FAULTY }, { from: github.fork('stranger') });
    const report = reportOf(
      await runJob(github, pullRequestEvent(github, forked.number, 'opened'), { inputs: access() }),
    );
    expect(report.notices.join()).not.toContain('graph');
    expect(rankOf(report, 'S307')?.R.evidence).not.toContain('live');
    expect(await project.run('MATCH (n {project_id: $projectId}) RETURN count(n) AS nodes')).toEqual(before);
  });
});

describe('a public repository', () => {
  let github: GitHub;
  let project: TestProject;
  let pull: PullRequest;
  let plain: Job;
  beforeAll(async () => {
    project = newProject();
    github = await startShop({ files: { '.cypherfix.yml': policyOf(project, 'ai: { record: true }\n') } });
    await seed(project, github.fullName);
    pull = openChange(github, 'faulty', { 'app.py': FAULTY });
    plain = await runJob(github, pullRequestEvent(github, pull.number, 'opened'));
  });
  afterAll(() => github?.close());

  test('shows nothing of the graph but tiers and scores, in artefact, recording, log and review', async () => {
    const job = await runJob(github, pullRequestEvent(github, pull.number, 'reopened'), { inputs: access() });
    const [ranked, alone] = [reportOf(job), reportOf(plain)];
    expect(rankOf(alone, 'S602')?.tier).toBe('T2');
    expect(rankOf(ranked, 'S602')?.tier).toBe('T4');
    expect(rankOf(ranked, 'S307')?.score).toBeGreaterThan(rankOf(alone, 'S307')?.score ?? 100);
    expect(toComparable(ranked)).toEqual(toComparable(alone));
    expect(ranked.notices.filter(text => text.includes('graph'))).toEqual([
      'Tiers and scores take the attack-surface graph into account; on a public repository the factors are shown without it.',
    ]);

    const recording = JSON.parse(String(job.files['recording.json']));
    const known = new Map(alone.findings.map(finding => [finding.fingerprint, finding.risk]));
    expect(recording.graph.ranks.length).toBeGreaterThan(0);
    for (const { fingerprint, risk } of recording.graph.ranks) {
      expect({ ...risk, tier: '', score: 0 }).toEqual({ ...known.get(fingerprint), tier: '', score: 0 });
    }

    const published = JSON.stringify([github.state.reviews, github.state.reviewComments, github.state.checkRuns]);
    const files = Object.values(job.files).map(String);
    for (const text of [...files, job.log, job.summary, published]) {
      expect(text).not.toMatch(/hidden-host|you judged|live endpoint|acme\/other/);
      expect(text).not.toContain(inject('neo4j').password);
    }
    expect(
      await project.run('MATCH (f:CodeFinding {project_id: $projectId, scope: $scope}) RETURN count(f) > 0 AS kept', {
        scope: `pr/${pull.number}`,
      }),
    ).toEqual([{ kept: true }]);
  });

  /** Without what no two runs have in common, and without tiers, scores and the order that follows them. */
  function toComparable({
    timings: _,
    generatedAt: __,
    notices,
    request: ___,
    scanners,
    sandbox,
    findings,
    ...rest
  }: Report) {
    return {
      ...rest,
      notices: notices.filter(text => !text.includes('graph')),
      scanners: scanners.map(scanner => ({ ...scanner, durationMs: 0 })),
      sandbox: sandbox && { ...sandbox, runs: sandbox.runs.map(run => ({ ...run, durationMs: 0 })) },
      findings: findings
        .map(finding => ({ ...finding, risk: { ...finding.risk, tier: '', score: 0 } }))
        .sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)),
    };
  }

  describe('and a graph that cannot be used: the same review, and a notice that names no server', () => {
    const listeners: Listener[] = [];
    afterAll(() => Promise.all(listeners.map(listener => listener.close())));
    const listenAs = async (...of: Parameters<typeof listen>): Promise<Record<string, string>> => {
      const listener = await listen(...of);
      listeners.push(listener);
      return access(`bolt://${listener.address}`);
    };

    test.each<[string, () => Record<string, string> | Promise<Record<string, string>>, string]>([
      ['no address', () => ({}), 'neo4j-uri is not set'],
      [
        'a wrong password',
        () => ({ ...access(), 'neo4j-password': 'not-the-right-one' }),
        'refused the user or the password',
      ],
      ['nobody there', () => access('bolt://127.0.0.1:1'), 'cannot be reached'],
      ['an old server', () => listenAs(refuseHandshake), 'older than Neo4j 5.26'],
      ['a web server', () => listenAs(answerHttp), 'the server'],
      ['a server that says nothing', () => listenAs(() => {}), 'did not answer in time'],
      ['another kind of address', () => access('https://graph.example'), 'could not be used'],
    ])('%s', async (_, give, reason) => {
      const inputs = await give();
      const job = await runJob(github, pullRequestEvent(github, pull.number, 'reopened'), { inputs });
      const [report, alone] = [reportOf(job), reportOf(plain)];
      const told = report.notices.filter(text => text.includes('graph'));
      expect(told).toEqual([expect.stringContaining(reason)]);
      expect(toComparable(report)).toEqual(toComparable(alone));
      expect(report.findings.map(finding => finding.risk)).toEqual(alone.findings.map(finding => finding.risk));
      expect([job.conclusion, job.outputs['conclusion'], job.outputs['gate']]).toEqual([
        plain.conclusion,
        plain.outputs['conclusion'],
        plain.outputs['gate'],
      ]);
      expect(job.summary).toContain(reason);
      const published = [github.state.reviews, github.state.checkRuns, Object.values(job.files).map(String)];
      const text = JSON.stringify(published);
      const host = new URL(inputs['neo4j-uri'] ?? 'bolt://graph.example').host;
      for (const word of [host, 'graph.example', 'not-the-right-one', inject('neo4j').password]) {
        expect(text.includes(word), word).toBe(false);
      }
      expect(job.log).not.toMatch(/not-the-right-one|graph-tests-only/);
      if (inputs['neo4j-uri'] !== undefined) expect(job.log.includes(host), host).toBe(false);
    });

    test('an empty project', async () => {
      const empty = await startShop({ files: { '.cypherfix.yml': policyOf(newProject()) } });
      try {
        const change = openChange(empty, 'faulty', { 'app.py': FAULTY });
        const job = await runJob(empty, pullRequestEvent(empty, change.number, 'opened'), { inputs: access() });
        const report = reportOf(job);
        expect(report.notices.join()).toContain('knows nothing of the project');
        expect(report.findings.map(({ risk }) => risk)).toEqual(reportOf(plain).findings.map(({ risk }) => risk));
        expect(job.outputs['conclusion']).toBe(plain.outputs['conclusion']);
        expect(reviewsOn(empty, change)).toHaveLength(1);
      } finally {
        await empty.close();
      }
    });
  });
});

test('a local review reads the graph that the environment names, writes nothing there, and is replayed without it', async () => {
  const project = newProject();
  await seed(project, 'acme/shop');
  const repo = createTempRepo();
  const folder = mkdtempSync(join(tmpdir(), 'cypherfix-graph-'));
  try {
    repo.write('.cypherfix.yml', policyOf(project));
    repo.write('app.py', CLEAN);
    repo.commit('Begin');
    repo.write('app.py', FAULTY);
    repo.commit('Spoil');
    const { uri, user, password } = inject('neo4j');
    const env = { NEO4J_URI: uri, NEO4J_USER: user, NEO4J_PASSWORD: password };
    const review = { repo: repo.path, base: 'main~1' };
    const nameless = await runReview({ ...review, env });
    expect(nameless.report().notices.join()).toContain('origin does not tell');

    repo.git('remote', 'add', 'origin', 'git@github.com:acme/shop.git');
    const nodes = () => project.run('MATCH (n {project_id: $projectId}) RETURN count(n) AS nodes');
    const before = await nodes();
    const file = join(folder, 'run.json');
    const ranked = await runReview({ ...review, env, options: ['--record', file] });
    expect(rankOf(ranked.report(), 'S307')?.R.evidence).toBe('a live endpoint on this host');
    expect([ranked.status, nameless.status]).toEqual([1, 1]);
    expect(ranked.stdout + ranked.stderr).not.toContain(password);
    expect(await nodes()).toEqual(before);

    const replayed = await runReview({ ...review, options: ['--replay', file] });
    expect(replayed.stdout).toBe(ranked.stdout);
  } finally {
    repo.remove();
    rmSync(folder, { recursive: true });
  }
});
